"""Restart and clean-up policies that leave the survivors of a group waiting (W 2, 3, 5, 6, 8, 9; W 17.14).

A default, or what every example has, is a note.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from trainlint.finding import Append, Certainty, Fix, Location, Put, Severity
from trainlint.kube.values import is_placeholder, read_int, read_text
from trainlint.launch.command import commands
from trainlint.launch.environment import MPI_PROGRAMS, environment
from trainlint.launch.nodes import torch_setting
from trainlint.model.workload import PodSet, Workload
from trainlint.source.document import Field
from trainlint.workload.accelerators import accelerators_of
from trainlint.workload.checks.fault import Fault
from trainlint.workload.kinds import kind_of
from trainlint.workload.pod_manifest import field_at
from trainlint.workload.v1_table import V1_KINDS
from trainlint.workload.workload_kind import Restarts, WorkloadKind

__all__ = ["hanging_restarts"]

_SURVIVING: Final = frozenset({"ft_launcher", "hyperpodrun", "horovodrun", "ray"})
"""Launchers that start the ranks again by themselves when one of them has failed."""
_ENDING: Final = frozenset({"RestartJob", "AbortJob", "TerminateJob", "CompleteJob"})
_FIRST: Final = ("template",)
_FAILURES: Final = frozenset({"PodFailed", "*", "AnyEvent"})


def hanging_restarts(workload: Workload, ranks: Sequence[PodSet]) -> Iterator[Fault]:
    """What happens when one of the object's ranks fails, where the others then wait for it; nothing if elastic.

    ``ranks`` are the pod sets of the object that exchange data in one communicator of several pods.
    """
    if not ranks or _elastic(workload, ranks):
        return
    kind = kind_of(workload)
    if kind is None:
        return
    match kind.restarts:
        case Restarts.JOB:
            yield from _alone([workload.field.down(*kind.spec)], workload.owner.name)
        case Restarts.CHILD_JOBS:
            jobs = [field_at(workload, pods.at).down("template", "spec") for pods in ranks]
            yield from _alone(jobs, workload.owner.name)
        case Restarts.GROUP:
            yield from _leader_worker_set(workload)
        case Restarts.POLICIES:
            yield from _volcano(workload, kind, ranks)
        case Restarts.LAUNCHER:
            yield from _left_behind_by_mpi(workload, ranks)
        case Restarts.ROLES:
            yield from _kubeflow(workload, kind.restart_default, ranks)


def _elastic(workload: Workload, ranks: Sequence[PodSet]) -> bool:
    """Whether a rank that comes back joins a new round of the rendezvous with the others."""
    if workload.field.down("spec", "elasticPolicy").mapping is not None:
        return True
    for pods in ranks:
        for container in pods.spec.containers:
            variables = environment(container)
            for command in commands(container):
                nodes = torch_setting(command, variables, "nnodes")
                backend = torch_setting(command, variables, "rdzv-backend")
                if command.program in _SURVIVING or (nodes and nodes.text and ":" in nodes.text):
                    return True
                if backend and backend.text != "static":
                    return True
    return False


def _alone(jobs: Sequence[Field], name: str) -> Iterator[Fault]:
    """A failed pod of a Job is made again, alone, until backoffLimit is used up; 6 where none is written."""
    found = [job for job in jobs if _replaces(job)]
    if not found:
        return
    limit = found[0]["backoffLimit"]
    count = read_int(limit, 6)
    said = f"backoffLimit is {count}" if limit.present else "backoffLimit is not written, so it is 6"
    yield Fault(
        f"{said}: when one rank of {name} fails, its pod is made again, alone, and the others wait in a collective for "
        "the rank that is gone",
        limit.at,
        "set backoffLimit: 0, so that the whole Job fails and is started again as one",
        tuple(("has no backoffLimit of 0 either", each["backoffLimit"].at) for each in found[1:]),
        {"backoffLimit": str(count)},
        certainty=Certainty.LIKELY,
        severity=Severity.NOTE if count == 6 else None,
        fixes=(Fix(f"set backoffLimit: 0 on {name}", tuple(Put(job["backoffLimit"].at, 0, _FIRST) for job in found)),),
    )


def _replaces(job: Field) -> bool:
    limit = read_int(job["backoffLimit"], 6)
    if not isinstance(limit, int) or limit == 0:
        return False
    rules = [read_text(rule["action"]) for rule in job.down("podFailurePolicy", "rules").elements()]
    return "FailJob" not in rules


def _leader_worker_set(workload: Workload) -> Iterator[Fault]:
    written = workload.field.down("spec", "leaderWorkerTemplate", "restartPolicy")
    if read_text(written) == "None":
        yield Fault(
            f"restartPolicy None lets one pod of {workload.owner.name} restart alone, and the rest of its group waits "
            "for the rank that is gone",
            written.at,
            "use RecreateGroupOnPodRestart, which is the default",
            certainty=Certainty.LIKELY,
            fixes=(Fix("restart the group as one", (Put(written.at, "RecreateGroupOnPodRestart"),)),),
        )


def _volcano(workload: Workload, kind: WorkloadKind, ranks: Sequence[PodSet]) -> Iterator[Fault]:
    """Without a policy for it, the failure of one pod changes nothing for the others."""
    spec = workload.field.down(*kind.spec)
    if _ends(spec["policies"]) or any(map(_by_parameters, ranks)):
        return
    launcher = next((pods for pods in workload.pod_sets if _launches_mpi(pods)), None)
    if launcher is not None:
        yield from _left_by_launcher(workload, launcher, ranks)
        return
    open_ = [pods for pods in ranks if not _ends(field_at(workload, pods.at)["policies"])]
    if open_:
        yield Fault(
            f"nothing says what happens to {workload.owner.name} when a pod of {open_[0].role} fails: the others wait "
            "in a collective for the rank that is gone",
            spec["policies"].at,
            "add to policies: {event: PodFailed, action: RestartJob}, and the same for PodEvicted",
            tuple((f"has no policy either ({pods.role})", pods.at) for pods in open_[1:]),
            certainty=Certainty.LIKELY,
            severity=None if spec["policies"].present else Severity.NOTE,
            fixes=(
                Fix(
                    f"restart {workload.owner.name} as one when a pod fails or is evicted",
                    tuple(
                        Append(spec["policies"].at, {"event": event, "action": "RestartJob"}, ("tasks",))
                        for event in ("PodFailed", "PodEvicted")
                    ),
                ),
            ),
        )


def _by_parameters(pods: PodSet) -> bool:
    """Whether the pods train through parameter servers of TensorFlow: a failed worker keeps no other one waiting."""
    return any(
        "TF_CONFIG" in environment(container)
        or any(
            command.option("ps-hosts", "worker-hosts", "ps_hosts", "worker_hosts") for command in commands(container)
        )
        for container in pods.spec.containers
    )


def _launches_mpi(pods: PodSet) -> bool:
    return any(command.program in MPI_PROGRAMS for container in pods.spec.containers for command in commands(container))


def _left_by_launcher(workload: Workload, launcher: PodSet, ranks: Sequence[PodSet]) -> Iterator[Fault]:
    """mpirun ends with its ranks, and starts again where its pod does; the workers' sshd never ends by itself."""
    task = field_at(workload, launcher.at)
    again = read_text(task.down("template", "spec", "restartPolicy")) in {"", "OnFailure", "Always"}
    if again or _ends(task["policies"]) or not any(accelerators_of(pods.spec) for pods in ranks):
        return
    yield Fault(
        f"nothing says what happens to {workload.owner.name} when mpirun in {launcher.role} fails: the workers keep "
        "waiting for it with their GPUs",
        task["policies"].at,
        f"add to the policies of {launcher.role}: {{event: PodFailed, action: RestartJob}}",
        certainty=Certainty.LIKELY,
        severity=Severity.NOTE,
    )


