"""The shared cases: what can be fixed is, what admits more is only shown, and nothing else changes."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from trainlint.engine.check import check
from trainlint.engine.request import Repairs
from trainlint.finding import Safety
from trainlint.fix.store import replace_file
from trainlint.model.known import Answer
from trainlint.result import FileChange, Result

CASES = Path(__file__).parents[1] / "cases"

SAFE = {
    # the object is refused as it is, or the line does nothing: nothing that works can change
    "expired-suppression--date-in-the-past": {"unquoted-string"},
    "invalid-extended-resource--request-without-limit": {"invalid-extended-resource"},
    "operator-env-overridden--master-port-of-a-pytorchjob": {"operator-env-overridden"},
    "rejected-object--depends-on-a-job-that-is-not-there": {"rejected-object"},
    "rejected-object--mount-of-a-misspelt-volume": {"rejected-object"},
    "rejected-object--queued-rayjob-keeps-its-cluster": {"rejected-object"},
    "rejected-object--success-of-a-job-that-is-not-there": {"rejected-object"},
    "rejected-object--suspended-rayjob-keeps-its-cluster": {"rejected-object"},
    "rejected-object--ttl-without-shutdown": {"rejected-object"},
    "unexpected-container-name--worker-of-a-pytorchjob": {"unexpected-container-name"},
    "unquoted-string--env-number-and-label-boolean": {"unquoted-string"},
    "unquoted-string--rank-count-in-a-variable": {"unquoted-string"},
}
"""The cases that ``--fix`` alone fixes, with the rules whose findings go."""

OPENING = {
    "cidr-never-matches-pods--pod-subnet-as-egress-peer": "law/cite/Master and law/cite/Worker among each other",
    "collective-ports-blocked--nodeport-range-mistaken-for-ephemeral": "the pods of recsys/dlrm/rank among each other "
    "on TCP 32768-60999",
    "collective-ports-blocked--only-the-master-port": "nlp/t5/Master and nlp/t5/Worker among each other on TCP "
    "32768-60999",
    "control-plane-flow-denied--head-and-its-store": "search/idx/head to search/gcs-redis on TCP 6379",
    "dns-egress-blocked--dns-selector-without-namespace": "text/ner/rank to the cluster's DNS on TCP and UDP 53",
    "dns-egress-blocked--egress-to-peers-only": "audio/asr/Master, audio/asr/Worker to the cluster's DNS on TCP and "
    "UDP 53",
    "dns-egress-blocked--label-of-the-program-not-of-the-pods": "nlp/bert/Master, nlp/bert/Worker to "
    "kube-system/coredns, the cluster's DNS on TCP and UDP 53",
    "dns-egress-blocked--redirected-to-the-cache-of-the-node": "nlp/bert/Master, nlp/bert/Worker to "
    "kube-system/node-local-dns, the cluster's DNS on TCP and UDP 53",
    "flow-denied--namespaces-shut-against-each-other": "train/embed to platform/rdzv on TCP 2379",
    "flow-denied--policy-beside-an-alternative": "the pods of default/elastic/Worker among each other on every port",
    "flow-denied--ranks-with-claimed-gpus": "the pods of nlp/tune among each other on every port",
    "flow-denied--scrape-allowed-ranks-forgotten": "speech/conformer/Master and speech/conformer/Worker among each "
    "other on every port",
    "flow-denied--store-named-by-the-wrong-key": "search/idx to search/meet on TCP 2379",
    "identity-excluded-label--completion-index-in-peer": "the pods of protein/fold among each other on every port",
    "identity-excluded-label--copied-labels-are-filtered-out": "the pods of vision/vit-jax/Worker among each other",
    "node-peer-is-not-pod--from-nodes-of-the-gpu-pool": "video/clip/Master and video/clip/Worker among each other",
    "service-port-in-policy--scrape-port-of-the-service": "monitoring/prometheus to bio/dock/Master, bio/dock/Worker "
    "on TCP 9400",
    "vacuous-peer--from-endpoints-rendered-empty": "ads/ctr/Chief and ads/ctr/Worker among each other on every port",
}
"""The cases whose repair admits more traffic, with the connections that it must say it opens: those that the group of
the case lacks, and no others. An entry that denies is meant (flow-denied--deny-beats-allow): nothing is offered there.
"""

UNSAFE = {
    "accelerator-shape-mismatch--time-sliced-gpus",
    "affinity-deadlock--coordinator-in-a-zone-without-gpus",
    "affinity-target-missing--a-template-may-make-the-target",
    "daemonset-misses-gpu-nodes--device-plugin",
    "dangling-reference--configmap-one-letter-off",
    "dangling-reference--depends-on-no-kustomization",
    "dangling-reference--key-that-the-configmap-lacks",
    "dangling-reference--priority-class-misspelt",
    "fixed-device-index--one-hca-name-for-every-virtual-function",
    "flow-denied--security-zones-by-static-label",
    "fqdn-peer-without-dns-rule--dns-allowed-without-rules",
    "fqdn-peer-without-dns-rule--dns-rule-for-other-pods",
    "gang-exceeds-pods--pod-group-larger-than-the-job",
    "gang-waits-for-later-pods--jobset-depends-on-ready",
    "gang-waits-for-later-pods--min-available-with-launcher",
    "gloo-interface-syntax--prefix-from-a-configmap",
    "gpu-taint-tolerated-without-gpu--cache-deployment",
    "headless-service-mismatch--service-has-another-name",
    "headless-service-mismatch--volcano-without-the-svc-plugin",
    "host-network-dns--master-by-service-name",
    "invalid-nccl-value--true-is-zero",
    "kueue-never-admits--cluster-queue-without-namespace-selector",
    "kueue-never-admits--one-flavor-misnamed",
    "kueue-never-admits--queue-in-a-misspelt-namespace",
    "mesh-sidecar-on-training--namespace-label",
    "mesh-sidecar-on-training--opt-out-on-the-wrong-object",
    "misplaced-field--claim-source-of-an-older-api",
    "misplaced-field--container-field-of-the-pod",
    "misplaced-field--run-policy-field-under-spec",
    "nccl-interface-loopback--exclusion-forgets-lo",
    "nccl-interface-loopback--one-setting-for-two-jobs",
    "nccl-interface-missing--networks-annotation-on-the-job",
    "no-matching-node--host-name-filled-in-later",
    "no-matching-node--misspelt-gpu-product",
    "no-matching-node--name-of-the-nodepool-misspelt",
    "no-viable-zone--before-and-after",
    "no-viable-zone--coordinator-left-in-cpu-zone",
    "no-viable-zone--four-zones-four-reasons",
    "no-viable-zone--near-a-store-that-takes-no-part",
    "policy-selects-nothing--one-letter-off",
    "policy-selects-nothing--selector-typo-keeps-the-ranks-apart",
    "queue-missed--kai-queue-and-another-scheduler",
    "queue-missed--kai-queue-as-annotation",
    "queue-never-admits--kai-parent-queue",
    "queue-never-admits--kai-queue-misspelt",
    "queue-never-admits--volcano-queue-with-children",
    "rdma-memlock--capability-forgotten",
    "rdma-on-some-roles--master-without-efa",
    "rdma-resource-missing--compute-domain-is-no-efa-device",
    "rdma-resource-missing--efa-provider-without-efa",
    "restart-policy-hangs--one-pod-of-a-job-replaced-alone",
    "scheduling-gate-committed--copied-from-a-live-pod",
    "shm-too-small--eight-gpus-and-the-default",
    "soft-colocation--preferred-pod-affinity",
    "split-across-zones--one-node-group-per-zone",
    "split-across-zones--two-eksctl-groups-in-an-open-world",
    "split-across-zones--two-nodepools-in-an-open-world",
    "split-cut-by-policy--cluster-wide-deny-over-networkpolicy",
    "split-cut-by-policy--coordinator-not-pinned",
    "split-cut-by-policy--egress-by-labels-copied-from-nodes",
    "split-cut-by-policy--from-nodes-of-one-zone",
    "split-cut-by-policy--preferred-affinity-is-no-wall",
    "spread-unsatisfiable--tainted-control-plane-counts",
    "spread-unsatisfiable--tainted-zone",
    "spread-used-as-colocation--does-nothing-in-one-zone",
    "spread-used-as-colocation--hard-spread-forces-a-split",
    "stranded-by-affinity--small-zone-takes-the-first-worker",
    "stranded-by-affinity--workers-follow-a-free-coordinator",
    "unknown-nccl-variable--words-in-the-wrong-order",
    "unquoted-string--rank-count-in-a-variable",
    "untolerated-taint--kind-adds-no-toleration",
    "untolerated-taint--kind-config-beside-an-inventory",
    "untolerated-taint--mpi-workers-only",
    "untolerated-taint--no-execute-twin",
    "untolerated-taint--nodes-of-another-cloud",
    "untolerated-taint--platform-not-known",
    "untolerated-taint--platform-shown-by-node-labels",
    "untolerated-taint--taint-of-an-eksctl-group",
    "untolerated-taint--taint-of-the-only-gpu-nodepool",
    "unused-fabric--nodes-offer-efa",
    "unused-fabric--nvlink-channel-only",
    "verbose-debug-committed--trace",
    "zone-label-contradicts-placement--moved-but-still-labelled",
}
"""The cases that ``--fix --unsafe-fixes`` fixes beside those of ``SAFE``."""

ALL = sorted(path for path in CASES.glob("*/*--*") if not (path / "base").is_dir())


@pytest.fixture(params=ALL, ids=lambda path: path.name)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    root = tmp_path / "repository"
    shutil.copytree(request.param, root, ignore=shutil.ignore_patterns("case.yaml"))
    return request.param.name, root


def contents(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def apply(root: Path, repairs: Repairs) -> Result:
    """What ``--fix`` does: look, write."""
    result = check([root], repairs=repairs)
    assert result.failures == ()
    for change in result.changes:
        replace_file(Path(result.root), change.file, change.before, change.after)
    return result


def keys(result: Result) -> set[tuple[str, str]]:
    return {(each.finding.rule, each.finding.message) for each in result.findings}


def replayed(change: FileChange) -> bytes:
    """The content after the text edits alone, made without any knowledge of documents."""
    lines = change.before.decode("utf-8-sig").split("\n")
    text = change.before.decode("utf-8-sig")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    for edit in sorted(change.edits, key=lambda each: each.span.line, reverse=True):
        start = starts[edit.span.line - 1] + edit.span.column - 1
        end = min(starts[edit.span.end_line - 1] + edit.span.end_column - 1, len(text))
        text = text[:start] + edit.text + text[end:]
    mark = b"\xef\xbb\xbf" if change.before.startswith(b"\xef\xbb\xbf") else b""
    return mark + text.encode()


def unchanged_but(before: Mapping[str, bytes], after: Mapping[str, bytes], result: Result) -> None:
    """Every file is what it was, but for the lines that the edits name."""
    assert before.keys() == after.keys()
    changed = {change.file: change for change in result.changes}
    for name, content in after.items():
        if name in changed:
            assert content == replayed(changed[name]) == changed[name].after
        else:
            assert content == before[name]


def test_every_case_with_a_repair_is_known(case: tuple[str, Path]) -> None:
    name, root = case
    result = check([root], repairs=Repairs.EACH)
    found = {each.safety for each in result.repairs or ()}
    expected = {
        safety
        for safety, names in ((Safety.SAFE, SAFE), (Safety.UNSAFE, UNSAFE), (Safety.OPENING, OPENING))
        if name in names
    }
    assert found == expected


def test_unsafe_fixes_end_the_findings_bring_no_others_and_touch_nothing_else(case: tuple[str, Path]) -> None:
    name, root = case
    first, before = check([root]), contents(root)
    result = apply(root, Repairs.ALL)
    unchanged_but(before, contents(root), result)
    again = check([root])
    fixed = {each for repair in result.repairs or () for each in repair.fixes}
    assert bool(result.changes) == (name in UNSAFE | SAFE.keys())
    assert not {each.finding.id for each in again.findings} & fixed
    left_behind = {text for repair in result.repairs or () for text in repair.leaves}
    new = keys(again) - keys(first)
    assert {rule for rule, _ in new} <= {text.partition("[")[2].partition("]")[0] for text in left_behind} | {
        rule for rule, _ in keys(first)
    }
    assert len(again.findings) <= len(first.findings) - len(fixed) + len(left_behind)
    if result.changes:  # what was fixed once stays as it is
        after = contents(root)
        assert apply(root, Repairs.ALL).changes == ()
        assert contents(root) == after


def test_fix_alone_fixes_only_what_cannot_work_as_it_is(case: tuple[str, Path]) -> None:
    name, root = case
    first, before = check([root]), contents(root)
    result = apply(root, Repairs.SAFE)
    assert {each.safety for each in result.repairs or ()} <= {Safety.SAFE}
    assert bool(result.changes) == (name in SAFE)
    unchanged_but(before, contents(root), result)
    again = check([root])
    gone = {each.finding.rule for each in first.findings} - {each.finding.rule for each in again.findings}
    assert gone >= SAFE.get(name, set())
    worth = {Answer.REFUTED: 0, Answer.UNKNOWN: 1, Answer.CONDITIONAL: 2, Answer.PROVED: 3}
    for one, other in zip(first.groups, again.groups, strict=True):  # a refused object that is fixed may run now
        assert one.name == other.name
        assert worth[one.exists] <= worth[other.exists]


@pytest.mark.parametrize("name", sorted(OPENING))
def test_what_admits_more_traffic_is_shown_with_what_it_opens_and_never_applied(name: str, tmp_path: Path) -> None:
    root = tmp_path / "repository"
    (folder,) = CASES.glob(f"*/{name}")
    shutil.copytree(folder, root, ignore=shutil.ignore_patterns("case.yaml"))
    shown = [each for each in check([root], repairs=Repairs.EACH).repairs or () if each.safety is Safety.OPENING]
    assert OPENING[name] in "; ".join(text for each in shown for text in each.opens)
    before = contents(root)
    apply(root, Repairs.ALL)
    touched = {change.file for repair in shown for change in repair.changes}
    assert touched
    assert all(contents(root)[each] == before[each] for each in touched)


def test_a_missing_allow_is_a_small_policy_beside_the_job(tmp_path: Path) -> None:
    """The default deny of all states stays; the job's own file gets a policy about its pods, without a namespace as
    the job has none, for ingress only, as that is what is shut.
    """
    root = tmp_path / "repository"
    (folder,) = CASES.glob("*/flow-denied--policy-beside-an-alternative")
    shutil.copytree(folder, root, ignore=shutil.ignore_patterns("case.yaml"))
    (repair,) = (each for each in check([root], repairs=Repairs.EACH).repairs or () if each.safety is Safety.OPENING)
    (change,) = repair.changes
    assert change.file == "team/job.yaml"
    assert change.after.startswith(change.before)
    ranks = {"matchLabels": {"training.kubeflow.org/job-name": "elastic"}}
    assert yaml.safe_load(change.after[len(change.before) :]) == {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": "elastic"},
        "spec": {
            "podSelector": ranks,
            "policyTypes": ["Ingress"],
            "ingress": [{"from": [{"podSelector": ranks}]}],
        },
    }


@pytest.mark.needs("git")
@pytest.mark.parametrize("folder", sorted(CASES.glob("policy/policy-loosened--*")), ids=lambda path: path.name)
def test_what_a_change_loosened_is_never_called_fixed(folder: Path, tmp_path: Path) -> None:
    """The rule compares with the base revision, which no trial does: only people can take a change back."""
    root = tmp_path / "repository"
    shutil.copytree(folder / "base", root)
    identity = ("-c", "user.name=case", "-c", "user.email=case@example.invalid")
    for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "base")):
        subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)
    shutil.copytree(folder / "head", root, dirs_exist_ok=True)
    result = check([root], base="HEAD", repairs=Repairs.EACH)
    loosened = {each.finding.id for each in result.findings if each.finding.rule == "policy-loosened"}
    assert not loosened & {each for repair in result.repairs or () for each in repair.fixes}
