"""TrainJob of Kubeflow Trainer v2 (W 4): its runtime, the patches and the trainer section make a JobSet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import ceil
from typing import Any, Final

from trainlint.finding import Unknown
from trainlint.kube.values import read_int, read_text
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.operator import Operator
from trainlint.model.pod import Container, ContainerPort, PodSpec
from trainlint.model.quantity import QuantityError, parse_quantity
from trainlint.model.queued import QueuedPods
from trainlint.model.refuser import Refuser
from trainlint.model.workload import PER_POD, Flow, ObjectRef, PodSet
from trainlint.operators.shipped_runtimes import shipped_runtime
from trainlint.source.document import Field
from trainlint.workload.accelerators import accelerator_count, holds_accelerators
from trainlint.workload.expansion import Context, Expansion, injected, named, opened
from trainlint.workload.flows import dns, maybe_several, rendezvous, total
from trainlint.workload.ground import PodGround
from trainlint.workload.jobset import expand_job_set
from trainlint.workload.kueue_pod_sets import queued_job_set
from trainlint.workload.stages import job_set_stages
from trainlint.workload.trainer_mpi import mpi_job, processes
from trainlint.workload.trainer_places import written_places
from trainlint.workload.trainer_template import NODE, job_set_spec, launches_as_node, step_of
from trainlint.workload.workload_kind import HostNames, PodNames, Restarts, WorkloadKind

__all__ = ["KINDS", "expand_train_job", "job_set_of"]

_PORT: Final = 29500
_ADDRESS_VARIABLES: Final = {
    "torch": ("PET_MASTER_ADDR", "PET_MASTER_PORT", "PET_NODE_RANK", "PET_NNODES"),
    "jax": ("JAX_COORDINATOR_ADDRESS", "", "JAX_PROCESS_ID", "JAX_NUM_PROCESSES"),
    "xgboost": ("DMLC_TRACKER_URI", "DMLC_TRACKER_PORT", "DMLC_TASK_ID", "DMLC_NUM_WORKER"),
}
_OVERRIDES: Final = ("podSpecOverrides", "podTemplateOverrides")


def expand_train_job(job: Field, owner: ObjectRef, context: Context) -> Expansion:
    """The pods of the JobSet that the TrainJob becomes; without its runtime they are unknown."""
    spec = job["spec"]
    written, runtime = _runtime(spec["runtimeRef"], owner, context)
    if runtime is None:
        name = read_text(spec.down("runtimeRef", "name"))
        missing = (
            f"its pods: the runtime {name or '(none named)'} is neither in the repository nor one that is installed"
        )
        return Expansion(unknowns=(Unknown(str(owner), missing, "add the runtime to the repository", at=spec.at),))
    policy = runtime.get("mlPolicy")
    policy = policy if isinstance(policy, dict) else {}
    template = job_set_spec(spec, runtime, policy)
    expansion = expand_job_set(Field(job.document, job.path, {"spec": template}), owner, context)
    at = spec["trainer"].at if spec["trainer"].present else spec.at
    pod_sets = tuple(
        written_places(
            replace(found, at=at, template=at), job, written, template, launcher_is_node=launches_as_node(policy)
        )
        for found in expansion.pod_sets
    )
    steps = {read_text(Field(job.document, (), entry)["name"]): step_of(entry) for entry in template["replicatedJobs"]}
    trainers = [index for index, found in enumerate(pod_sets) if steps.get(found.role) == "trainer"]
    framework = next((name for name in ("torch", "mpi", "jax", "xgboost", "flux") if name in policy), "")
    if framework == "mpi":
        made = mpi_job(pod_sets, trainers, policy["mpi"], spec)
    elif framework in _ADDRESS_VARIABLES and spec["trainer"].present and trainers:
        made = _ranks(pod_sets, trainers[0], framework, owner, spec, processes(spec, policy.get("torch"), torch=True))
    elif framework == "flux" and trainers:
        made = _flux(pod_sets, trainers[0])
    else:  # without a trainer section nothing is injected: every pod is alone (W 4)
        made = Expansion(pod_sets)
    from trainlint.workload.trainer_gang import grouped, kai_gangs_of  # noqa: PLC0415 (seldom needed)

    members, gangs = grouped(runtime, made.pod_sets, owner, spec)
    return replace(
        expansion,
        pod_sets=tuple(_doubtful(found, spec) for found in members),
        gangs=gangs or kai_gangs_of(template, members, owner, spec["runtimeRef"].at),
        waits=job_set_stages(Field(job.document, job.path, template), members, spec["runtimeRef"].at),
        flows=made.flows,
        several_jobs=False,
        ranks=made.ranks or (expansion.ranks if framework == "" else frozenset()),
        unknowns=tuple(_override_unknowns(spec, owner)),
    )


def job_set_of(job: Field, owner: ObjectRef, context: Context) -> Field | None:
    """The JobSet that a TrainJob becomes; ``None`` where its runtime is not known."""
    spec = job["spec"]
    _, runtime = _runtime(spec["runtimeRef"], owner, context)
    if runtime is None:
        return None
    policy = runtime.get("mlPolicy")
    template = job_set_spec(spec, runtime, policy if isinstance(policy, dict) else {})
    return Field(job.document, job.path, {"spec": template})


def queued_train_job(job: Field, owner: ObjectRef, context: Context) -> Iterable[QueuedPods] | None:
    """The pod sets that Kueue makes of the JobSet that the TrainJob becomes; ``None`` where its runtime is not
    known.
    """
    made = job_set_of(job, owner, context)
    return None if made is None else queued_job_set(made, owner, context)


def _runtime(reference: Field, owner: ObjectRef, context: Context) -> tuple[Field | None, dict[str, Any] | None]:
    """The runtime's object where a document holds it, and its spec where it is known."""
    kind = read_text(reference["kind"]) or "ClusterTrainingRuntime"
    name = read_text(reference["name"])
    namespace = owner.namespace if kind == "TrainingRuntime" else ""
    found = context.objects.get(ObjectRef(kind, namespace, name))
    if found is not None:
        return found, found["spec"].mapping
    shipped = shipped_runtime(name) if kind == "ClusterTrainingRuntime" else None
    return None, dict(shipped["spec"]) if shipped else None