def _ends(policies: Field) -> bool:
    for policy in policies.elements():
        events = {read_text(policy["event"]), *(read_text(each) for each in policy["events"].elements())}
        if not _FAILURES.isdisjoint(events) and read_text(policy["action"]) in _ENDING:
            return True
        if policy["exitCode"].present and read_text(policy["action"]) in _ENDING:
            return True
    return False


def _kubeflow(workload: Workload, default: str, ranks: Sequence[PodSet]) -> Iterator[Fault]:
    """A rank restarts alone (OnFailure), or fails and the others stay as they are (cleanPodPolicy None)."""
    policies = [(pods, field_at(workload, pods.at)["restartPolicy"]) for pods in ranks]
    alone = [(pods, at) for pods, at in policies if (read_text(at) or default) in {"OnFailure", "Always", "ExitCode"}]
    if alone:
        (first, written), *others = alone
        said = f"is {written.value}" if written.present else f"is not written, so it is {default}"
        yield Fault(
            f"restartPolicy of {first.name} {said}: a rank that fails starts again, alone, and cannot join the others, "
            "which wait in a collective for the rank that is gone",
            written.at,
            "set restartPolicy: Never and start the job again as one, or make it elastic with elasticPolicy",
            tuple((f"does the same ({pods.name})", at.at) for pods, at in others),
            {"restartPolicy": read_text(written) or default},
            certainty=Certainty.LIKELY,
            severity=Severity.NOTE if all((read_text(at) or default) == "OnFailure" for _, at in alone) else None,
            fixes=(
                Fix(
                    f"set restartPolicy: Never on {', '.join(pods.name for pods, _ in alone)}",
                    tuple(Put(at.at, "Never", ("template",)) for _, at in alone),
                ),
            ),
        )
        return
    policy, at = _clean_up(workload)
    if policy in {"", "None"}:
        said = "is None" if policy else "is not written, so it is None"
        yield Fault(
            f"cleanPodPolicy of {workload.owner.name} {said}: when one rank has failed and the job with it, the "
            "others keep running, and wait in a collective for the rank that is gone",
            at,
            "set runPolicy.cleanPodPolicy: Running",
            tuple((f"does not come back ({pods.name})", each.at) for pods, each in policies),
            {"cleanPodPolicy": policy or "None"},
            certainty=Certainty.LIKELY,
            severity=None if policy else Severity.NOTE,
            fixes=_cleaned(workload, at),
        )


