"""What Flux brings where: the fields of Kustomization and HelmRelease as Flux documents them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.deploy.deployers import URL, flux, job, names, snapshots, sync

from trainlint.wording.because import texts_of


def test_each_directory_that_manages_itself_is_a_cluster() -> None:
    # `flux bootstrap --path=clusters/NAME` writes flux-system/gotk-sync.yaml there, which deploys clusters/NAME.
    found = snapshots(
        {
            "clusters/east/flux-system/gotk-sync.yaml": sync("./clusters/east"),
            "clusters/east/apps.yaml": flux("apps", "./apps/base"),
            "clusters/west/flux-system/gotk-sync.yaml": sync("./clusters/west"),
            "clusters/west/apps.yaml": flux("apps", "apps/base"),
            "clusters/west/more.yaml": flux("more", "/apps/more"),
            "apps/base/job.yaml": job(namespace="ml"),
            "apps/more/job.yaml": job("extra", "ml"),
        }
    )
    assert set(found) == {"east", "west"}
    assert names(found["east"]) == {"Job ml/train"}
    assert names(found["west"]) == {"Job ml/train", "Job ml/extra"}


def test_a_target_namespace_wins_over_what_an_object_says_itself() -> None:
    files = {
        "clusters/c/sync.yaml": sync("clusters/c"),
        "clusters/c/a.yaml": flux("a", "a", "  targetNamespace: team\n"),
        "a/job.yaml": job(namespace="other"),
        "a/none.yaml": job("none"),
        "a/class.yaml": "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 1\n",
    }
    (made,) = snapshots(files).values()
    assert names(made) == {"Job team/train", "Job team/none", "PriorityClass high"}
    assert not any('"default"' in text for text in texts_of(made.settings.assumptions))
    assert {pods.namespace for pods in made.workloads.pod_sets} == {"team"}


def test_an_object_without_a_namespace_keeps_all_of_its_path_from_being_applied() -> None:
    # fluxcd/pkg, ssa/errors/errors.go: "namespace not specified"
    files = {"clusters/c/s.yaml": sync("clusters/c"), "clusters/c/a.yaml": flux("a", "a"), "a/job.yaml": job()}
    (made,) = snapshots(files | {"a/other.yaml": job("other", "ml")}).values()
    assert names(made) == set()
    assert any("does not build" in each.missing for each in made.unknowns)


def test_a_directory_without_kustomization_brings_all_below_it_and_kustomizations_as_they_say() -> None:
    # kustomize-controller writes one with every manifest, and the directories of kustomizations as resources.
    files = {
        "clusters/c/s.yaml": sync("clusters/c"),
        "clusters/c/a.yaml": flux("a", "a"),
        "a/one.yaml": job("one", "ml"),
        "a/deep/two.yaml": job("two", "ml"),
        "a/built/kustomization.yaml": "resources: [three.yaml]\n",
        "a/built/three.yaml": job("three", "ml"),
        "a/built/unlisted.yaml": job("unlisted", "ml"),
    }
    assert names(snapshots(files)["c"]) == {"Job ml/one", "Job ml/two", "Job ml/three"}


def test_the_outermost_namespace_of_kustomizations_wins() -> None:
    files = {
        "clusters/c/s.yaml": sync("clusters/c"),
        "clusters/c/a.yaml": flux("a", "overlay"),
        "overlay/kustomization.yaml": "namespace: outer\nresources: [../base]\n",
        "base/kustomization.yaml": "namespace: inner\nresources: [job.yaml]\n",
        "base/job.yaml": job(namespace="own"),
    }
    made = snapshots(files)["c"]
    assert names(made) == {"Job outer/train"}
    assert made.unrendered == {}


def test_what_a_kustomization_patches_stays_unrendered() -> None:
    files = {
        "clusters/c/s.yaml": sync("clusters/c"),
        "clusters/c/a.yaml": flux("a", "overlay"),
        "overlay/kustomization.yaml": "namePrefix: x-\nresources: [job.yaml]\n",
        "overlay/job.yaml": job(namespace="own"),
    }
    assert snapshots(files)["c"].unrendered == {"overlay/job.yaml": "overlay"}


SUBSTITUTE = """  postBuild:
    substitute: {COUNT: "4", NAME: big, EMPTY: ""}
    substituteFrom: [{kind: ConfigMap, name: vars}]
