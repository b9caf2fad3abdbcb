"""Images of one communicator that carry different releases of NCCL or torch (N 5)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from trainlint.fabric.fault import RoleFault
from trainlint.fabric.image import Versions, versions_of
from trainlint.fabric.process import Communicator, Rank
from trainlint.fabric.release import Release, write_release
from trainlint.fact import fact
from trainlint.finding import Certainty, Location

__all__ = ["MixedVersions", "RoleRelease", "VersionFault", "mixed_versions"]


@fact
class RoleRelease:
    """The release of a library that the image of a role carries."""

    pods: str
    release: str
    image: str


@fact
class MixedVersions:
    """Two roles of a group run different releases of a library."""

    group: str
    library: str
    first: RoleRelease
    second: RoleRelease


@fact
class VersionFault(RoleFault):
    """Different releases in one communicator; ``second_at`` is the image of the second role."""

    what: MixedVersions
    second_at: Location


def mixed_versions(communicator: Communicator) -> Iterator[VersionFault]:
    """The first two roles whose images are known to differ."""
    carried = [(rank, versions_of(rank.container.image)) for rank in communicator.ranks]
    for (one, left), (other, right) in combinations(carried, 2):
        if one.container.image == other.container.image:
            continue
        pair = _differing(left, right)
        if pair is None:
            continue
        library, first, second = pair
        what = MixedVersions(
            communicator.group.name,
            library,
            RoleRelease(one.pod_set.name, write_release(first), one.container.image),
            RoleRelease(other.pod_set.name, write_release(second), other.container.image),
        )
        at = _image(one)
        yield VersionFault(one.pod_set, at, "versions", what, _image(other), certainty=Certainty.LIKELY)
        return


def _differing(one: Versions, other: Versions) -> tuple[str, Release, Release] | None:
    """The library and its two releases; what one of the images does not tell is no difference."""
    for library, left, right in (("NCCL", one.nccl, other.nccl), ("torch", one.torch, other.torch)):
        if left is not None and right is not None and left != right:
            return library, left, right
    return None


def _image(rank: Rank) -> Location:
    return rank.container.at.child("image") if rank.container.at else rank.pod_set.at
