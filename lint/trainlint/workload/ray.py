"""RayCluster and RayService (W 7)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from trainlint.fact import fact
from trainlint.kube.pod import read_container
from trainlint.kube.values import is_placeholder, read_int, read_text
from trainlint.model.known import SYMBOL, Known, Undetermined
from trainlint.model.operator import Operator
from trainlint.model.workload import (
    EPHEMERAL,
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
from trainlint.workload.accelerators import accelerators_of
from trainlint.workload.claims import with_claims
from trainlint.workload.expansion import Context, Expansion, injected, is_template, pod_set
from trainlint.workload.flows import all_to_all, dns, maybe_many, rendezvous
from trainlint.workload.jobset import product
from trainlint.workload.workload_kind import HostNames, PodNames, Restarts, WorkloadKind

__all__ = [
    "KINDS",
    "KUBERAY",
    "RayClusterSpec",
    "expand_ray_cluster",
    "expand_ray_service",
    "expand_ray_spec",
    "random_name",
]

UNCUT: Final = 40
"""Names of at most so many characters stand whole at the beginning of the names and labels that KubeRay makes."""
_HEAD_PORTS: Final = {"gcs-server": 6379, "dashboard": 8265, "client": 10001, "serve": 8000, "metrics": 8080}
_OPERATOR: Final = re.compile(r"kuberay[-/]operator:v?(\d+)\.(\d+)")
_IN_POD: Final = Undetermined("it is read from the pod")
_OF_ALL: Final[dict[str, Known[str]]] = {
    "RAY_CLUSTER_NAME": _IN_POD,
    "RAY_CLUSTER_NAMESPACE": _IN_POD,
    "RAY_CLOUD_INSTANCE_ID": _IN_POD,
    "RAY_NODE_TYPE_NAME": _IN_POD,
    "KUBERAY_GEN_RAY_START_CMD": Undetermined("KubeRay makes the command line"),
    "RAY_USAGE_STATS_KUBERAY_IN_USE": "1",
    "RAY_DASHBOARD_ENABLE_K8S_DISK_USAGE": "1",
}
_OF_AUTOSCALER: Final = {"cpu": "500m", "memory": "512Mi"}
_AUTOSCALER_VARIABLES: Final[dict[str, Known[str]]] = {
    "RAY_CLUSTER_NAME": _IN_POD,
    "RAY_CLUSTER_NAMESPACE": _IN_POD,
    "RAY_HEAD_POD_NAME": _IN_POD,
    "KUBERAY_CRD_VER": "v1",
    "KUBERAY_GEN_AUTOSCALER_START_CMD": Undetermined("KubeRay makes the command line"),
}
_OF_HEAD: Final[dict[str, Known[str]]] = {"RAY_USAGE_STATS_EXTRA_TAGS": Undetermined("it names KubeRay's release")}
_WORKER_PORTS: Final = PortRange(10002, 19999)
"""Where Ray's worker processes listen unless min-worker-port and max-worker-port say otherwise (W 7)."""


@fact
class RayClusterSpec:
    """A RayClusterSpec with the name of its cluster, which only a RayCluster fixes.

    ``serving`` says which pods of a RayService take requests: ``all``, or ``workers``; empty for others.
    """

    spec: Field
    owner: ObjectRef
    name: Known[str]
    multi_host_only: bool = False
    submitted: bool = False
    serving: str = ""

    def parameter(self, name: str) -> int | None:
        """A port among the head's rayStartParams."""
        text = read_text(self.spec.down("headGroupSpec", "rayStartParams", name))
        return int(text) if text.isdecimal() and len(text) < 6 else None


def random_name(owner: ObjectRef) -> Undetermined:
    """The name of the cluster that a RayJob or RayService makes: its own with a random suffix. Of long names KubeRay
    cuts something off.
    """
    symbol = f"{owner.name[:UNCUT]}-{owner.kind.removeprefix('Ray').lower()}{SYMBOL}"
    prefix = f"{owner.name}-" if 0 < len(owner.name) <= UNCUT and not is_placeholder(owner.name) else ""
    return Undetermined("the RayCluster's name gets a random suffix", symbol, prefix)


def expand_ray_cluster(cluster: Field, owner: ObjectRef, context: Context) -> Expansion:
    """A head and groups of workers."""
    return expand_ray_spec(RayClusterSpec(cluster["spec"], owner, owner.name), context)


def expand_ray_service(service: Field, owner: ObjectRef, context: Context) -> Expansion:
    """A cluster that serves: its replicas are ranks only where one of them spans several hosts."""
    which = "workers" if service.down("spec", "excludeHeadPodFromServeSvc").value is True else "all"
    cluster = RayClusterSpec(
        service.down("spec", "rayClusterConfig"), owner, random_name(owner), multi_host_only=True, serving=which
    )
    return expand_ray_spec(cluster, context)