"""
VARS = (
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: vars, namespace: flux-system}\ndata: {NAME: small, WHERE: ml}\n"
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${COUNT}", 4),  # written as YAML, replaced, read again: text becomes a number
        ('"${COUNT}"', 4),  # whose quotes do not survive
        ("${COUNT:-7}", 4),
        ("${M:-7}", 7),
        ("${M:=7}", 7),
        ("${EMPTY:-7}", 7),
    ],
)
def test_variables_are_put_in_after_rendering(text: str, value: int) -> None:
    files = {
        "clusters/c/s.yaml": sync("clusters/c"),
        "clusters/c/v.yaml": VARS,
        "clusters/c/a.yaml": flux("a", "a", SUBSTITUTE),
        "a/job.yaml": job("${NAME}", "${WHERE}", text),
    }
    (made,) = snapshots(files).values()
    assert [(pods.owner.name, pods.namespace, pods.replicas) for pods in made.workloads.pod_sets] == [
        ("big", "ml", value)  # what is written in place wins over a ConfigMap
    ]


def test_a_variable_that_a_secret_may_hold_stays_unknown() -> None:
    extra = "  postBuild: {substituteFrom: [{kind: Secret, name: s}], substitute: {COUNT: '2'}}\n"
    files = {
        "clusters/c/s.yaml": sync("clusters/c"),
        "clusters/c/a.yaml": flux("a", "a", extra),
        "a/job.yaml": job(namespace="ml", replicas="${HOW_MANY}"),
        "a/two.yaml": job("two", "ml", "${COUNT}"),
    }
    (made,) = snapshots(files).values()
    replicas = {pods.owner.name: pods.replicas for pods in made.workloads.pod_sets}
    assert replicas["two"] == 2
    assert not isinstance(replicas["train"], int)


def test_an_object_may_keep_its_variables() -> None:
    kept = job(namespace="ml").replace(
        '{name: "train"', '{annotations: {kustomize.toolkit.fluxcd.io/substitute: disabled}, name: "${COUNT}"'
    )
    files = {
        "clusters/c/s.yaml": sync("clusters/c"),
        "clusters/c/a.yaml": flux(
            "a", "a", SUBSTITUTE.replace("    substituteFrom: [{kind: ConfigMap, name: vars}]\n", "")
        ),
        "a/job.yaml": kept,
    }
    assert names(snapshots(files)["c"]) == {"Job ml/${COUNT}"}


def test_a_kubeconfig_leads_to_another_cluster() -> None:
    extra = "  kubeConfig: {secretRef: {name: remote-kubeconfig}}\n"
    files = {
        "clusters/hub/s.yaml": sync("clusters/hub"),
        "clusters/hub/a.yaml": flux("a", "a", extra),
        "a/job.yaml": job(namespace="ml"),
    }
    found = snapshots(files)
    assert names(found["remote"]) == {"Job ml/train"}
    assert names(found["hub"]) == set()


def test_what_comes_from_another_repository_is_an_unknown_and_leaves_the_cluster_open() -> None:
    other = """apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: theirs, namespace: flux-system}
