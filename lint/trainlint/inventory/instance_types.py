"""Instance types of cloud providers: what a node of a type has, and what of it pods can surely use.

The tables under ``tables/`` name their sources; where these disagree, both numbers stand there (``23..24``). What a
kubelet leaves to pods depends on the image and the provider's settings, so it is given as a cautious amount
(``allocatable``) and the most that it can be (``ceiling``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cache
from importlib.resources import files
from typing import Final

from trainlint.fact import fact
from trainlint.inventory.ground import PoolGround
from trainlint.kube.spelling import only_meant
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined

__all__ = [
    "ACCELERATORS",
    "ALLOCATABLE_LEFT_OPEN",
    "PROVIDERS",
    "InstanceType",
    "instance_type",
    "instance_types",
    "meant_accelerator",
]

ACCELERATORS: Final = (
    "amd.com/gpu",
    "aws.amazon.com/neuron",
    "aws.amazon.com/neuroncore",
    "aws.amazon.com/neurondevice",
    "google.com/tpu",
    "habana.ai/gaudi",
    "nvidia.com/gpu",
)
"""Resources of accelerators that are whole devices: a type that is not listed with any has none."""

ALLOCATABLE_LEFT_OPEN: Final = ("ephemeral-storage", "hugepages-1Gi", "hugepages-2Mi")
"""What a node has of these is decided by its disks and its image, not by its type."""

PROVIDERS: Final = ("aws", "azure", "coreweave", "gcp", "nebius", "oci")
"""Those of whose machines there is a table."""

_MAX_PODS: Final = 110


def meant_accelerator(name: str) -> str:
    """The accelerator of which a resource is probably a misspelt name (``nvidia.com/gpus``); empty where it is none.

    A longer word of its own (``nvidia.com/pgpu``) is the name of another device.
    """
    meant = "" if name in ACCELERATORS or "/" not in name else only_meant(name, ACCELERATORS)
    return "" if name.endswith(meant.rpartition("/")[2] or name) else meant


@fact
class InstanceType:
    """A machine: vCPUs, memory in MiB, architecture, the name of its accelerators ("" for none), and its devices.

    Where sources disagree, these are the largest numbers, and ``allocatable`` rests on the smallest.
    """

    name: str
    cpus: int
    memory: int
    arch: str
    accelerator: str = ""
    devices: Mapping[str, int] = field(default_factory=dict)
    allocatable: Mapping[str, Known[str]] = field(default_factory=dict)
    ceiling: Mapping[str, str] = field(default_factory=dict)


def instance_type(provider: str, name: str) -> InstanceType | None:
    """A type of one of the ``PROVIDERS`` by its name; ``None`` where the table does not hold it."""
    row = _table(provider).get(name)
    return None if row is None else _read(provider, row)


@cache
def instance_types(provider: str) -> tuple[InstanceType, ...]:
    """All types of one of the ``PROVIDERS``."""
    return tuple(_read(provider, row) for row in _table(provider).values())


@cache
def _table(provider: str) -> Mapping[str, str]:
    table = files("trainlint.inventory") / "tables" / f"{provider}.tsv"
    lines = table.read_text(encoding="utf-8").splitlines() if table.is_file() else []
    return {line.partition("\t")[0]: line for line in lines if not line.startswith("#")}


def _read(provider: str, row: str) -> InstanceType:
    name, cpus, memory, cpu, left, pods, arch, accelerator, devices = row.split("\t")
    amounts = {} if devices == "-" else dict(each.split("=") for each in devices.split(","))
    least, _, cpus = cpus.rpartition("..")
    surely, most = int(memory), int(memory)
    cpu_most = f"{cpus}000m"
    if left != "-":
        surely, cpu_most = int(left), cpu
    else:
        cpu, surely, pods = _left_of_cpu(int(least or cpus)), _left_of_memory(int(memory)), str(_MAX_PODS)
    allocatable: dict[str, Known[str]] = {"cpu": cpu, "memory": f"{surely}Mi", "pods": pods}
    allocatable.update(dict.fromkeys(ACCELERATORS, "0"))
    allocatable.update({key: amount.partition("..")[0] for key, amount in amounts.items() if key in ACCELERATORS})
    disputed = {key: amount.rpartition("..")[2] for key, amount in amounts.items() if ".." in amount}
    for key in ALLOCATABLE_LEFT_OPEN:
        allocatable[key] = Undetermined(Because(PoolGround.MACHINE_AMOUNT, (key, name)))
    for key in amounts:
        if key not in ACCELERATORS:
            allocatable[key] = Undetermined(Because(PoolGround.MACHINE_PLUGIN, (key, name)))
    return InstanceType(
        name,
        int(cpus),
        int(memory),
        arch,
        "" if accelerator == "-" else accelerator,
        {key: int(amount.rpartition("..")[2]) for key, amount in amounts.items()},
        allocatable,
        {"cpu": cpu_most, "memory": f"{most}Mi", **disputed},
    )


def _left_of_cpu(cpus: int) -> str:
    """What the strictest of the providers leaves. GKE and EKS keep 6 percent of the first core, 1 of the second, 0.5 of
    two more and 0.25 of the rest; AKS 140m of 4 cores and 10m of each more up to 64 (learn.microsoft.com: Node resource
    reservations), which is more from 2 cores on.
    """
    of_google = 60 + 10 * (cpus > 1) + 5 * min(max(cpus - 2, 0), 2) + 2.5 * max(cpus - 4, 0)
    of_azure = {1: 60, 2: 100, 3: 120}.get(cpus, 100 + 10 * min(cpus, 64))
    return f"{int(cpus * 1000 - max(of_google, of_azure))}m"


def _left_of_memory(memory: int) -> int:
    """What the strictest of the providers leaves (GKE, old AKS): 25 percent of the first 4 GiB are kept, 20 of the
    next 4, 10 of the next 8, 6 of the next 112, 2 of the rest, and 750 MiB before pods are evicted; and 3 percent are
    lost to the hypervisor and the kernel.
    """
    kept, left = 750.0 + memory * 0.03, float(memory)
    for size, share in ((4096, 0.25), (4096, 0.2), (8192, 0.1), (114688, 0.06), (float("inf"), 0.02)):
        part = min(left, size)
        kept += part * share
        left -= part
    return max(int(memory - kept), 0)
