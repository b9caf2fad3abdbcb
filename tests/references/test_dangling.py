"""Objects that pods refer to and that are not there (decision 5), and what Flux waits for."""

from __future__ import annotations

import pytest
from tests.deploy.deployers import flux, snapshots, sync
from tests.references.test_settings_of_pods import snapshot

from trainlint.model.settings import Settings
from trainlint.model.workload import ObjectRef
from trainlint.references.flux_dependencies import undepended
from trainlint.references.references import ReferenceCause, dangling_references, references_of
from trainlint.snapshot.build import Snapshot

JOB = """apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec: {restartPolicy: Never, containers: [{name: main, image: "train:1"CLAIM}], POD}
"""
CLAIMS = ", resources: {claims: [{name: gpu}]}"
SPEC = ("spec", "template", "spec")
REFERENCES = {
    "PriorityClass": ("priorityClassName: NAME", ("priorityClassName",), "scheduling.k8s.io/v1"),
    "RuntimeClass": ("runtimeClassName: NAME", ("runtimeClassName",), "node.k8s.io/v1"),
    "ServiceAccount": ("serviceAccountName: NAME", ("serviceAccountName",), "v1"),
    "PersistentVolumeClaim": (
        "volumes: [{name: v, persistentVolumeClaim: {claimName: NAME}}]",
        ("volumes", 0, "persistentVolumeClaim", "claimName"),
        "v1",
    ),
    "ResourceClaimTemplate": (
        "resourceClaims: [{name: gpu, resourceClaimTemplateName: NAME}]",
        ("resourceClaims", 0, "resourceClaimTemplateName"),
        "resource.k8s.io/v1",
    ),
    "ResourceClaim": (
        "resourceClaims: [{name: gpu, resourceClaimName: NAME}]",
        ("resourceClaims", 0, "resourceClaimName"),
        "resource.k8s.io/v1",
    ),
}
OF_CLUSTER = {"PriorityClass", "RuntimeClass"}


def held(kind: str, name: str, namespace: str = "ml") -> str:
    space = "" if kind in OF_CLUSTER else f", namespace: {namespace}"
    return f"apiVersion: {REFERENCES[kind][2]}\nkind: {kind}\nmetadata: {{name: {name}{space}}}\n"


def job(pod: str, *, claim: bool = False) -> str:
    return JOB.replace("POD", pod).replace("CLAIM", CLAIMS if claim else "")


def dangling(*documents: str, settings: Settings | None = None) -> list[ReferenceCause]:
    return list(dangling_references(snapshot({"all.yaml": "---\n".join(documents)}, settings)))


@pytest.mark.parametrize("kind", REFERENCES)
def test_what_a_pod_refers_to_must_be_among_those_of_its_kind(kind: str) -> None:
    pod, path, _ = REFERENCES[kind]
    need = job(pod, claim=kind.startswith("ResourceClaim"))
    space = "" if kind in OF_CLUSTER else "ml"
    (found,) = dangling(need.replace("NAME", "trainin"), held(kind, "training"))
    assert found.owner == ObjectRef("Job", "ml", "train")
    assert found.target == ObjectRef(kind, space, "trainin")
    assert (found.at.path, found.near, found.certain) == ((*SPEC, *path), "training", False)
    assert [each.name for each in found.pod_sets] == ["train"]
    assert (found.also, found.renamed) == ((), None)
    assert dangling(need.replace("NAME", "training"), held(kind, "training")) == []
    assert dangling(need.replace("NAME", "${NAME}"), held(kind, "training")) == []
    assert dangling(need.replace("NAME", "training")) == []  # of the kind none is in Git: it may be made elsewhere
    (other,) = dangling(need.replace("NAME", "qqqqq"), held(kind, "training"))
    assert other.near == ""
    (sure,) = dangling(need.replace("NAME", "training"), settings=Settings(closed=frozenset({kind})))
    assert (sure.certain, sure.near) == (True, "")
    paused = need.replace("spec:\n  template", "spec:\n  parallelism: 0\n  template", 1)
    assert dangling(paused.replace("NAME", "trainin"), held(kind, "training")) == []


