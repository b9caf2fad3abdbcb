"""ConfigMaps and Secrets that pods need and that are not there (decision 5; Kubernetes' task "Configure a Pod").

A reference must be found unless it is optional; one in ``envFrom`` or a volume needs the object, one of ``env`` and of
the items of a volume also the key.
"""

from __future__ import annotations

import pytest

from trainlint.model.settings import Settings
from trainlint.references.settings_of_pods import MissingSetting, holds_setting, missing_settings
from trainlint.snapshot.build import Snapshot, build_snapshots
from trainlint.snapshot.kinds import READ_KINDS
from trainlint.snapshot.repository import read_repository
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import read

JOB = """apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "train:1"CONTAINER}]
      VOLUMES
"""
MAP = """apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: ml}
data: {rate: "1", batch: "2"}
"""
SECRET = """apiVersion: v1
kind: Secret
metadata: {name: tokens, namespace: ml}
stringData: {hub: x}
"""


def snapshot(files: dict[str, str], settings: Settings | None = None) -> Snapshot:
    kinds = KindFilter(READ_KINDS)
    readings = [read(name, text.encode(), kinds) for name, text in files.items()]
    (made,) = build_snapshots(read_repository(readings), [settings or Settings()])
    return made


def missing(*documents: str, settings: Settings | None = None) -> list[MissingSetting]:
    return list(missing_settings(snapshot({"all.yaml": "---\n".join(documents)}, settings)))


def job(container: str = "", volumes: str = "", init: str = "") -> str:
    text = JOB.replace("CONTAINER", f", {container}" if container else "")
    own = [f"volumes: [{volumes}]"] * bool(volumes) + [f"initContainers: [{{name: i, {init}}}]"] * bool(init)
    return text.replace("VOLUMES", "\n      ".join(own))


IN_CONTAINER = ("spec", "template", "spec", "containers", 0)
VOLUME = ("spec", "template", "spec", "volumes", 0)


@pytest.mark.parametrize(
    ("container", "volumes", "kind", "path"),
    [
        ("envFrom: [{configMapRef: {name: NAME}}]", "", "ConfigMap",
         (*IN_CONTAINER, "envFrom", 0, "configMapRef", "name")),
        ("envFrom: [{secretRef: {name: NAME}}]", "", "Secret", (*IN_CONTAINER, "envFrom", 0, "secretRef", "name")),
        ("env: [{name: A, valueFrom: {configMapKeyRef: {name: NAME, key: k}}}]", "", "ConfigMap",
         (*IN_CONTAINER, "env", 0, "valueFrom", "configMapKeyRef", "name")),
        ("env: [{name: A, valueFrom: {secretKeyRef: {name: NAME, key: k}}}]", "", "Secret",
         (*IN_CONTAINER, "env", 0, "valueFrom", "secretKeyRef", "name")),
        ("", "{name: v, configMap: {name: NAME}}", "ConfigMap", (*VOLUME, "configMap", "name")),
        ("", "{name: v, secret: {secretName: NAME}}", "Secret", (*VOLUME, "secret", "secretName")),
        ("", "{name: v, projected: {sources: [{configMap: {name: NAME}}]}}", "ConfigMap",
         (*VOLUME, "projected", "sources", 0, "configMap", "name")),
        ("", "{name: v, projected: {sources: [{secret: {name: NAME}}]}}", "Secret",
         (*VOLUME, "projected", "sources", 0, "secret", "name")),
    ],
)  # fmt: skip
def test_every_reference_of_a_pod_must_be_found(
    container: str, volumes: str, kind: str, path: tuple[str | int, ...]
) -> None:
    wrong = {"ConfigMap": "setings", "Secret": "tokns"}[kind]
    right = {"ConfigMap": "settings", "Secret": "tokens"}[kind]
    text = job(container, volumes)
    (found,) = missing(text.replace("NAME", wrong), MAP, SECRET)
    assert (found.target.kind, found.target.namespace, found.target.name) == (kind, "ml", wrong)
    assert (found.owner.kind, found.owner.name, found.at.path, found.near) == ("Job", "train", path, right)
    assert (found.key, found.elsewhere, found.hashed, found.certain) == ("", (), "", False)
    assert [(said, at.path) for said, at in found.related] == [("what there is", ())]
    optional = text.replace("name: NAME", "name: NAME, optional: true").replace(
        "secretName: NAME", "secretName: NAME, optional: true"
    )
    assert missing(optional.replace("NAME", wrong), MAP, SECRET) == []
    needed = text.replace("name: NAME", "name: NAME, optional: false")
    assert len(missing(needed.replace("NAME", wrong), MAP, SECRET)) == 1
    assert missing(text.replace("NAME", "${NAME}"), MAP, SECRET) == []


