"""Which NCCL and torch an image carries, by its tag (N 5.1, 5.2)."""

from __future__ import annotations

import re
from typing import Final

from trainlint.fabric.release import Release, read_release
from trainlint.fact import fact
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.workload import PodSet

__all__ = ["Versions", "nccl_releases", "versions_of"]

_NCCL_OF_TORCH: Final = {
    "2.0.1": "2.14.3", "2.1.2": "2.18.1", "2.2.2": "2.19.3", "2.3.1": "2.20.5", "2.4.1": "2.20.5", "2.5.1": "2.21.5",
    "2.6.0": "2.21.5", "2.7.1": "2.26.2", "2.8.0": "2.27.3", "2.9.1": "2.27.5", "2.10.0": "2.27.5", "2.11.0": "2.28.9",
    "2.12.0": "2.29.7", "2.12.1": "2.29.7", "2.13.0": "2.29.7", "2.14.1": "2.30.7",
}  # fmt: skip
"""torch's default wheel; images for other CUDA releases may carry another build."""
_CUDA_OF_TORCH: Final = {
    "2.0.1": "11.7", "2.1.2": "12.1", "2.2.2": "12.1", "2.3.1": "12.1", "2.4.1": "12.1", "2.5.1": "12.4",
    "2.6.0": "12.4", "2.7.1": "12.6", "2.8.0": "12.8", "2.9.1": "12.8", "2.10.0": "12.8", "2.11.0": "13.0",
    "2.12.0": "13.0", "2.12.1": "13.0", "2.13.0": "13.0", "2.14.1": "13.0",
}  # fmt: skip
_NCCL_OF_NGC: Final = {
    "22.05": "2.12.10", "22.10": "2.15.5", "22.11": "2.15.5", "22.12": "2.15.5", "23.04": "2.17.1", "23.11": "2.19.3",
    "24.05": "2.21.5", "26.03": "2.29.7",
}  # fmt: skip
"""Months that are not here are not known: nothing is guessed between two others."""
_NGC: Final = lazy_pattern(
    r"^nvcr\.io/nvidia/(?:pytorch|tensorflow|mxnet|paddlepaddle|cuda-dl-base):(\d\d\.\d\d)(?:-|$)"
)
_TORCH: Final = lazy_pattern(
    r"(?:^|/)(?:pytorch/pytorch|pytorch-(?:training|inference)):(\d+\.\d+\.\d+)(?:-[^/]*?cu(?:da)?(\d\d)\.?(\d))?"
)
_NAMED_TORCH: Final = lazy_pattern(r"(?:py)?torch-?v?(\d+\.\d+\.\d+)(?![\d.])", re.IGNORECASE)
_NAMED_NCCL: Final = lazy_pattern(r"nccl[-_:]?v?(\d+\.\d+\.\d+)(?![\d.])", re.IGNORECASE)


@fact
class Versions:
    """The releases of NCCL and torch; ``None`` where the tag does not tell."""

    nccl: Release | None = None
    torch: Release | None = None


def versions_of(image: str) -> Versions:
    """What the image's name and tag say; a digest alone says nothing."""
    name = image.partition("@")[0]
    if match := _NGC.match(name):
        return Versions(_release(_NCCL_OF_NGC.get(match[1])))
    path, _, tag = name.rpartition(":")
    named = _NAMED_NCCL.search(tag) if path else None
    if match := _TORCH.search(name):
        release, cuda = match[1], f"{match[2]}.{match[3]}" if match[2] else ""
        default = _NCCL_OF_TORCH.get(release) if cuda == _CUDA_OF_TORCH.get(release) else None
        own = name.startswith(("pytorch/", "docker.io/pytorch/"))
        return Versions(_release(named[1] if named else default if own else None), _release(release))
    torch = _NAMED_TORCH.search(tag) if path else None
    return Versions(_release(named[1] if named else None), _release(torch[1] if torch else None))


def nccl_releases(pod_set: PodSet) -> list[Release | None]:
    """The release of NCCL in the image of each container of a pod set; ``None`` where the image does not tell."""
    return [versions_of(container.image).nccl for container in pod_set.spec.containers]


def _release(text: str | None) -> Release | None:
    return read_release(text) if text else None