@pytest.mark.parametrize("kind", sorted(REFERENCES.keys() - OF_CLUSTER))
def test_one_in_another_namespace_is_none_of_the_pods(kind: str) -> None:
    need = job(REFERENCES[kind][0].replace("NAME", "training"), claim=kind.startswith("ResourceClaim"))
    assert len(dangling(need, held(kind, "others"), held(kind, "training", "web"))) == 1
    assert dangling(need, held(kind, "others"), held(kind, "training", "'${SPACE}'")) == []


@pytest.mark.parametrize(
    ("pod", "kind"),
    [
        ("priorityClassName: system-cluster-critical", "PriorityClass"),
        ("priorityClassName: system-node-critical", "PriorityClass"),
        ("serviceAccountName: default", "ServiceAccount"),
    ],
)
def test_clusters_make_these_themselves(pod: str, kind: str) -> None:
    closed = Settings(closed=frozenset({kind}))
    assert dangling(job(pod), settings=closed) == []
    assert len(dangling(job(f"{pod}-2"), settings=closed)) == 1


def test_references_of_pods_are_those_that_change_or_prevent_them() -> None:
    pod = "priorityClassName: high, runtimeClassName: kata, serviceAccountName: robot"
    text = job(f"{pod}, volumes: [{{name: v, persistentVolumeClaim: {{claimName: data}}}}]")
    queued = text.replace("namespace: ml", "namespace: ml, labels: {kueue.x-k8s.io/queue-name: teams}")
    (pods,) = snapshot({"a.yaml": queued}).workloads.pod_sets
    assert list(references_of(pods)) == [
        ObjectRef("PriorityClass", "", "high"),
        ObjectRef("RuntimeClass", "", "kata"),
        ObjectRef("PersistentVolumeClaim", "ml", "data"),
        ObjectRef("LocalQueue", "ml", "teams"),
    ]
    (plain,) = snapshot({"a.yaml": job("hostNetwork: false")}).workloads.pod_sets
    assert list(references_of(plain)) == []


def test_pods_that_state_no_namespace_are_together_with_what_lies_beside_them_only() -> None:
    need = job("serviceAccountName: robt").replace(", namespace: ml", "")
    account = held("ServiceAccount", "robot").replace(", namespace: ml", "")
    together = snapshot({"a/job.yaml": need, "a/account.yaml": account})
    assert [each.near for each in dangling_references(together)] == ["robot"]
    assert list(dangling_references(snapshot({"a/job.yaml": need, "b/account.yaml": account}))) == []
    closed = Settings(closed=frozenset({"ServiceAccount"}))
    assert list(dangling_references(snapshot({"a/job.yaml": need}, closed))) == []
    stated = {"a/job.yaml": job("serviceAccountName: robt"), "b/account.yaml": held("ServiceAccount", "robot")}
    assert len(list(dangling_references(snapshot(stated)))) == 1


TRAIN = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: t, namespace: ml}
spec: {runtimeRef: {REFERENCE}}
"""
RUNTIME = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: KIND
metadata: {name: mine, namespace: ml}
spec: {template: {spec: {replicatedJobs: []}}}
"""


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("name: min", ("ClusterTrainingRuntime", "", "min")),
        ("name: min, apiGroup: trainer.kubeflow.org", ("ClusterTrainingRuntime", "", "min")),
        ("name: min, kind: ClusterTrainingRuntime", ("ClusterTrainingRuntime", "", "min")),
        ("name: min, kind: TrainingRuntime", ("TrainingRuntime", "ml", "min")),
        ("name: torch-distributed, kind: TrainingRuntime", ("TrainingRuntime", "ml", "torch-distributed")),
        ("name: torch-distributed", None),
        ("name: min, apiGroup: example.com", None),
        ("name: min, kind: OtherRuntime", None),
        ("name: ''", None),
        ("name: mine", None),
    ],
)
def test_a_train_job_needs_its_runtime(reference: str, found: tuple[str, str, str] | None) -> None:
    cluster = RUNTIME.replace("KIND", "ClusterTrainingRuntime").replace(", namespace: ml", "")
    text = TRAIN.replace("REFERENCE", reference)
    causes = dangling(text, cluster, RUNTIME.replace("KIND", "TrainingRuntime"))
    wanted = [found] * (found is not None)
    assert [(each.target.kind, each.target.namespace, each.target.name) for each in causes] == wanted
    assert [each.at.path for each in causes] == [("spec", "runtimeRef", "name")] * len(wanted)


