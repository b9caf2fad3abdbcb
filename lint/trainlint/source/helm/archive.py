"""Packed charts (``charts/*.tgz``), unpacked in memory: regular files only, and never more than a limit."""

from __future__ import annotations

import gzip
import io
import posixpath
import tarfile
import zlib
from typing import TYPE_CHECKING, Final

from trainlint.source.helm.files import RefusedChartError

if TYPE_CHECKING:
    from typing import Self

__all__ = ["unpacked"]

MAX_FILES: Final = 20_000
MAX_HEADER: Final = 1 << 20
_EXTENDED: Final = (
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
)


class _Member(tarfile.TarInfo):
    """A member whose extended header is read into memory only if it is of a size that names have."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """The member of a header. Raises tarfile.ReadError where its extended header is too large."""
        made = super().frombuf(buf, encoding, errors)
        if made.type in _EXTENDED and made.size > MAX_HEADER:
            raise tarfile.ReadError(f"a header of more than {MAX_HEADER >> 20} MiB")
        return made


def unpacked(name: str, content: bytes, limit: int) -> dict[str, bytes]:
    """The files of a packed chart by their names in it (``common/Chart.yaml``), of ``limit`` bytes together at most.

    Raises:
        RefusedChartError: it is no archive, or holds too much.
    """
    found: dict[str, bytes] = {}
    left = limit
    try:
        # tarfile's own reader of gzip misreads the extra field that helm writes into the header before Python 3.12
        with (
            gzip.open(io.BytesIO(content)) as packed,
            tarfile.open(fileobj=packed, mode="r|", tarinfo=_Member) as archive,
        ):
            for member in archive:
                path = posixpath.normpath(member.name)
                if not member.isfile() or path.startswith(("/", "..")):
                    continue
                left -= member.size
                if left < 0 or len(found) >= MAX_FILES:
                    raise RefusedChartError(f"with {name} unpacked, there is too much of it")
                stream = archive.extractfile(member)
                if stream is not None:
                    found[path] = stream.read()
    except (tarfile.TarError, OSError, EOFError, zlib.error) as error:
        raise RefusedChartError(f"{name} is no packed chart: {error}", "run `helm dependency build` anew") from None
    return found
