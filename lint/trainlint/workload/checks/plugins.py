"""Numbers that plugins of Volcano make of the tasks (W 8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Certainty, Location
from trainlint.launch.command import commands
from trainlint.launch.environment import Carrier, environment
from trainlint.launch.nodes import is_torch_launch
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.known import Undetermined
from trainlint.model.pod import Container
from trainlint.model.workload import PodSet, Workload
from trainlint.workload.checks.contract_fault import ContractFault
from trainlint.workload.flows import total
from trainlint.workload.volcano_plugins import VOLCANO_JOB, read_plugins

__all__ = ["WorldSize", "volcano_release", "world_sizes"]

_CONTROLLER: Final = lazy_pattern(r"/vc-controller-manager:v?(\d+)\.(\d+)\.(\d+)")
_LAST_TO_COUNT_ALL: Final = (1, 11, 2)


@fact
class WorldSize(ContractFault):
    """A release of Volcano counts tasks (``roles``) beside the ranks into WORLD_SIZE."""

    release: str
    roles: tuple[str, ...]
    job: str
    size: int
    ranks: int
    plugin_at: Location
    rank_roles: tuple[tuple[str, Location], ...]


def volcano_release(pod_sets: Iterable[PodSet]) -> tuple[int, int, int] | None:
    """The oldest release of Volcano's controller among the pods; ``None`` where none says it."""
    found = [
        (int(match[1]), int(match[2]), int(match[3]))
        for pods in pod_sets
        for container in pods.spec.containers
        if (match := _CONTROLLER.search(container.image)) is not None
    ]
    return min(found, default=None)


def world_sizes(workload: Workload, release: tuple[int, int, int] | None) -> Iterator[WorldSize]:
    """Tasks beside the ranks, which the pytorch plugin of old releases counts into WORLD_SIZE."""
    if workload.owner.kind != VOLCANO_JOB or release is None or release > _LAST_TO_COUNT_ALL:
        return
    written = workload.field.down("spec", "plugins")
    plugins = read_plugins(written)
    names = {plugins.option("pytorch", name, name) for name in ("master", "worker")}
    ranks = [pods for pods in workload.pod_sets if pods.role in names]
    others = [pods for pods in workload.pod_sets if pods.role not in names and pods.replicas != 0]
    if "pytorch" not in plugins or not ranks or not others or not any(map(_reads_size, ranks)):
        return
    all_pods, counted = total(pods.replicas for pods in workload.pod_sets), total(pods.replicas for pods in ranks)
    if isinstance(all_pods, Undetermined) or isinstance(counted, Undetermined):
        return
    yield WorldSize(
        others[0].at,
        ".".join(map(str, release)),
        tuple(pods.role for pods in others),
        workload.owner.name,
        all_pods,
        counted,
        written["pytorch"].at,
        tuple((pods.role, pods.at) for pods in ranks),
        certainty=Certainty.LIKELY,
    )


def _reads_size(pods: PodSet) -> bool:
    """Whether a rank takes WORLD_SIZE as the plugin sets it: torchrun sets its own, unless its nodes are told by it."""
    return any(_takes_size(container) for container in pods.spec.containers)


def _takes_size(container: Container) -> bool:
    variable = environment(container).get("WORLD_SIZE")
    if variable is not None and variable.carrier is not Carrier.OPERATOR:
        return False
    found = commands(container)
    if any("WORLD_SIZE" in word.text for command in found for word in command.words):
        return True
    return not any(map(is_torch_launch, found))