spec: {url: "ssh://git@git.example:22/other/things.git"}
"""
    files = {
        "clusters/c/s.yaml": sync("clusters/c"),
        "clusters/c/o.yaml": other,
        "clusters/c/a.yaml": flux("a", "a").replace("name: flux-system}\n", "name: theirs}\n"),
        "a/job.yaml": job(namespace="ml"),
    }
    found = snapshots(files)
    assert names(found["c"]) == set()
    assert any("git.example:22/other/things" in each.missing for each in found["c"].unknowns)
    assert found["c"].may_hold_more("ml")
    assert names(found["."]) >= {"Job ml/train"}  # what no deployer names is a part of its own


def test_a_cluster_whose_deployers_are_all_followed_is_closed() -> None:
    files = {
        "clusters/c/s.yaml": sync("clusters/c"),
        "clusters/c/a.yaml": flux("a", "a"),
        "a/job.yaml": job(namespace="ml"),
    }
    assert not snapshots(files)["c"].may_hold_more("ml")


@pytest.mark.parametrize("url", ["git@git.example:team/fleet.git", "ssh://git@git.example/team/fleet", f"{URL}.git"])
def test_the_addresses_of_one_repository_are_one(url: str) -> None:
    files = {"clusters/c/s.yaml": sync("clusters/c", url), "clusters/c/job.yaml": job(namespace="ml")}
    made = snapshots(files)["c"]
    assert names(made) == {"Job ml/train"}
    assert not any("this repository" in text for text in texts_of(made.settings.assumptions))


def test_without_a_remote_a_path_that_exists_is_taken_for_the_repositorys_own_and_that_is_said() -> None:
    files = {"clusters/c/s.yaml": sync("clusters/c"), "clusters/c/job.yaml": job(namespace="ml")}
    made = snapshots(files, remotes=("/srv/git/fleet",))["c"]
    assert any(f"{URL} is this repository" in text for text in texts_of(made.settings.assumptions))


def test_circles_are_harmless() -> None:
    files = {
        "a/one.yaml": flux("one", "b"),
        "b/two.yaml": flux("two", "a"),
        "b/job.yaml": job(namespace="ml"),
    }
    (made,) = snapshots(files).values()
    assert names(made) == {"Job ml/train"}


def test_patches_of_custom_kinds_are_applied_to_deployers() -> None:
    # kustomize merges maps and replaces lists of kinds whose structure it does not know.
    patch = """  patches:
    - target: {kind: Kustomization, labelSelector: "tier in (apps, more), !frozen"}
      patch: |
        apiVersion: kustomize.toolkit.fluxcd.io/v1
        kind: Kustomization
        metadata: {name: all}
        spec: {targetNamespace: patched}
"""
    labelled = flux("two", "two").replace("{name: two", "{labels: {tier: apps}, name: two")
    files = {
        "clusters/c/s.yaml": sync("clusters/c"),
        "clusters/c/a.yaml": flux("apps", "apps", patch),
        "apps/two.yaml": labelled,
        "apps/three.yaml": flux("three", "three"),
        "two/job.yaml": job(namespace="ml"),
        "three/job.yaml": job("third", "ml"),
    }
    made = snapshots(files)["c"]
    assert names(made) == {"Job patched/train", "Job ml/third"}
    assert made.unrendered == {}


def test_a_patch_of_a_kind_that_kustomize_knows_is_left_to_a_renderer() -> None:
    patch = """  patches:
    - target: {kind: Job, name: tr.*}
      patch: "[{op: replace, path: /spec/parallelism, value: 9}]"
"""
    files = {
        "clusters/c/s.yaml": sync("clusters/c"),
        "clusters/c/a.yaml": flux("a", "a", patch),
        "a/job.yaml": job(namespace="ml"),
        "a/other.yaml": job("other", "ml"),
    }
    assert snapshots(files)["c"].unrendered == {"a/job.yaml": "the patches of Kustomization flux-system/a"}


def test_common_metadata_is_that_of_objects_and_not_of_their_pods() -> None:
    extra = "  commonMetadata: {labels: {kueue.x-k8s.io/queue-name: gpus}, annotations: {note: a}}\n"
    files = {
        "clusters/c/s.yaml": sync("clusters/c"),
        "clusters/c/a.yaml": flux("a", "a", extra),
        "a/job.yaml": job(namespace="ml"),
    }
    (made,) = (each for each in snapshots(files)["c"].objects if each.meta.kind == "Job")
    assert made.meta.labels == {"kueue.x-k8s.io/queue-name": "gpus"}
    assert made.meta.annotations == {"note": "a"}
    assert "labels" not in made.field.value["spec"]["template"].get("metadata", {})


def test_components_join_what_the_path_brings() -> None:
    files = {
        "clusters/c/s.yaml": sync("clusters/c"),
        "clusters/c/a.yaml": flux("a", "apps/a", "  targetNamespace: t\n  components: [../extra]\n"),
        "apps/a/kustomization.yaml": "resources: [job.yaml]\n",
        "apps/a/job.yaml": job(),
        "apps/extra/kustomization.yaml": "kind: Component\nresources: [more.yaml]\n",
        "apps/extra/more.yaml": job("more"),
    }
    assert names(snapshots(files)["c"]) == {"Job t/train", "Job t/more"}


def test_kustomizations_that_no_deployer_names_are_not_in_use_where_flux_manages_itself() -> None:
    files = {
        "clusters/c/s.yaml": sync("clusters/c"),
        "clusters/c/job.yaml": job(namespace="ml"),
        "old/ks.yaml": flux("old", "gone"),
        "gone/job.yaml": job("gone", "ml"),
    }
    assert names(snapshots(files)["c"]) == {"Job ml/train"}


def test_the_flux_operators_instance_leads_to_a_cluster() -> None:
    instance = f"""apiVersion: fluxcd.controlplane.io/v1