def test_init_containers_need_theirs_too() -> None:
    (found,) = missing(job(init="envFrom: [{configMapRef: {name: setings}}]"), MAP)
    assert found.at.path == ("spec", "template", "spec", "initContainers", 0, "envFrom", 0, "configMapRef", "name")


@pytest.mark.parametrize(
    ("container", "volumes", "key", "near", "certain"),
    [
        ("env: [{name: A, valueFrom: {configMapKeyRef: {name: settings, key: rates}}}]", "", "rates", "rate", True),
        ("env: [{name: A, valueFrom: {configMapKeyRef: {name: settings, key: qqqq}}}]", "", "qqqq", "", True),
        ("env: [{name: A, valueFrom: {secretKeyRef: {name: tokens, key: hubs}}}]", "", "hubs", "hub", False),
        ("", "{name: v, configMap: {name: settings, items: [{key: rates, path: p}]}}", "rates", "rate", True),
        ("", "{name: v, secret: {secretName: tokens, items: [{key: hubs, path: p}]}}", "hubs", "hub", False),
    ],
)
def test_a_key_must_be_found(container: str, volumes: str, key: str, near: str, certain: bool) -> None:
    (found,) = missing(job(container, volumes), MAP, SECRET)
    assert (found.key, found.near, found.certain) == (key, near, certain)
    assert found.at.path[-1] == "key"
    part = "data" if found.target.kind == "ConfigMap" else "stringData"
    assert [(said, at.path) for said, at in found.related] == [("the keys that it has", (part,))]
    assert missing(job(container, volumes).replace(key, "${KEY}"), MAP, SECRET) == []


def test_keys_stand_in_each_part_of_an_object() -> None:
    of_binary = MAP.replace("\ndata:", "\nbinaryData:")
    for key in ("rate", "batch"):
        need = job(f"env: [{{name: A, valueFrom: {{configMapKeyRef: {{name: settings, key: {key}}}}}}}]")
        assert missing(need, MAP) == []
        assert missing(need, of_binary) == []
    need = job("env: [{name: A, valueFrom: {configMapKeyRef: {name: settings, key: other}}}]")
    assert len(missing(need, of_binary)) == 1
    assert missing(need, MAP.replace('rate: "1"', '"${KEY}": "1"')) == []  # it may be the key
    assert missing(need, MAP.replace('data: {rate: "1", batch: "2"}', "")) == []  # it is filled in the cluster


@pytest.mark.parametrize("name", ["kube-root-ca.crt", "openshift-service-ca.crt", "istio-ca-root-cert"])
def test_clusters_make_config_maps_of_their_own(name: str) -> None:
    closed = Settings(closed=frozenset({"ConfigMap"}))
    need = job(f"envFrom: [{{configMapRef: {{name: {name}}}}}]")
    assert missing(need, settings=closed) == []
    assert len(missing(need.replace(name, f"{name}-2"), settings=closed)) == 1


def test_what_the_operator_names_after_the_object_may_be_its_own() -> None:
    closed = Settings(closed=frozenset({"ConfigMap"}))
    assert missing(job("envFrom: [{configMapRef: {name: train-config}}]"), settings=closed) == []
    assert len(missing(job("envFrom: [{configMapRef: {name: trainer}}]"), settings=closed)) == 1


def test_where_git_holds_all_a_missing_one_is_certain() -> None:
    need = job("envFrom: [{secretRef: {name: qqqq}}, {configMapRef: {name: qqqq}}]")
    assert [each.target.kind for each in missing(need, MAP, SECRET)] == ["ConfigMap"]  # Secrets are made by hand
    (found,) = missing(need, settings=Settings(closed=frozenset({"Secret"})))
    assert (found.target.kind, found.certain, found.near) == ("Secret", True, "")


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("SealedSecret", "spec: {template: {metadata: {name: NAME}}}"),
        ("ExternalSecret", "spec: {target: {name: NAME}}"),
        ("VaultStaticSecret", "spec: {destination: {name: NAME}}"),
        ("VaultDynamicSecret", "spec: {destination: {name: NAME}}"),
        ("InfisicalSecret", "spec: {managedSecretReference: {secretName: NAME}}"),
        ("Certificate", "spec: {secretName: NAME}"),
    ],
)
def test_a_controller_makes_the_secret_that_its_object_names(kind: str, spec: str) -> None:
    groups = {"SealedSecret": "bitnami.com/v1alpha1", "ExternalSecret": "external-secrets.io/v1"}
    groups |= {"InfisicalSecret": "secrets.infisical.com/v1alpha1", "Certificate": "cert-manager.io/v1"}
    maker = f"apiVersion: {groups.get(kind, 'secrets.hashicorp.com/v1beta1')}\nkind: {kind}\n"
    maker += f"metadata: {{name: maker, namespace: ml}}\n{spec}\n"
    need = job("envFrom: [{secretRef: {name: tokns}}]")
    assert missing(need, SECRET, maker.replace("NAME", "tokns")) == []
    assert len(missing(need, SECRET, maker.replace("NAME", "others"))) == 1
    assert len(missing(need, SECRET, maker.replace("NAME", "tokns").replace("namespace: ml", "namespace: web"))) == 1
    unnamed = maker.replace(spec, "spec: {}")
    assert missing(need, SECRET, unnamed.replace("name: maker", "name: tokns")) == []


