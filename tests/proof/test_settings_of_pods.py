"""ConfigMaps, Secrets and keys that pods need: when their absence is said, and when it is not known (decision 5)."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainlint.engine import check
from trainlint.result import Placed

HELD = """
apiVersion: v1
kind: ConfigMap
metadata: {name: knobs, namespace: fit}
data: {EPOCHS: "3"}
---
apiVersion: v1
kind: Secret
metadata: {name: hub-token, namespace: fit}
stringData: {token: example}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: empty, namespace: fit, labels: {config.openshift.io/inject-trusted-cabundle: "true"}}
---
apiVersion: v1
kind: Secret
metadata: {name: far, namespace: other}
stringData: {token: example}
---
"""
JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: fit, namespace: fit}
spec:
  template:
    spec:
      restartPolicy: Never
      VOLUMES
      containers:
        - name: t
          image: registry.example/fit:1
          env: [ENV]
          envFrom: [FROM]
"""


def found(tmp_path: Path, more: str = "", *, env: str = "", source: str = "", volumes: str = "") -> list[Placed]:
    text = JOB.replace("ENV", env).replace("FROM", source).replace("VOLUMES", volumes)
    (tmp_path / "all.yaml").write_text(f"{HELD}{more}{text}", encoding="utf-8")
    return [each for each in check([tmp_path]).findings if each.finding.rule == "dangling-reference"]


def key(kind: str, name: str, wanted: str, more: str = "") -> str:
    return f"{{name: X, valueFrom: {{{kind}KeyRef: {{name: {name}, key: {wanted}{more}}}}}}}"


@pytest.mark.parametrize(
    ("env", "words"),
    [
        (key("configMap", "knob", "EPOCHS"), "did you mean knobs?"),
        (key("configMap", "knobs", "EPOCH"), "did you mean EPOCHS?"),
        (key("configMap", "tuning", "EPOCHS"), "add the ConfigMap"),
        (key("secret", "hub-tokens", "token"), "did you mean hub-token?"),
        (key("secret", "hub-token", "tokens"), "did you mean token?"),
        (key("secret", "far", "token"), "make it in fit"),
    ],
)
def test_what_is_not_there_is_said_with_what_was_meant(tmp_path: Path, env: str, words: str) -> None:
    (only,) = found(tmp_path, env=env)
    assert words in only.finding.remedy


@pytest.mark.parametrize(
    "env",
    [
        key("configMap", "knob", "EPOCHS", ", optional: true"),
        key("configMap", "knobs", "EPOCH", ", optional: true"),
        key("configMap", "${MAP}", "EPOCHS"),
        key("configMap", "empty", "ca.crt"),
        key("configMap", "kube-root-ca.crt", "ca.crt"),
        key("configMap", "fit-hostfile", "hosts"),
        key("secret", "wandb", "key"),
        key("configMap", "knobs", "EPOCHS"),
    ],
)
def test_what_is_optional_unknown_or_made_elsewhere_is_silent(tmp_path: Path, env: str) -> None:
    assert found(tmp_path, env=env) == []


MAKERS = [
    "{kind: ExternalSecret, metadata: {name: a, namespace: fit}, spec: {target: {name: hub-tokens}}}",
    "{kind: SealedSecret, metadata: {name: hub-tokens, namespace: fit}, spec: {}}",
]


@pytest.mark.parametrize("maker", MAKERS)
def test_secrets_that_a_controller_makes_are_there(tmp_path: Path, maker: str) -> None:
    assert (
        found(
            tmp_path,
            maker.replace("{kind", "{apiVersion: x.io/v1, kind") + "\n---\n",
            env=key("secret", "hub-tokens", "token"),
        )
        == []
    )


def test_volumes_and_whole_maps_count_too(tmp_path: Path) -> None:
    volumes = "volumes: [{name: a, configMap: {name: knobs, items: [{key: EPOCH, path: x}]}}]"
    (only,) = found(tmp_path, source="{configMapRef: {name: knob, optional: true}}", volumes=volumes)
    assert "EPOCH" in only.finding.message
    (only,) = found(tmp_path, source="{configMapRef: {name: knob}}")
    assert only.finding.at.path[-1] == "name"


def test_a_definition_beside_the_job_counts_and_not_that_of_another_example(tmp_path: Path) -> None:
    (tmp_path / "other.yaml").write_text(
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: knobs, namespace: fit}, data: {STEPS: '1'}}",
        encoding="utf-8",
    )
    assert found(tmp_path, env=key("configMap", "knobs", "EPOCHS")) == []


MADE = [
    ("ExternalSecret", "spec: {target: {name: made}, data: [{secretKey: token}]}", True),
    (
        "ExternalSecret",
        "spec: {target: {name: made}, dataFrom: [{}], data: [{secretKey: token}]}",
        False,
    ),
    ("ExternalSecret", "spec: {target: {name: made, creationPolicy: Merge}, data: [{secretKey: token}]}", False),
    ("ExternalSecret", "spec: {target: {name: made, template: {data: {token: x}}}, data: [{secretKey: key}]}", True),
    (
        "ExternalSecret",
        "spec: {target: {name: made, template: {templateFrom: [{}]}}, data: [{secretKey: token}]}",
        False,
    ),
    ("SealedSecret", "spec: {template: {metadata: {name: made}}, encryptedData: {token: x}}", True),
    ("SealedSecret", "spec: {template: {metadata: {name: made}, data: {key: y}}, encryptedData: {token: x}}", False),
    ("SecretProviderClass", "spec: {secretObjects: [{secretName: made, data: [{key: token}]}]}", True),
    ("Certificate", "spec: {secretName: made}", False),
]


@pytest.mark.parametrize(("kind", "spec", "missing"), MADE)
def test_the_keys_of_a_made_secret_count_where_its_object_says_all(
    tmp_path: Path, kind: str, spec: str, missing: bool
) -> None:
    maker = f"apiVersion: x.io/v1\nkind: {kind}\nmetadata: {{name: a, namespace: fit}}\n{spec}\n---\n"
    text = found(tmp_path, maker, env=key("secret", "made", "key"))
    assert [each.finding.evidence["refers to"] for each in text] == ["Secret fit/made key"] * missing


def test_an_object_beside_a_job_that_says_no_namespace_may_be_in_the_same_one(tmp_path: Path) -> None:
    job = JOB.replace("name: fit, namespace: fit", "name: fit").replace("VOLUMES", "").replace("FROM", "")
    text = HELD + job.replace("ENV", key("secret", "far", "token"))
    (tmp_path / "all.yaml").write_text(text, encoding="utf-8")
    assert [each for each in check([tmp_path]).findings if each.finding.rule == "dangling-reference"] == []


def test_secrets_of_volumes_of_other_kinds_count(tmp_path: Path) -> None:
    for volume in ("csi: {driver: x, nodePublishSecretRef: {name: far}}", "azureFile: {shareName: x, secretName: far}"):
        (only,) = found(tmp_path, volumes=f"volumes: [{{name: v, {volume}}}]")
        assert "it is in other" in only.finding.message