def _cleaned(workload: Workload, at: Location) -> tuple[Fix, ...]:
    before = ("mpiReplicaSpecs", *(kind.roles_at for kind in V1_KINDS.values()))
    return (Fix(f"set cleanPodPolicy: Running on {workload.owner.name}", (Put(at, "Running", before),)),)


def _left_behind_by_mpi(workload: Workload, ranks: Sequence[PodSet]) -> Iterator[Fault]:
    """Workers run sshd, which never ends by itself: without a clean-up they keep their GPUs (W 3: None by default)."""
    policy, at = _clean_up(workload)
    if policy in {"", "None"} and any(accelerators_of(pods.spec) for pods in ranks):
        said = "is None" if policy else "is not written, so it is None"
        yield Fault(
            f"cleanPodPolicy of {workload.owner.name} {said}: when the launcher has ended or failed, the workers keep "
            "waiting for it with their GPUs",
            at,
            "set cleanPodPolicy: Running",
            evidence={"cleanPodPolicy": policy or "None"},
            certainty=Certainty.LIKELY,
            severity=None if policy else Severity.NOTE,
            fixes=_cleaned(workload, at),
        )


def _clean_up(workload: Workload) -> tuple[str, Location]:
    """The clean-up policy that counts; MPIJob v1 has it directly under spec (W 2)."""
    spec = workload.field["spec"]
    found = spec.down("runPolicy", "cleanPodPolicy")
    if not found.present and workload.api_version == "kubeflow.org/v1" and spec["cleanPodPolicy"].present:
        found = spec["cleanPodPolicy"]
    text = read_text(found)
    return ("set later" if is_placeholder(text) else text), found.at
