"""Parse events of one document: libyaml's, which go-yaml v2 is a translation of; without libyaml, ruamel.yaml's."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Any, Final

from trainlint.lazy_pattern import lazy_pattern

__all__ = ["KINDS", "AliasError", "EventKind", "TooDeepError", "TooManyDigitsError", "YamlError", "content_events"]


class EventKind(IntEnum):
    """The events that hold content; all others are markers of the stream."""

    SCALAR = 1
    ALIAS = 2
    SEQUENCE_START = 3
    SEQUENCE_END = 4
    MAPPING_START = 5
    MAPPING_END = 6


class YamlError(Exception):
    """The text is no YAML that Kubernetes reads; ``index`` is the character at which that shows."""

    def __init__(self, message: str, index: int) -> None:
        super().__init__(message)
        self.message = message
        self.index = index


class TooDeepError(YamlError):
    """The document is nested deeper than this linter reads: no mistake, as Kubernetes' own limit is 10,000 levels."""

    what = "it is nested deeper than this linter reads (128 levels)"

    def __init__(self, index: int = 0) -> None:
        super().__init__("it is nested too deeply to be read", index)


class TooManyDigitsError(TooDeepError):
    """A text of the document is a number of thousands of digits: nothing reads such a number, and none of it is."""

    what = "it holds a number of more digits than this linter reads (4300)"

    def __init__(self, index: int = 0) -> None:
        YamlError.__init__(self, "it holds a number of too many digits to be read", index)


class AliasError(YamlError):
    """Aliases that stand for something endless, or for far more than is written."""


_NAMES: Final[dict[str, EventKind]] = {
    "ScalarEvent": EventKind.SCALAR,
    "AliasEvent": EventKind.ALIAS,
    "SequenceStartEvent": EventKind.SEQUENCE_START,
    "SequenceEndEvent": EventKind.SEQUENCE_END,
    "MappingStartEvent": EventKind.MAPPING_START,
    "MappingEndEvent": EventKind.MAPPING_END,
}
KINDS: Final[dict[type, EventKind]] = {}
"""What an event is, by its class; the classes of each parser join when it is first used."""


def content_events(text: str) -> Iterator[Any]:
    """The content events of the first document in ``text``. Raises YamlError and TooDeepError as it is read.

    Of 30,000 mutated manifests, libyaml 0.2.6 refused no text that go-yaml v2 reads; ruamel.yaml's parser accepts more
    than either, so it is no second opinion, only a substitute.
    """
    import yaml  # noqa: PLC0415 (slow to import, and ordinary manifests are read without it)

    loader = getattr(yaml, "CSafeLoader", None)
    return _pure(text) if loader is None else _libyaml(text, loader)


def _libyaml(text: str, loader: Any) -> Iterator[Any]:
    """Events of libyaml, without the markers."""
    import yaml  # noqa: PLC0415

    KINDS.update((getattr(yaml, name), kind) for name, kind in _NAMES.items())
    try:
        get = loader(text).get_event
        while True:
            event = get()
            if type(event) in KINDS:
                yield event
            elif event is None or isinstance(event, (yaml.DocumentEndEvent, yaml.StreamEndEvent)):
                return
    except yaml.MarkedYAMLError as error:
        raise _explained(error, text) from None
    except yaml.reader.ReaderError:
        raise _control(text) from None


def _pure(text: str) -> Iterator[Any]:
    """Events of ruamel.yaml's own parser, without the markers."""
    from ruamel.yaml import YAML, events  # noqa: PLC0415 (slow to import, seldom needed)
    from ruamel.yaml.error import MarkedYAMLError, YAMLError  # noqa: PLC0415

    KINDS.update((getattr(events, name), kind) for name, kind in _NAMES.items())
    try:
        for event in YAML(typ="safe", pure=True).parse(text):
            kind = KINDS.get(type(event))
            if kind is EventKind.SCALAR and _SURROGATE.search(event.value):
                raise YamlError(
                    "half of a surrogate pair is no character: write the character itself", event.start_mark.index
                )
            if kind is not None:
                yield event
            elif isinstance(event, (events.DocumentEndEvent, events.StreamEndEvent)):
                return
    except MarkedYAMLError as error:
        raise _explained(error, text) from None
    except YAMLError:  # its reader's errors have no mark
        raise _control(text) from None
    except (ValueError, IndexError, KeyError, AttributeError, AssertionError, TypeError) as error:
        # seen on mutated input: the parser stumbles instead of refusing
        raise YamlError(f"this is not YAML ({type(error).__name__})", 0) from None


_SURROGATE = lazy_pattern("[\ud800-\udfff]")
_UNPRINTABLE = lazy_pattern("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


def _control(text: str) -> YamlError:
    found = _UNPRINTABLE.search(text)
    if not found:
        return YamlError("this is not YAML", 0)
    return YamlError(f"the control character U+{ord(found[0]):04X} is not allowed: remove it", found.start())


_ADVICE: Final[tuple[tuple[str, str], ...]] = (
    (
        "mapping values are not allowed",
        "a mapping value is not allowed here: quote the text, or put the mapping on lines of its own",
    ),
    (
        "could not find expected ':'",
        "a key without `:`: write `key: value`, or indent the line if it continues the text above",
    ),
    (
        "block sequence entries are not allowed",
        "a list cannot start on this line: put each `- ` on a line of its own",
    ),
    ("did not find expected '-' indicator", "a list element should start here: align its `- ` with the one above"),
    ("expected <block end>, but found", "this does not fit in here: check the indentation, quotes and brackets above"),
    ("did not find expected key", "a key should start here: check the indentation, quotes and brackets above"),
    ("did not find expected ',' or ']'", "the list in brackets is not closed, or a comma is missing: add `]` or `,`"),
    ("did not find expected ',' or '}'", "the mapping in braces is not closed, or a comma is missing: add `}` or `,`"),
    ("found unexpected end of stream", "the quoted text does not end: close its quote"),
    ("found unexpected document indicator", "the quoted text does not end before `---`: close its quote"),
    ("found unknown escape character", "no such escape in double quotes: double the backslash, or use single quotes"),
    ("found a tab character", "a tab cannot indent: use spaces"),
    ("found undefined tag handle", "the tag's handle is not defined: quote the text if `!` is no tag"),
    ("did not find expected alphabetic or numeric", "`*` and `&` start an alias or an anchor: quote the text"),
)
_STARTS: Final[dict[str, str]] = {
    "\t": "a tab cannot indent or stand before a value: use spaces",
    "@": "`@` cannot start a value: quote the text",
    "`": "a backquote cannot start a value: quote the text",
    "%": "`%` cannot start a value: quote the text",
}


def _explained(error: Any, text: str) -> YamlError:
    """A parser's complaint as cause and remedy."""
    problem = str(error.problem or error.context or "this is not YAML")
    mark = error.problem_mark or error.context_mark
    index = int(mark.index) if mark else 0
    if "exceeded max" in problem:
        return TooDeepError(index)
    if "cannot start any token" in problem:
        return YamlError(_STARTS.get(text[index : index + 1], "this character cannot start a value: quote it"), index)
    for part, advice in _ADVICE:
        if part in problem:
            return YamlError(advice, index)
    return YamlError(problem, index)
