"""GPUs that the device plugin offers several times: time slices and MPS (N 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.kube.values import read_int, read_text
from trainlint.model.known import Undetermined
from trainlint.model.pool import Pool
from trainlint.snapshot.objects import ApiObject
from trainlint.source.document import Field
from trainlint.source.embedded_document import embedded_document

__all__ = ["CONFIG_LABEL", "GpuSharing", "Shared", "claim_sharing", "read_sharing"]

CONFIG_LABEL = "nvidia.com/device-plugin.config"
_STRATEGY = "nvidia.com/gpu.sharing-strategy"
_PRODUCT = "nvidia.com/gpu.product"


@fact
class Shared:
    """Why the GPUs of a resource are shared, where that is said, and the part of that place.

    ``refused``: the device plugin allocates no more than one to a container (failRequestsGreaterThanOne).
    """

    why: str
    at: Location | None
    role: str
    refused: bool = False


@fact
class _Config:
    """One configuration of the device plugin: its name, and the resources that it multiplies; ``refusing`` says that it
    allocates no more than one of them to a container.
    """

    name: str
    resources: tuple[tuple[str, int, bool, Location], ...]
    refusing: bool = False


@fact
class GpuSharing:
    """The configurations of the device plugin in a snapshot."""

    configs: tuple[_Config, ...] = ()

    def of(self, resource: str, pools: tuple[Pool, ...] | None) -> Shared | None:
        """Why a resource is surely shared for pods that may land on these pools (``None``: unknown pools)."""
        if resource.endswith(".shared"):
            refused = bool(self.configs) and all(each.refusing for each in self.configs if each.resources)
            return Shared("the device plugin shares what it offers under this name", None, "", refused)
        if pools:
            found = [self._on(resource, pool) for pool in pools]
            return found[0] if all(each is not None for each in found) else None
        multiplied = [self._in(resource, config) for config in self.configs]
        return multiplied[0] if multiplied and all(each is not None for each in multiplied) else None

    def _on(self, resource: str, pool: Pool) -> Shared | None:
        strategy, product = pool.labels.get(_STRATEGY, ""), pool.labels.get(_PRODUCT, "")
        if strategy in {"time-slicing", "mps"} or product.endswith("-SHARED"):
            return Shared(f"the nodes of pool {pool.name} share their GPUs", pool.at, "shares its GPUs")
        if strategy == "none" or (product and not product.endswith("-SHARED")):
            return None
        chosen = pool.label(CONFIG_LABEL)
        if isinstance(chosen, Undetermined):
            return None
        named = [config for config in self.configs if config.name == chosen]
        if chosen is not None and named:
            return self._in(resource, named[0])
        if chosen is None and len(self.configs) == 1:
            return self._in(resource, self.configs[0])
        return next((self._in(resource, each) for each in self.configs if each.name == "default"), None)

    def _in(self, resource: str, config: _Config) -> Shared | None:
        for name, replicas, renamed, at in config.resources:
            if name == resource and replicas > 1 and not renamed:
                why = f"the device plugin offers each of them {replicas} times"
                return Shared(why, at, "shares the GPUs", config.refusing)
        return None


def read_sharing(objects: Iterable[ApiObject]) -> GpuSharing:
    """The device plugin's configurations: YAML in ConfigMaps, known by what it holds."""
    return GpuSharing(tuple(config for each in objects if each.meta.kind == "ConfigMap" for config in _configs(each)))


def _configs(item: ApiObject) -> Iterator[_Config]:
    data = item.field["data"]
    texts = [text for text in (data.mapping or {}).values() if isinstance(text, str)]
    if not any(word in text for text in texts for word in ("timeSlicing", "mps:", '"mps"')):
        return
    for key, value in data.items():
        root = embedded_document(value) if value.string is not None else None
        if root is None or root["version"].scalar != "v1":
            continue
        found, refusing = [], False
        for method in ("timeSlicing", "mps"):
            sharing = root.down("sharing", method)
            renamed = sharing["renameByDefault"].value is True
            refusing |= sharing.present and _refuses(method, sharing["failRequestsGreaterThanOne"])
            for entry in sharing["resources"].elements():
                replicas = read_int(entry["replicas"])
                if isinstance(replicas, int):
                    alias = renamed or entry["rename"].present
                    found.append((read_text(entry["name"]), replicas, alias, value.at))
        yield _Config(key, tuple(found), refusing)


def _refuses(method: str, stated: Field) -> bool:
    """Whether a request above one is refused: with MPS unless it is switched off, with time slices if it is switched on
    (NVIDIA/k8s-device-plugin: api/config/v1/config.go and internal/plugin/server.go at v0.17.0).
    """
    return stated.value is True or (method == "mps" and not stated.present)


def claim_sharing(claim: Field) -> tuple[str, Location] | None:
    """The strategy with which the pods that use a ResourceClaim share its GPUs, and where it stands; ``None`` where the
    claim names none (NVIDIA/k8s-dra-driver-gpu: api/nvidia.com/resource/v1beta1/sharing.go).
    """
    for each in claim.down("spec", "devices", "config").elements():
        strategy = each.down("opaque", "parameters", "sharing", "strategy")
        if read_text(each.down("opaque", "driver")) == "gpu.nvidia.com" and read_text(strategy) in {
            "TimeSlicing",
            "MPS",
        }:
            return read_text(strategy), strategy.at
    return None