def test_an_item_of_1password_makes_the_secret_of_its_own_name() -> None:
    maker = "apiVersion: onepassword.com/v1\nkind: OnePasswordItem\nmetadata: {name: tokns, namespace: ml}\n"
    need = job("envFrom: [{secretRef: {name: tokns}}]")
    assert missing(need, SECRET, maker) == []
    assert len(missing(need, SECRET, maker.replace("tokns", "other"))) == 1


@pytest.mark.parametrize(
    "extra",
    [
        "apiVersion: external-secrets.io/v1\nkind: ClusterExternalSecret\nmetadata: {name: all}\n",
        "apiVersion: trust.cert-manager.io/v1alpha1\nkind: Bundle\nmetadata: {name: all}\n",
        MAP.replace("name: settings", "name: copied, annotations: {replicator.v1.mittwald.de/replicate-to: ml}"),
        MAP.replace("name: settings", 'name: copied, annotations: {reflector.v1.k8s.emberstack.com/reflects: "true"}'),
        MAP.replace("name: settings", "name: copied, annotations: {kubed.appscode.com/sync: ''}"),
    ],
)
def test_what_copies_objects_between_namespaces_may_bring_it(extra: str) -> None:
    need = job("envFrom: [{configMapRef: {name: setings}}]")
    assert missing(need, MAP, extra) == []
    (found,) = missing(need, MAP, extra, settings=Settings(closed=frozenset({"ConfigMap"})))
    assert (found.certain, found.elsewhere) == (True, ())


def test_one_of_the_name_in_another_namespace_is_told() -> None:
    need = job("envFrom: [{configMapRef: {name: settings}}]")
    (found,) = missing(need, MAP.replace("namespace: ml", "namespace: web"))
    assert (found.elsewhere, found.near, found.certain) == (("web",), "", False)
    assert [said for said, _ in found.related] == ["the one in web"]
    apart = {"train/job.yaml": need, "web/map.yaml": MAP.replace("namespace: ml", "namespace: web")}
    assert list(missing_settings(snapshot(apart))) == []
    assert missing(need, MAP.replace("namespace: ml", "namespace: '${SPACE}'")) == []


def test_a_name_with_the_hash_of_kustomize_is_told() -> None:
    need = job("envFrom: [{configMapRef: {name: settings}}]")
    (found,) = missing(need, MAP.replace("name: settings", "name: settings-5h7k9m2b4c"))
    assert (found.hashed, found.near) == ("settings-5h7k9m2b4c",) * 2
    (found,) = missing(need, MAP.replace("name: settings", "name: settings-5h7k9m2b4"))
    assert (found.hashed, found.near) == ("", "settings-5h7k9m2b4")


def test_objects_of_another_directory_do_not_close_a_namespace() -> None:
    need = job("envFrom: [{configMapRef: {name: setings}}]")
    assert len(list(missing_settings(snapshot({"a/job.yaml": need, "a/map.yaml": MAP})))) == 1
    assert list(missing_settings(snapshot({"a/job.yaml": need, "b/map.yaml": MAP}))) == []


def test_pods_that_are_not_made_need_nothing() -> None:
    need = job("envFrom: [{configMapRef: {name: setings}}]")
    assert missing(need.replace("spec:\n  template", "spec:\n  parallelism: 0\n  template", 1), MAP) == []


def test_one_object_and_name_is_told_once_with_all_its_places() -> None:
    (found,) = missing(job("envFrom: [{configMapRef: {name: setings}}]", "{name: v, configMap: {name: setings}}"), MAP)
    assert [each.path for each in found.also] == [(*VOLUME, "configMap", "name")]
    assert len(found.pod_sets) == 2


def test_another_snapshot_may_hold_the_object_or_its_key() -> None:
    (lost,) = missing(job("envFrom: [{configMapRef: {name: setings}}]"), MAP)
    assert not holds_setting(snapshot({"a.yaml": MAP}), lost)
    assert holds_setting(snapshot({"a.yaml": MAP.replace("name: settings", "name: setings")}), lost)
    (key,) = missing(job("env: [{name: A, valueFrom: {configMapKeyRef: {name: settings, key: rates}}}]"), MAP)
    assert not holds_setting(snapshot({"a.yaml": MAP}), key)
    assert not holds_setting(snapshot({"a.yaml": SECRET}), key)
    for part in ("data", "binaryData"):
        assert holds_setting(snapshot({"a.yaml": MAP.replace("data: {rate", f"{part}: {{rates")}), key)
