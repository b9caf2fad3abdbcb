"""RayCluster and RayService (W 7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from trainlint.kube.values import read_int, read_text
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.known import Known, Undetermined
from trainlint.model.operator import Operator
from trainlint.model.refuser import Refuser
from trainlint.model.workload import (
    EPHEMERAL,
    PER_POD,
    Flow,
    FlowKind,
    ObjectRef,
    PodSet,
    PortRange,
)
from trainlint.source.document import Field
from trainlint.workload.accelerators import accelerators_of
from trainlint.workload.claims import with_claims
from trainlint.workload.domain_annotations import ray_ties
from trainlint.workload.expansion import Context, Expansion, is_template, pod_set
from trainlint.workload.flows import all_to_all, dns, maybe_many, product, rendezvous
from trainlint.workload.kai_minimum import minimum_of_ray_cluster
from trainlint.workload.kueue_pod_sets import queued_ray_cluster
from trainlint.workload.ray_env import head_variables, with_sidecars, with_waiting, worker_variables
from trainlint.workload.ray_services import cluster_services, service_services
from trainlint.workload.ray_spec import RayClusterSpec, random_name, suffixed
from trainlint.workload.template_at import ray_templates
from trainlint.workload.workload_kind import HostNames, PodNames, Restarts, WorkloadKind

__all__ = ["KINDS", "KUBERAY", "expand_ray_cluster", "expand_ray_service", "expand_ray_spec"]

_OPERATOR: Final = lazy_pattern(r"kuberay[-/]operator:v?(\d+)\.(\d+)")
_WORKER_PORTS: Final = PortRange(10002, 19999)
"""Where Ray's worker processes listen unless min-worker-port and max-worker-port say otherwise (W 7)."""


def expand_ray_cluster(cluster: Field, owner: ObjectRef, context: Context) -> Expansion:
    """A head and groups of workers."""
    return expand_ray_spec(RayClusterSpec(cluster["spec"], cluster, owner, owner.name), context)


def expand_ray_service(service: Field, owner: ObjectRef, context: Context) -> Expansion:
    """A cluster that serves: its replicas are ranks only where one of them spans several hosts."""
    which = "workers" if service.down("spec", "excludeHeadPodFromServeSvc").value is True else "all"
    spec = service.down("spec", "rayClusterConfig")
    cluster = RayClusterSpec(spec, service, owner, random_name(owner), multi_host_only=True, serving=which)
    found = expand_ray_spec(cluster, context)
    if not found.pod_sets:
        return found
    return replace(found, services=(*found.services, *service_services(cluster, found.pod_sets[0])))


def expand_ray_spec(cluster: RayClusterSpec, context: Context) -> Expansion:
    """The head, the worker groups, and the connections that Ray makes among them."""
    spec, owner = cluster.spec, cluster.owner
    head = spec["headGroupSpec"]
    if not is_template(head["template"]):
        return Expansion()
    pod_sets = [
        pod_set(
            owner,
            "head",
            1,
            head["template"],
            head.at,
            labels=_labels(cluster, head, "head", "headgroup"),
            env=head_variables(cluster),
            env_of=_ray_container(head),
        )
    ]
    pod_sets[0] = with_claims(with_sidecars(pod_sets[0], cluster), context.objects)
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
            env=worker_variables(cluster, group),
            env_of=_ray_container(group),
        )
        pods = with_claims(with_waiting(pods, cluster), context.objects)
        if accelerators_of(pods.spec) and (not cluster.multi_host_only or hosts != 1):
            ranks.add(len(pod_sets))
        pod_sets.append(pods)
    for number, group in enumerate(cluster.groups):
        pinned = _pinned(group)
        if pinned is not None and pod_sets[number].spec.listening is None:
            pod_sets[number] = replace(pod_sets[number], spec=replace(pod_sets[number].spec, listening=pinned))
    return Expansion(
        tuple(pod_sets),
        tuple(_flows(cluster, pod_sets)),
        tuple(cluster_services(cluster, pod_sets[0])),
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


def _ray_container(group: Field) -> str:
    """The name of the container that runs Ray: the first."""
    first = next(iter(group.down("template", "spec", "containers").elements()), group)
    return read_text(first["name"])


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
        "ray.io/identifier": suffixed(cluster.name, f"-{kind}"),
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
    fixed = [_managers(group) for group in cluster.groups]
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
        label_checked_by=Refuser.KUBERAY,
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
        ties=ray_ties,
        kai_minimum=minimum_of_ray_cluster,
        queued=queued_ray_cluster,
        templates=ray_templates(("spec",)),
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
        label_checked_by=Refuser.KUBERAY,
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
        ties=ray_ties,
        kai_minimum=None,
        queued=None,
        templates=ray_templates(("spec", "rayClusterConfig")),
        operator=KUBERAY,
    ),
)