def expand_ray_spec(cluster: RayClusterSpec, context: Context) -> Expansion:
    """The head, the worker groups, and the connections that Ray makes among them."""
    spec, owner = cluster.spec, cluster.owner
    head = spec["headGroupSpec"]
    if not is_template(head["template"]):
        return Expansion()
    gcs = str(cluster.parameter("port") or 6379)
    pod_sets = [
        pod_set(
            owner,
            "head",
            1,
            head["template"],
            head.at,
            labels=_labels(cluster, head, "head", "headgroup"),
            env=_unset(head["template"], {"RAY_PORT": gcs, "RAY_ADDRESS": f"127.0.0.1:{gcs}", **_OF_ALL, **_OF_HEAD}),
            env_of=_ray_container(head),
        )
    ]
    pod_sets[0] = with_claims(_with_autoscaler(pod_sets[0], spec), context.objects)
    ranks = set() if cluster.multi_host_only or not accelerators_of(pod_sets[0].spec) else {0}
    for group in spec["workerGroupSpecs"].elements():
        if not is_template(group["template"]):
            continue
        hosts = read_int(group["numOfHosts"], 1)
        minimum, most = _count(group, elastic=spec["enableInTreeAutoscaling"].value is True)
        maximum = product(most, hosts) if most is not None else None
        pods = pod_set(
            owner,
            read_text(group["groupName"]) or f"worker-group-{len(pod_sets) - 1}",
            product(minimum, hosts),
            group["template"],
            group.at,
            labels=_labels(cluster, group, "worker", read_text(group["groupName"])),
            max_replicas=maximum if isinstance(maximum, int) else None,
            blocks=minimum,
            env={
                **_unset(group["template"], {"RAY_PORT": gcs, "RAY_ADDRESS": _head_address(cluster, gcs), **_OF_ALL}),
                "FQ_RAY_IP": _head_address(cluster, ""),
                "RAY_IP": f"{cluster.name}-head-svc" if isinstance(cluster.name, str) else cluster.name,
            },
            env_of=_ray_container(group),
        )
        pods = with_claims(pods, context.objects)
        if accelerators_of(pods.spec) and (not cluster.multi_host_only or hosts != 1):
            ranks.add(len(pod_sets))
        pod_sets.append(pods)
    for number, group in enumerate(_groups(cluster)):
        pinned = _pinned(group)
        if pinned is not None and pod_sets[number].spec.listening is None:
            pod_sets[number] = replace(pod_sets[number], spec=replace(pod_sets[number].spec, listening=pinned))
    return Expansion(
        tuple(pod_sets),
        tuple(_flows(cluster, pod_sets)),
        tuple(_services(cluster, pod_sets[0])),
        ranks=frozenset(ranks),
        policies=_policies(cluster, context),
        training=True,
    )


def _policies(cluster: RayClusterSpec, context: Context) -> tuple[Field, ...]:
    """What KubeRay isolates the cluster by; releases before 1.7 do not know the field."""
    if cluster.spec["networkPolicy"].mapping is None or _older(context, (1, 7)):
        return ()
    from trainlint.workload.ray_policies import ray_policies  # noqa: PLC0415 (seldom needed)

    dashboard = cluster.parameter("dashboard-port") or 8265
    return tuple(ray_policies(cluster.spec, cluster.owner, cluster.name, dashboard, submitted=cluster.submitted))


def _older(context: Context, release: tuple[int, int]) -> bool:
    """Whether the KubeRay operators in Git are all older than a release; false where Git holds none."""
    images = (
        read_text(container["image"])
        for ref, item in context.objects.items()
        if ref.kind == "Deployment"
        for container in item.down("spec", "template", "spec", "containers").elements()
    )
    found = [(int(match[1]), int(match[2])) for image in images if (match := _OPERATOR.search(image))]
    return bool(found) and max(found) < release


def _with_autoscaler(head: PodSet, spec: Field) -> PodSet:
    """The head with the sidecar that adds and removes workers, where the cluster has one; what it asks for counts."""
    if spec["enableInTreeAutoscaling"].value is not True:
        return head
    options = spec["autoscalerOptions"]
    written = options["resources"].value if options["resources"].present else {"limits": _OF_AUTOSCALER}
    entries = options["env"].value if isinstance(options["env"].value, list) else []
    field = Field(options.document, options.path, {"name": "autoscaler", "resources": written, "env": entries})
    spec_ = replace(head.spec, containers=(*head.spec.containers, read_container(field)))
    return replace(head, spec=injected(spec_, _AUTOSCALER_VARIABLES, head.at, "autoscaler"))


