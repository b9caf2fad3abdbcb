"""The training operator's v1 kinds (W 2): PyTorchJob, TFJob, XGBoostJob, PaddleJob, JAXJob, MPIJob v1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.kube.values import read_int, read_text
from trainlint.launch.nodes import least_nodes
from trainlint.model.known import Known
from trainlint.model.operator import Operator
from trainlint.model.pod import ContainerPort, PodSpec
from trainlint.model.refuser import Refuser
from trainlint.model.workload import (
    EPHEMERAL,
    FIRST_ONLY,
    PER_POD,
    Flow,
    FlowKind,
    ObjectRef,
    PodSet,
    PortRange,
    Service,
    ServicePort,
)
from trainlint.source.document import Field
from trainlint.workload.expansion import Context, Expansion, is_template, named, pod_set
from trainlint.workload.flows import dns, maybe_many, rendezvous, tensorflow_flows
from trainlint.workload.kubeflow_v1_env import RankNames, with_v1_env
from trainlint.workload.kubeflow_v1_pods import as_mpi_launcher, as_rank, as_waiting_worker
from trainlint.workload.kueue_pod_sets import queued_roles
from trainlint.workload.stages import mpi_stages
from trainlint.workload.template_at import EACH_KEY, TemplateAt
from trainlint.workload.v1_table import V1_KINDS, V1Kind
from trainlint.workload.workload_kind import LONGEST_NAME, HostNames, WorkloadKind

__all__ = ["KINDS", "expand_v1"]

_PREFIX: Final = "training.kubeflow.org/"
_MANY: Final = 1024
"""Services are listed for at most this many pods of a role."""


@fact
class _Role:
    """A role with its pods and the port that its pods listen on."""

    name: str
    pods: PodSet
    port: int
    pod_name: str
    """The name of the pods and of their Services, ``{}`` for the number."""
    written: Known[int]
    """The number of pods that exist at first, each with a Service; an elastic role is judged at its minimum."""


def expand_v1(job: Field, owner: ObjectRef, context: Context) -> Expansion:
    """A v1 job: a role per entry of its map, a headless Service per pod, and what its framework needs."""
    del context
    kind = V1_KINDS[owner.kind]
    bare = tuple(_roles(job, owner, kind))
    pods = tuple(
        replace(found, spec=_as_run(role, found.spec, owner, kind, bare))
        for role, found in zip(
            bare,
            with_v1_env(job, owner.kind, [RankNames(role.pods, role.port, role.pod_name) for role in bare]),
            strict=True,
        )
    )
    roles = tuple(replace(role, pods=found) for role, found in zip(bare, pods, strict=True))
    services = () if owner.kind == "MPIJob" else tuple(_services(roles, owner, kind))
    ranks = frozenset(index for index, role in enumerate(roles) if role.name not in {"Launcher", "Evaluator"})
    flows = tuple(_flows(job, kind, roles))
    return Expansion(pods, flows, services, ranks=ranks if owner.kind != "TFJob" else frozenset(), training=True)


def _as_run(role: _Role, spec: PodSpec, owner: ObjectRef, kind: V1Kind, roles: Sequence[_Role]) -> PodSpec:
    """The pod spec of a role with what the operator adds beside variables."""
    if kind.launcher:
        is_launcher = role.name == kind.launcher
        return as_mpi_launcher(spec, role.pods.at, f"{owner.name}-launcher") if is_launcher else spec
    spec = as_rank(spec, kind.container, ContainerPort(role.port, kind.port_name))
    waits = kind.container == "pytorch" and role.name == "Worker" and any(each.name == "Master" for each in roles)
    return as_waiting_worker(spec, role.pods.at) if waits else spec


def _roles(job: Field, owner: ObjectRef, kind: V1Kind) -> Iterator[_Role]:
    written = dict(job.down("spec", kind.roles_at).items())
    has_first = any(name.lower() in {"master", "chief"} for name in written)
    elastic = job.down("spec", "elasticPolicy")
    for key, entry in written.items():
        name = next((role for role in kind.roles if role.lower() == key.lower()), key)
        template = entry["template"]
        if not is_template(template):
            continue
        replicas = read_int(entry["replicas"], 0 if (owner.kind, name) == ("MPIJob", "Worker") else 1)
        if replicas == 0 and name in kind.decides:
            replicas = 1
        wanted, most = replicas, None
        if name == "Worker" and elastic.mapping is not None:
            minimum, maximum = read_int(elastic["minReplicas"], -1), read_int(elastic["maxReplicas"], -1)
            most = maximum if isinstance(maximum, int) and maximum > 0 else None
            if isinstance(minimum, int) and isinstance(replicas, int) and 0 < minimum < replicas:
                replicas, most = minimum, max(most or 0, replicas)
        labels: dict[str, Known[str]] = {
            f"{_PREFIX}operator-name": f"{owner.kind.lower()}-controller",
            f"{_PREFIX}job-name": owner.name,
            f"{_PREFIX}replica-type": name.lower(),
        }
        one = owner.kind == "MPIJob" and name == "Launcher"
        if not one:
            labels[f"{_PREFIX}replica-index"] = PER_POD
        if _is_first(owner.kind, name, has_first=has_first):
            labels[f"{_PREFIX}job-role"] = "master"
        elif name == "Worker" and not has_first and owner.kind in {"PyTorchJob", "TFJob", "JAXJob"}:
            labels[f"{_PREFIX}job-role"] = "master" if replicas == 1 and most is None else FIRST_ONLY
        pod_name = f"{owner.name}-{name.lower()}" + ("" if one else "-{}")
        hostname = read_text(template.down("spec", "hostname")) or pod_name
        pods = pod_set(owner, name, replicas, template, entry.at, labels=labels, hostname=hostname, max_replicas=most)
        if isinstance(replicas, int) and isinstance(wanted, int) and replicas < wanted:
            pods = replace(pods, replicas=min(max(replicas, least_nodes(pods.spec)), wanted))
        yield _Role(name, pods, _port(pods, kind), pod_name, wanted)


def _is_first(kind: str, role: str, *, has_first: bool) -> bool:
    if kind == "MPIJob":
        return role == "Launcher"
    return role == "Master" or (kind == "TFJob" and role == "Chief" and has_first)


def _port(pods: PodSet, kind: V1Kind) -> int:
    """The port with the kind's name in the main container, else the kind's default, which the operator adds."""
    containers = pods.spec.containers
    main = next((container for container in containers if container.name == kind.container), containers[:1])
    declared = main.ports if not isinstance(main, tuple) else main[0].ports if main else ()
    return next((port.number for port in declared if port.name == kind.port_name), kind.port)


def _services(roles: tuple[_Role, ...], owner: ObjectRef, kind: V1Kind) -> Iterator[Service]:
    """A headless Service for each pod, with all ports of the container that the kind looks for (kf1-0022, kf1-0203)."""
    for role in roles:
        main = (each for each in role.pods.spec.containers if each.name == kind.container)
        ports = tuple(ServicePort(port.number, port.name) for each in main for port in each.ports)
        base = {
            key: value
            for key in ("operator-name", "job-name", "replica-type")
            if isinstance(value := role.pods.labels[_PREFIX + key], str)
        }
        selector = {f"{_PREFIX}{key}": value for key, value in base.items()}
        for index in range(min(role.written, _MANY) if isinstance(role.written, int) else 1):
            yield Service(
                ObjectRef("Service", owner.namespace, named(role.pod_name, index)),
                selector | {f"{_PREFIX}replica-index": str(index)},
                ports or (ServicePort(role.port),),
                headless=True,
                generated=True,
                at=role.pods.at,
            )


def _flows(job: Field, kind: V1Kind, roles: tuple[_Role, ...]) -> Iterator[Flow]:
    index = {role.name: number for number, role in enumerate(roles)}
    pod_sets = [role.pods for role in roles]
    if kind.container == "mpi":
        yield from _mpi_flows(index, pod_sets)
    elif kind.container == "tensorflow":
        members = [number for role, number in index.items() if role != "Evaluator"]
        port = PortRange(roles[members[0]].port, roles[members[0]].port) if members else EPHEMERAL
        if len(members) > 1 or (members and maybe_many(pod_sets[members[0]])):
            why = "the processes of TF_CONFIG call each other by gRPC"
            servers = {number for role, number in index.items() if role == "PS"}
            yield from tensorflow_flows(pod_sets, members, servers, port, why)
            for number in members:
                yield from dns(number, "TF_CONFIG names the other pods", pod_sets[number].at)
    elif (meeting := _meeting(job, kind, index)) is not None:
        written = read_int(job.down("spec", "elasticPolicy", "rdzvPort"), 0)
        number = written if isinstance(written, int) and written else roles[meeting].port
        yield from _meeting_flows(meeting, kind, roles, number)


def _meeting(job: Field, kind: V1Kind, index: dict[str, int]) -> int | None:
    """The role whose pod 0 is where ranks meet; a PyTorchJob without Master and elasticPolicy injects no address."""
    elastic = job.down("spec", "elasticPolicy")
    if kind.container == "pytorch" and elastic.mapping is not None:
        return None if elastic["rdzvHost"].present else index.get("Worker")
    if "Master" in index:
        return index["Master"]
    return index.get("Worker") if kind.container == "jax" else None


def _meeting_flows(meeting: int, kind: V1Kind, roles: tuple[_Role, ...], port: int) -> Iterator[Flow]:
    target = roles[meeting]
    host = named(target.pod_name)
    several = len(roles) > 1 or maybe_many(target.pods)
    if not several:
        return
    for number, role in enumerate(roles):
        at: Location = role.pods.at
        if number != meeting or maybe_many(role.pods):
            yield rendezvous(number, meeting, port, f"ranks meet at {host}:{port} ({kind.address})", at)
        yield from dns(number, f"{kind.address} is the name {host}", at)


def _mpi_flows(index: dict[str, int], pod_sets: list[PodSet]) -> Iterator[Flow]:
    """W 15.F6: the launcher starts ranks by ``kubectl exec``, not by ssh; the daemons connect back to it (W 15.F5b)."""
    if "Launcher" not in index or "Worker" not in index:
        return
    launcher, worker = index["Launcher"], index["Worker"]
    why = "each worker's MPI daemon connects back to mpirun"
    yield Flow(worker, launcher, "TCP", EPHEMERAL, FlowKind.RENDEZVOUS, why, pod_sets[worker].at)


TRAINING_OPERATOR: Final = Operator(
    "the training operator",
    webhooks=("*.training-operator.kubeflow.org",),
    configurations=("validator.training-operator.kubeflow.org",),
    services=("training-operator",),
    namespace="kubeflow",
)

KINDS: Final = tuple(
    WorkloadKind(
        group="kubeflow.org",
        name=name,
        expand=expand_v1,
        training=True,
        spec=("spec",),
        roles=("spec", facts.roles_at),
        main_container="" if facts.launcher else facts.container,
        name_limit=LONGEST_NAME,
        name_why="",
        label_checked_by=None if facts.launcher else Refuser.TRAINING_WEBHOOK,
        pod_names=facts.pod_names,
        job_name="",
        host_names=HostNames.OTHER,
        subdomain=(),
        launcher=facts.launcher,
        restarts=facts.restarts,
        restart_default=facts.restart_default,
        suspend=("spec", "runPolicy", "suspend"),
        by_pods=False,
        interchangeable=False,
        creates=(),
        waits=mpi_stages if facts.launcher else None,
        sets_dns_policy=bool(facts.launcher),
        mounts_shared_memory=False,
        ties=None,
        kai_minimum=facts.kai_minimum,
        queued=queued_roles(facts.roles_at, facts.queued),
        templates=(TemplateAt(("spec", facts.roles_at, EACH_KEY, "template"), lent=facts.lent),),
        operator=TRAINING_OPERATOR,
        version="v1",
    )
    for name, facts in V1_KINDS.items()
)
