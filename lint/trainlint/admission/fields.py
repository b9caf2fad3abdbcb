"""Checks of single fields that many kinds share. Each yields what the API server refuses, at the field.

Placeholders are silent, and so is a value of another type, which the schema tells.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from ipaddress import ip_address
from typing import Any, Final

from trainlint.admission.field_flaws import FieldFlaw
from trainlint.admission.flaws import PodFlaw
from trainlint.admission.name_syntax import rfc1123_subdomain
from trainlint.admission.plain_values import known, nearest, number
from trainlint.admission.problem import KUBERNETES, Problem
from trainlint.finding import Path
from trainlint.kube.values import is_placeholder
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because
from trainlint.model.quantity import QuantityError, milli

__all__ = [
    "PROFILES",
    "absolute_path",
    "address",
    "excludes",
    "field_name",
    "is_no_quantity",
    "lacks",
    "local_path",
    "milli_of",
]
__all__ += ["name", "no_steps_up", "one_of", "one_word", "refused", "since", "within", "word"]

PROFILES: Final = ("Localhost", "RuntimeDefault", "Unconfined")
"""Where a seccomp or AppArmor profile comes from."""
_LEADING_ZERO: Final = lazy_pattern(r"(?<![0-9a-fA-F:.])0+(?=[0-9])|(?<=\.)0+(?=[0-9])")

Form = Callable[[str], Because | None]


def field_name(path: Path) -> str:
    """The last two names of a path with what stands between them; of an element the last name and its number."""
    names = [index for index, step in enumerate(path) if isinstance(step, str)]
    if path and isinstance(path[-1], int):
        return ".".join(map(str, path[names[-1] if names else 0 :]))
    return ".".join(map(str, path[names[-2] if len(names) > 1 else 0 :]))


def since(release: tuple[int, int]) -> tuple[str, tuple[int, int]]:
    """The release of Kubernetes that is the first to refuse something."""
    return KUBERNETES, release


def refused(at: Path, flaw: FieldFlaw, *values: object, key: str = "", where: str = "", **more: Any) -> Problem:
    """A flaw of the field at a path; ``key`` is one that is missing there."""
    said = where or field_name(at)
    return Problem(at, Because(flaw, (said, *values)), f"{flaw.name} {said} {values}"[:200], lacks=key, **more)


def lacks(holder: Mapping[str, Any], at: Path, *keys: str) -> Iterator[Problem]:
    """Each field that must be there and is not, or is empty."""
    for key in keys:
        if not holder.get(key) and holder.get(key) != 0:
            yield refused(at, FieldFlaw.MISSING, key, key=key)


def name(holder: Mapping[str, Any], at: Path, key: str, form: Form = rfc1123_subdomain) -> Iterator[Problem]:
    """A name whose form is wrong."""
    given = known(holder.get(key))
    if given and (wrong := form(given)):
        yield refused((*at, key), FieldFlaw.NAME, given, wrong)


def word(holder: Mapping[str, Any], at: Path, key: str, words: Collection[str]) -> Iterator[Problem]:
    """A word that is none of those that the field takes."""
    yield from one_word(holder.get(key), (*at, key), key, words)


def one_word(value: Any, at: Path, said: str, words: Collection[str]) -> Iterator[Problem]:
    """A value that is none of some words; ``said`` is how the field is called."""
    given = known(value)
    if given and given not in words:
        near = nearest(given, words)
        yield Problem(at, Because(PodFlaw.WORD, (said, given, tuple(words), near)), f"{said} {given}")


def within(holder: Mapping[str, Any], at: Path, key: str, least: int, most: int) -> Iterator[Problem]:
    """A number outside of a range."""
    given = number(holder.get(key))
    if given is not None and not least <= given <= most:
        yield refused((*at, key), FieldFlaw.RANGE, given, least, most)


def excludes(holder: Mapping[str, Any], at: Path, key: str, other: str) -> Iterator[Problem]:
    """Two fields of which only one may be written."""
    if holder.get(key) and holder.get(other):
        first = ((Because(FieldFlaw.EXCLUDES, (other, key)), (*at, other)),)
        yield refused((*at, key), FieldFlaw.EXCLUDES, other, where=key, related=first)


def one_of(
    holder: Mapping[str, Any], at: Path, keys: Collection[str], *, empty: bool = False, **more: Any
) -> Iterator[Problem]:
    """A holder that has several of some fields, or none; ``empty`` says that none is taken too."""
    given = tuple(key for key in keys if holder.get(key) is not None)
    if len(given) > 1 or not (given or empty):
        yield refused(at, FieldFlaw.SEVERAL, given, tuple(keys), **more)


def no_steps_up(holder: Mapping[str, Any], at: Path, key: str) -> Iterator[Problem]:
    """A path with a step ``..``."""
    given = known(holder.get(key))
    if given and ".." in given.split("/"):
        yield refused((*at, key), FieldFlaw.PATH, given, "")


def local_path(holder: Mapping[str, Any], at: Path, key: str, *, reserved: bool = False) -> Iterator[Problem]:
    """A path that is absolute or has a step ``..``; ``reserved`` refuses one that only begins with these dots too."""
    given = known(holder.get(key))
    if not given:
        return
    if given.startswith("/") or ".." in given.split("/"):
        yield refused((*at, key), FieldFlaw.PATH, given, "relative")
    elif reserved and given.startswith(".."):
        yield refused((*at, key), FieldFlaw.UPWARD, given)


def absolute_path(holder: Mapping[str, Any], at: Path, key: str) -> Iterator[Problem]:
    """A path that does not begin at the root."""
    given = known(holder.get(key))
    if given and not given.startswith("/"):
        yield refused((*at, key), FieldFlaw.ABSOLUTE, given)


def address(value: Any, at: Path) -> Iterator[Problem]:
    """Text that is no IP address; leading zeros are a matter of newer releases and left open."""
    if not isinstance(value, str) or is_placeholder(value):
        return
    try:
        ip_address(_LEADING_ZERO.sub("", value))
    except ValueError:
        yield refused(at, FieldFlaw.ADDRESS, value)


def milli_of(amount: Any) -> int | None:
    """The amount in thousandths; ``None`` where it is unknown or no quantity."""
    if isinstance(amount, bool) or not isinstance(amount, (str, int, float)):
        return None
    text = str(amount)
    if is_placeholder(text):
        return None
    try:
        return milli(text)
    except QuantityError:
        return None


def is_no_quantity(amount: Any) -> bool:
    """Whether something that is written is surely no quantity: plain text, of which no tool makes another one."""
    if isinstance(amount, bool):
        return True
    if not isinstance(amount, str) or is_placeholder(amount) or not amount.strip():
        return False
    return amount[0].isdigit()