def _ranks(
    pod_sets: tuple[PodSet, ...], index: int, framework: str, owner: ObjectRef, spec: Field, processes: Known[str]
) -> Expansion:
    """Env of the container ``node``; the address uses the TrainJob's name as subdomain, whatever the runtime says."""
    address, port, rank, size = _ADDRESS_VARIABLES[framework]
    host = f"{owner.name}-{NODE}-0-0.{owner.name}"  # whatever the trainer's job and its subdomain are called (tj-0162)
    count = pod_sets[index].replicas
    meeting = f"{host}:{_PORT}" if not port else host
    env: dict[str, Known[str]] = {
        address: meeting,
        rank: PER_POD,
        size: count if isinstance(count, Undetermined) else str(count),
    }
    if port:
        env[port] = str(_PORT)
    if framework == "torch":
        env["PET_NPROC_PER_NODE"] = processes or _by_devices(pod_sets[index])
    if framework == "xgboost":
        env[size] = _times(count, processes, pod_sets[index])
    pod_spec = injected(_at_port(pod_sets[index].spec), env, pod_sets[index].at, NODE)
    trainer = spec["trainer"]
    for name, field in ((size, "numNodes"), ("PET_NPROC_PER_NODE", "numProcPerNode")):
        if name in env and trainer[field].present:
            pod_spec = _told_at(pod_spec, name, trainer[field])
    pods = replace(pod_sets[index], spec=pod_spec)
    flows: tuple[Flow, ...] = ()
    if maybe_several(count):
        why = f"ranks meet at {host}:{_PORT} ({address})"
        flows = (rendezvous(index, index, _PORT, why, pods.at), *dns(index, f"{address} is the name {host}", pods.at))
    return Expansion((*pod_sets[:index], pods, *pod_sets[index + 1 :]), flows, ranks=frozenset({index}))


def _at_port(spec: PodSpec) -> PodSpec:
    """The spec with the port where ranks meet; a port of this number that the user names loses its name (tj-0187)."""
    kept = (
        replace(each, ports=tuple(port for port in each.ports if port.number != _PORT)) if each.name == NODE else each
        for each in spec.containers
    )
    return opened(replace(spec, containers=tuple(kept)), (ContainerPort(_PORT),), NODE)


def _by_devices(pods: PodSet) -> Known[str]:
    """Where no number is given: "auto" with GPUs, else one process for each CPU that is asked for, or one."""
    container = next((each for each in pods.spec.containers if each.name == NODE), None)
    if container is None or holds_accelerators(container):
        return "auto"
    written = container.limits.get("cpu", container.requests.get("cpu", "1"))
    if isinstance(written, Undetermined):
        return written
    try:
        return str(ceil(parse_quantity(written)))
    except QuantityError:
        return Undetermined(Because(PodGround.CPU_QUANTITY))