def _ray_container(group: Field) -> str:
    """The name of the container that runs Ray: the first."""
    first = next(iter(group.down("template", "spec", "containers").elements()), group)
    return read_text(first["name"])


def _unset(template: Field, env: dict[str, Known[str]]) -> dict[str, Known[str]]:
    """The variables that the user does not set: KubeRay leaves those alone that are there (W 7)."""
    containers = template.down("spec", "containers").elements()
    written = {read_text(entry["name"]) for container in containers for entry in container["env"].elements()}
    return {name: value for name, value in env.items() if name not in written}


def _head_address(cluster: RayClusterSpec, port: str) -> Known[str]:
    if not isinstance(cluster.name, str):
        return cluster.name
    host = f"{cluster.name}-head-svc.{cluster.owner.namespace}.svc.cluster.local"
    return f"{host}:{port}" if port else host


def _count(group: Field, *, elastic: bool) -> tuple[Known[int], Known[int] | None]:
    """Replicas of a group: clamped; with the autoscaler the minimum, at least one, and the maximum."""
    least, most = read_int(group["minReplicas"], 0), read_int(group["maxReplicas"], 2147483647)
    count = read_int(group["replicas"], 0)
    if isinstance(count, Undetermined) or isinstance(least, Undetermined) or isinstance(most, Undetermined):
        return next(value for value in (count, least, most) if isinstance(value, Undetermined)), None
    if elastic and most > 0:
        # with minReplicas 0 the smallest cluster that does any work has one worker
        return max(least, 1), most
    return min(max(count, least), most), None


def _labels(cluster: RayClusterSpec, group: Field, kind: str, name: str) -> dict[str, Known[str]]:
    labels: dict[str, Known[str]] = {
        "ray.io/is-ray-node": "yes",
        "ray.io/cluster": cluster.name,
        "ray.io/node-type": kind,
        "ray.io/group": name,
        "ray.io/identifier": f"{cluster.name}-{kind}" if isinstance(cluster.name, str) else cluster.name,
        "app.kubernetes.io/name": "kuberay",
        "app.kubernetes.io/created-by": "kuberay-operator",
    }
    written = {
        key: text for key, value in group.down("template", "metadata", "labels").items() if (text := value.scalar)
    }
    own = {key: text for key, value in group["labels"].items() if (text := value.scalar)}
    fixed = {"ray.io/cluster", "ray.io/node-type", "ray.io/group"}
    # the user's labels win, those of the group over those of the template (ray-0078), except for three
    labels.update({key: text for key, text in (written | own).items() if key not in fixed})
    if kind == "worker":
        labels["ray.io/worker-group-replica-index"] = PER_POD
        if read_int(group["numOfHosts"], 1) != 1:
            labels |= {"ray.io/worker-group-replica-name": PER_POD, "ray.io/replica-host-index": PER_POD}
    if cluster.serving:  # the head's label says whether it is healthy
        labels["ray.io/serve"] = "false" if kind == "head" and cluster.serving == "workers" else "true"
    return labels


def _flows(cluster: RayClusterSpec, pod_sets: Sequence[PodSet]) -> Iterator[Flow]:
    gcs = cluster.parameter("port") or 6379
    low, high = cluster.parameter("min-worker-port"), cluster.parameter("max-worker-port")
    processes = PortRange(low, high) if low and high and low <= high else _WORKER_PORTS
    for index, pods in enumerate(pod_sets[1:], start=1):
        yield rendezvous(index, 0, gcs, f"every Ray node joins the head's control store (port {gcs})", pods.at)
        yield from dns(index, "Ray workers look up the head's Service", pods.at)
    everyone = range(len(pod_sets))
    agents = "Ray's node and object managers listen on ports that the system picks"
    fixed = [_managers(group) for group in _groups(cluster)]
    for target, pods in enumerate(pod_sets):
        ports = fixed[target] if target < len(fixed) else ()
        for port in ports:
            why = f"Ray's node and object managers listen on port {port}"
            for source, caller in enumerate(pod_sets):
                if source != target or maybe_many(pods):
                    yield Flow(source, target, "TCP", PortRange(port, port), FlowKind.CALL, why, caller.at)
    free = [target for target in everyone if target >= len(fixed) or not fixed[target]]
    for flow in all_to_all(pod_sets, everyone, EPHEMERAL, FlowKind.CALL, agents):
        if flow.target in free:
            yield flow
    yield from all_to_all(
        pod_sets, everyone, processes, FlowKind.CALL, f"Ray's worker processes call each other on {processes}"
    )