RELEASE = """apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: NAME, namespace: flux-system}
spec: {chart: {spec: {chart: NAME, sourceRef: {kind: HelmRepository, name: charts}}}, dependsOn: [DEPENDS]}
"""


def deployed(kind: str, base: str, depends: str) -> Snapshot:
    """The cluster that Flux makes of two deployers: ``base``, and ``apps`` that depends on others."""
    both = ((base, ""), ("apps", depends))
    texts = (RELEASE.replace("NAME", name).replace("DEPENDS", each) for name, each in both)
    if kind == "Kustomization":
        texts = (flux(name, "./brought", f"  dependsOn: [{each}]\n") for name, each in both)
    files = {"clusters/sync.yaml": sync("./clusters"), "clusters/apps.yaml": "---\n".join(texts)}
    return snapshots({**files, "brought/priority.yaml": held("PriorityClass", "high")})["in-cluster"]


@pytest.mark.parametrize(
    ("depends", "expected"),
    [
        ("{name: base}", []),
        ("{name: bases}", [("flux-system", "bases", "base")]),
        ("{name: base, namespace: other}", [("other", "base", "")]),
        ("{name: '${NAME}'}", []),
        ("{name: bases, namespace: '${SPACE}'}", []),
        ("{namespace: flux-system}", []),
        ("{name: bases}, {name: base}, {name: qqqq}", [("flux-system", "bases", "base"), ("flux-system", "qqqq", "")]),
    ],
)
@pytest.mark.parametrize("kind", ["Kustomization", "HelmRelease"])
def test_a_deployer_of_flux_waits_for_what_is_there(
    kind: str, depends: str, expected: list[tuple[str, str, str]]
) -> None:
    found = list(undepended(deployed(kind, "base", depends)))
    assert [(each.target.namespace, each.target.name, each.near) for each in found] == expected
    assert {each.target.kind for each in found} <= {kind}
    assert {each.owner.name for each in found} <= {"apps"}
    assert all(each.at.path[-1] == "name" for each in found)


@pytest.mark.parametrize("kind", ["Kustomization", "HelmRelease"])
def test_a_deployer_with_a_placeholder_as_its_name_may_be_the_one(kind: str) -> None:
    assert list(undepended(deployed(kind, "REPLACE_ME", "{name: other}"))) == []


DOMAIN = """---
apiVersion: resource.nvidia.com/v1beta1
kind: ComputeDomain
metadata: {name: rack, namespace: ml}
spec: {numNodes: 0, channel: {resourceClaimTemplate: {name: rack-channel}}}
"""
TEMPLATE = """---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpus, namespace: ml}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]}}}
"""


@pytest.mark.parametrize(
    ("name", "others", "near"),
    [
        ("rack-channel", DOMAIN, None),
        ("rack-channel", DOMAIN + TEMPLATE, None),
        ("rack-channel", TEMPLATE, ""),
        ("rack-chanel", DOMAIN, "rack-channel"),
        ("nic", DOMAIN, None),  # other templates need not be in Git because a ComputeDomain is
        ("rack-channel", DOMAIN.replace("namespace: ml", "namespace: web") + TEMPLATE, ""),
    ],
)
def test_the_controller_of_a_compute_domain_makes_its_template(name: str, others: str, near: str | None) -> None:
    claim = f"resourceClaims: [{{name: gpu, resourceClaimTemplateName: {name}}}]"
    text = JOB.replace("CLAIM", CLAIMS).replace("POD", claim) + others
    found = list(dangling_references(snapshot({"a.yaml": text})))
    assert [each.near for each in found] == ([] if near is None else [near])