def _times(count: Known[int], processes: Known[str], pods: PodSet) -> Known[str]:
    """Nodes times processes: GPUs of a node, else the number that is written, else one."""
    devices = total(accelerator_count(each) for each in pods.spec.containers if each.name == NODE)
    each: Known[int] = devices
    if isinstance(processes, Undetermined):
        return processes
    if devices == 0:
        each = int(processes) if processes.isdecimal() else 1
    if isinstance(count, Undetermined) or isinstance(each, Undetermined):
        return count if isinstance(count, Undetermined) else Undetermined(Because(PodGround.PROCESSES))
    return str(count * each)


def _told_at(spec: PodSpec, name: str, field: Field) -> PodSpec:
    """The spec whose injected variable stands where the user writes its value."""
    containers = tuple(
        replace(
            container,
            env=tuple(
                replace(entry, at=field.at) if entry.injected and entry.name == name else entry
                for entry in container.env
            ),
        )
        for container in spec.containers
    )
    return replace(spec, containers=containers)


def _flux(pod_sets: tuple[PodSet, ...], index: int) -> Expansion:
    """W 15.F14: brokers form a tree below the first pod, on 8050."""
    pods = pod_sets[index]
    installer = Container("flux-installer", made=True, at=pods.at)
    pods = replace(pods, spec=replace(pods.spec, init_containers=(*pods.spec.init_containers, installer)))
    pod_sets = (*pod_sets[:index], pods, *pod_sets[index + 1 :])
    if not maybe_several(pods.replicas):
        return Expansion(pod_sets)
    first = f"{named(pods.hostname)}.{pods.spec.subdomain}"
    flow = rendezvous(index, index, 8050, f"Flux brokers connect to {first}:8050 and to each other", pods.at)
    return Expansion(
        pod_sets, (flow, *dns(index, "brokers find each other by name", pods.at)), ranks=frozenset({index})
    )


def _doubtful(found: PodSet, spec: Field) -> PodSet:
    """Fields of older releases are pruned or obeyed, depending on the version: what they would set is not known."""
    parts = []
    for name in _OVERRIDES:
        for override in spec[name].elements():
            targets = [read_text(target["name"]) for target in override["targetJobs"].elements()]
            if found.role in targets:
                body = override["spec"] if name == "podTemplateOverrides" else override
                parts += [key for key, _ in body.items() if key != "targetJobs"]
    if not parts:
        return found
    return replace(found, spec=replace(found.spec, undetermined=(*found.spec.undetermined, *parts)))


def _override_unknowns(spec: Field, owner: ObjectRef) -> Iterator[Unknown]:
    for name in _OVERRIDES:
        if spec[name].present:
            yield Unknown(
                str(owner),
                f"whether {name} takes effect: Trainer 2.2 and later drop it",
                "move it to runtimePatches",
                at=spec[name].at,
            )
    nodes = read_int(spec.down("trainer", "numNodes"), 1)
    if isinstance(nodes, Undetermined):
        written = spec.down("trainer", "numNodes").scalar
        yield Unknown(str(owner), f"the number of nodes: numNodes is {written!r}", at=spec["trainer"].at)


TRAINER: Final = Operator(
    "Kubeflow Trainer",
    webhooks=("*.trainer.kubeflow.org",),
    configurations=("defaulter.trainer.kubeflow.org", "validator.trainer.kubeflow.org"),
    services=("kubeflow-trainer-controller-manager",),
    namespace="kubeflow-system",
    labels=(("app.kubernetes.io/name", "kubeflow-trainer"),),
)

KINDS: Final = (
    WorkloadKind(
        group="trainer.kubeflow.org",
        name="TrainJob",
        expand=expand_train_job,
        training=True,
        spec=("spec",),
        roles=(),
        main_container="",
        name_limit=63,
        name_why="",
        label_checked_by=Refuser.TRAIN_JOB_RULE,
        pod_names=PodNames.CHILD_JOBS,
        job_name="",
        host_names=HostNames.OTHER,
        subdomain=(),
        launcher="",
        restarts=Restarts.NONE,
        restart_default="",
        suspend=("spec", "suspend"),
        by_pods=False,
        interchangeable=False,
        creates=(("jobset.x-k8s.io", "JobSet"), ("batch", "Job")),
        waits=None,
        sets_dns_policy=False,
        mounts_shared_memory=False,
        ties=None,
        kai_minimum=None,
        queued=queued_train_job,
        templates=(),
        operator=TRAINER,
    ),
)