kind: FluxInstance
metadata: {{name: flux, namespace: flux-system}}
spec:
  sync: {{kind: GitRepository, url: "{URL}.git", path: clusters/home}}
"""
    files = {"clusters/home/flux.yaml": instance, "clusters/home/job.yaml": job(namespace="ml")}
    (made,) = snapshots(files).values()
    assert names(made) >= {"Job ml/train"}


def assumed_of(files: Mapping[str, str]) -> list[str]:
    return [text for each in snapshots(files).values() for text in texts_of(each.settings.assumptions)]


def _packed(name: str, path: str, kind: str = "OCIRepository", source: str = "flux-system") -> str:
    text = flux(name, path, f"  targetNamespace: {name}\n")
    return text.replace("kind: GitRepository", f"kind: {kind}").replace("name: flux-system}", f"name: {source}}}", 2)


POLICY = """apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: closed}
spec: {podSelector: {}, policyTypes: [Ingress, Egress]}
"""


def test_paths_in_an_archive_are_those_of_the_directory_that_it_was_made_of() -> None:
    # flux push artifact --path=./kubernetes: the top of the archive is that directory. Were its Kustomizations not
    # followed, the namespaces that they give would be lost, and the policy would stand in the namespace of the job.
    files = {
        "kubernetes/clusters/c/ks.yaml": _packed("cluster", "./apps"),
        "kubernetes/apps/kustomization.yaml": "resources: [train.yaml, closed.yaml]\n",
        "kubernetes/apps/train.yaml": _packed("ml", "./apps/train/app"),
        "kubernetes/apps/closed.yaml": _packed("closed", "apps/closed/app", "ExternalArtifact", "closed"),
        "kubernetes/apps/train/app/job.yaml": job(),
        "kubernetes/apps/closed/app/policy.yaml": POLICY,
        "archive/apps/job.yaml": job("old"),
    }
    found = snapshots(files)
    made = next(each for each in found.values() if "Job ml/train" in names(each))
    assert "NetworkPolicy closed/closed" in names(made)
    assert any(
        "OCIRepository flux-system is made of the directory kubernetes" in each
        for each in texts_of(made.settings.assumptions)
    )


def test_an_archive_that_may_be_of_two_directories_or_of_another_repository_is_not_here() -> None:
    twice = {
        "one/apps/job.yaml": job(namespace="a"),
        "two/apps/job.yaml": job(namespace="b"),
        "two/ks.yaml": _packed("cluster", "./apps"),
    }
    assert not any(
        "is made of" in text for each in snapshots(twice).values() for text in texts_of(each.settings.assumptions)
    )
    other = {
        "one/apps/job.yaml": job(namespace="a"),
        "one/ks.yaml": _packed("cluster", "./apps"),
        "one/source.yaml": (
            "apiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\n"
            "metadata: {name: flux-system, namespace: flux-system}\nspec: {url: oci://r.example/others/apps}\n"
        ),
    }
    assert not any(
        "is made of" in text for each in snapshots(other).values() for text in texts_of(each.settings.assumptions)
    )
