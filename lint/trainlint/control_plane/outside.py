"""Connections of workloads that end outside their pods: at the API server, and at stores that are named by URL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.control_plane.ground import ControlPlaneGround
from trainlint.control_plane.need import Names, Need, Purpose
from trainlint.control_plane.webhooks import API_SERVER
from trainlint.finding import Location
from trainlint.kube.values import is_placeholder
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because
from trainlint.model.known import Undetermined
from trainlint.model.pod import Container
from trainlint.model.workload import PodSet, Workload
from trainlint.policy import Endpoint, entity
from trainlint.workload.kinds import kind_of

__all__ = ["outside_needs"]

_URL: Final = lazy_pattern(
    r"(?:^|[\\s=,'\"])((?:s3|gs|gcs|abfss?|wasbs?|oss|hf|https)://([a-z0-9][a-z0-9.-]*[a-z0-9])(?::(\\d+))?[^\\s'\",;]*)"
)
_HTTPS: Final = 443
_ELSEWHERE: Final = ("endpoint", "proxy", "mirror")
"""Parts of the names of variables that may put something of the cluster between the pods and the store."""
_INSIDE: Final = (".svc", ".local", ".internal", ".lan", ".test")


def outside_needs(names: Names) -> Iterator[Need]:
    """What the workloads need beyond the pods in Git."""
    for workload in names.workloads:
        kind = kind_of(workload)
        for pods in workload.pod_sets:
            if pods.replicas == 0 or kind is None:
                continue
            if kind.group == "ray.io" and pods.role == "head" and _scales(workload):
                yield _api_server(names, workload, pods, Purpose.AUTOSCALER, pods.at)
            if pods.role.lower() == "launcher" and workload.api_version == "kubeflow.org/v1":
                yield _api_server(names, workload, pods, Purpose.REMOTE_SHELL, pods.at)
            if names.training(workload):
                yield from _stores(names, workload, pods)


def _scales(workload: Workload) -> bool:
    kind = kind_of(workload)
    return kind is not None and workload.field.down(*kind.roles)["enableInTreeAutoscaling"].value is True


def _ends(names: Names, *entities: str) -> tuple[Endpoint, ...]:
    return tuple(entity(each, names.snapshot.settings) for each in entities)


def _api_server(names: Names, workload: Workload, pods: PodSet, purpose: Purpose, at: Location) -> Need:
    """The port of the API server is not known: 443 of its Service, and mostly 443 or 6443 behind it."""
    return Need(
        source=f"{pods.namespace}/{pods.name}",
        sources=(names.end(pods),),
        target=None,
        port=0,
        purpose=purpose,
        at=at,
        owners=(workload.owner,),
        caller=pods,
        fatal=purpose is Purpose.REMOTE_SHELL,
        called=API_SERVER,
        ends=_ends(names, "kube-apiserver", "world"),
        assumes=Because(ControlPlaneGround.API_SERVER_ELSEWHERE),
    )


def _stores(names: Names, workload: Workload, pods: PodSet) -> Iterator[Need]:
    """The first store outside the cluster that the pods name, where nothing says that something stands between."""
    containers = (*pods.spec.containers, *pods.spec.init_containers)
    variables = [each.name.lower() for container in containers for each in container.env]
    if any(part in each for each in variables for part in _ELSEWHERE) or any(c.hidden_env for c in containers):
        return
    for container in containers:
        for carrier, text, at in _texts(container):
            for match in _URL.finditer(text):
                url, host, port = match[1], match[2], match[3]
                web = url.startswith("https")
                if is_placeholder(url) or (web and ("." not in host or host.endswith(_INSIDE))):
                    continue
                yield Need(
                    source=f"{pods.namespace}/{pods.name}",
                    sources=(names.end(pods),),
                    target=None,
                    port=int(port) if web and port else _HTTPS,
                    purpose=Purpose.URL,
                    at=at or pods.at,
                    owners=(workload.owner,),
                    caller=pods,
                    named=carrier,
                    value=url,
                    called=f"{url.partition('://')[0]}://{host}",
                    ends=_ends(names, "world"),
                )
                return


def _texts(container: Container) -> Iterator[tuple[str, str, Location | None]]:
    for variable in container.env:
        if isinstance(variable.value, str) and not variable.injected:
            yield variable.name, variable.value, variable.at
    for word in (*container.command, *container.args):
        if not isinstance(word, Undetermined):
            yield "", word, None