def _groups(cluster: RayClusterSpec) -> list[Field]:
    """The head's group and those of the workers that make pods, in the order of the pod sets."""
    workers = cluster.spec["workerGroupSpecs"].elements()
    return [cluster.spec["headGroupSpec"], *(each for each in workers if is_template(each["template"]))]


def _managers(group: Field) -> tuple[int, ...]:
    """The ports of the node and the object manager where rayStartParams fix both."""
    texts = [read_text(group["rayStartParams"][name]) for name in ("node-manager-port", "object-manager-port")]
    ports = tuple(int(text) for text in texts if text.isdecimal() and 0 < int(text) < 65536)
    return ports if len(ports) == len(texts) else ()


def _pinned(group: Field) -> tuple[int, int] | None:
    """The range of Ray's own processes where rayStartParams fix all ports of a group."""
    texts = [read_text(group["rayStartParams"][name]) for name in ("min-worker-port", "max-worker-port")]
    if not _managers(group) or not all(text.isdecimal() for text in texts):
        return None
    low, high = map(int, texts)
    return (low, high) if 0 < low <= high < 65536 else None


def _services(cluster: RayClusterSpec, head: PodSet) -> Iterator[Service]:
    if not isinstance(cluster.name, str):
        return
    declared = [port for container in head.spec.containers[:1] for port in container.ports]
    ports = {port.name: port.number for port in declared} or _HEAD_PORTS
    group = cluster.spec["headGroupSpec"]
    own = group["headService"]
    name = read_text(own.down("metadata", "name")) or f"{cluster.name}-head-svc"
    followed = head.labels["app.kubernetes.io/name"]
    selector = {
        "ray.io/cluster": cluster.name,
        "ray.io/node-type": "head",
        # a template that has other values here cuts the Service from the head (ray-0079)
        "ray.io/identifier": f"{cluster.name}-head",
        "app.kubernetes.io/created-by": "kuberay-operator",
    } | ({"app.kubernetes.io/name": followed} if isinstance(followed, str) else {})
    headless = read_text(group["serviceType"]) in {"", "ClusterIP"} and not own.present
    yield Service(
        ObjectRef("Service", cluster.owner.namespace, name),
        selector,
        tuple(ServicePort(number, port) for port, number in ports.items()),
        headless=headless,
        publish_not_ready=headless,
        generated=True,
        at=head.at,
    )
    groups = cluster.spec["workerGroupSpecs"].elements()
    if any(read_int(each["numOfHosts"], 1) not in {0, 1} for each in groups):
        yield Service(
            ObjectRef("Service", cluster.owner.namespace, f"{cluster.name}-headless"),
            {"ray.io/cluster": cluster.name, "ray.io/node-type": "worker"},
            headless=True,
            publish_not_ready=True,
            generated=True,
            at=head.at,
        )


KUBERAY: Final = Operator(
    "KubeRay",
    webhooks=("[mv]ray*.kb.io",),
    configurations=("kuberay-mutating-webhook-configuration", "kuberay-validating-webhook-configuration"),
    services=("kuberay-webhook-service",),
    namespace="ray-system",
    labels=(("app.kubernetes.io/part-of", "kuberay-operator"),),
)

KINDS: Final = (
    WorkloadKind(
        group="ray.io",
        name="RayCluster",
        expand=expand_ray_cluster,
        training=True,
        spec=("spec",),
        roles=("spec",),
        main_container="",
        name_limit=53,
        name_why="",
        label_checked_by="KubeRay",
        pod_names=PodNames.RANDOM,
        job_name="",
        host_names=HostNames.OTHER,
        subdomain=(),
        launcher="",
        restarts=Restarts.NONE,
        restart_default="",
        suspend=("spec", "suspend"),
        by_pods=False,
        interchangeable=False,
        creates=(),
        waits=None,
        sets_dns_policy=False,
        mounts_shared_memory=True,
        operator=KUBERAY,
    ),
    WorkloadKind(
        group="ray.io",
        name="RayService",
        expand=expand_ray_service,
        training=True,
        spec=("spec",),
        roles=("spec", "rayClusterConfig"),
        main_container="",
        name_limit=47,
        name_why="",
        label_checked_by="KubeRay",
        pod_names=PodNames.RANDOM,
        job_name="",
        host_names=HostNames.OTHER,
        subdomain=(),
        launcher="",
        restarts=Restarts.NONE,
        restart_default="",
        suspend=(),
        by_pods=False,
        interchangeable=False,
        creates=(("ray.io", "RayCluster"),),
        waits=None,
        sets_dns_policy=False,
        mounts_shared_memory=True,
        operator=KUBERAY,
    ),
)
