"""Images of one communicator that carry different releases of NCCL or torch (N 5)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from trainlint.fabric.fault import NetworkFault
from trainlint.fabric.image import Versions, versions_of
from trainlint.fabric.process import Communicator, Rank
from trainlint.fabric.release import Release, write_release
from trainlint.finding import Certainty, Location

__all__ = ["mixed_versions"]


def mixed_versions(communicator: Communicator) -> Iterator[NetworkFault]:
    """The first two roles whose images are known to differ."""
    carried = [(rank, versions_of(rank.container.image)) for rank in communicator.ranks]
    for (one, left), (other, right) in combinations(carried, 2):
        if one.container.image == other.container.image:
            continue
        pair = _differing(left, right)
        if pair is None:
            continue
        library, first, second = pair
        yield NetworkFault(
            one.pod_set,
            f"the ranks of {communicator.group.name} run different releases of {library}: {one.pod_set.name} has "
            f"{write_release(first)} ({one.container.image}), {other.pod_set.name} {write_release(second)} "
            f"({other.container.image}); NCCL refuses unequal releases since 2.23, and hangs before",
            _image(one),
            "use one image in all roles",
            "versions",
            ((f"has {library} {write_release(second)} ({other.pod_set.name})", _image(other)),),
            {one.pod_set.name: one.container.image, other.pod_set.name: other.container.image},
            certainty=Certainty.LIKELY,
        )
        return


def _differing(one: Versions, other: Versions) -> tuple[str, Release, Release] | None:
    """The library and its two releases; what one of the images does not tell is no difference."""
    for library, left, right in (("NCCL", one.nccl, other.nccl), ("torch", one.torch, other.torch)):
        if left is not None and right is not None and left != right:
            return library, left, right
    return None


def _image(rank: Rank) -> Location:
    return rank.container.at.child("image") if rank.container.at else rank.pod_set.at
