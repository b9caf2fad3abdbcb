"""Single values of manifests: text, numbers, and placeholders that are filled in before the API server sees them."""

from __future__ import annotations

import re
from functools import lru_cache

from trainlint.kube.ground import FieldGround
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.source.document import Field

__all__ = ["is_placeholder", "known_text", "read_bool", "read_int", "read_strings", "read_text"]

_PLACEHOLDER = lazy_pattern(
    r"""\$\{[^}]*\} | \$\([^)]*\) | \$[A-Za-z_]\w*      # shell, envsubst, Flux, Kubernetes
      | \{\{ .* \}\} | \{%.*%\} | %\{.*\} | \#\{[^}]+\}    # Go templates, Jinja, Terraform, Azure Pipelines
      | <[^<>]+> | __\w+?__(?![A-Za-z0-9]) | @[A-Z][A-Z0-9_]*@ | %[A-Z][A-Z0-9_]*%  # by hand, autoconf, batch files
      | \(\([^()]+\)\) | \[\[ .* \]\]                   # Concourse, BOSH; templates with other delimiters
    """,
    re.VERBOSE | re.DOTALL,
)
_ODD = frozenset("$%<_@{([")

_WORD = lazy_pattern(
    r"""(?<![A-Za-z0-9])(?:
        PLACEHOLDER | (?:REPLACE|CHANGE|FILL|EDIT)(?:[_-]?(?:ME|THIS|WITH|BY))(?![A-Z]) | (?:YOUR|INSERT|ENTER)[_-][A-Z]
      | OVERRIDE[_-]?ME(?![A-Z]) | override[_-]?me(?![a-z])
      | (?:replace|change|fill|edit)[_-]?(?:me|this)(?![a-z]) | replace[_-]with[_-] | your[_-][a-z]
      | (?:TODO|FIXME|TBD)(?![A-Za-z0-9]) | [xX]{3,}(?![A-Za-z0-9])
    )""",
    re.VERBOSE,
)
"""Words that stand for a value to be filled in by hand. Upper case only where real names have the same word:
``gpu-placeholder`` is what people call the pods that keep nodes warm."""


@lru_cache(maxsize=65536)
def is_placeholder(text: str) -> bool:
    """Whether the text holds a placeholder: a sign of a template, or words such as ``REPLACE_ME`` (decision 15)."""
    if not _ODD.isdisjoint(text) and _PLACEHOLDER.search(text) is not None:
        return True
    return _WORD.search(text) is not None


def known_text(field: Field) -> Known[str]:
    """The scalar as text, or why it is not known."""
    text = field.scalar
    if text is None:
        return Undetermined(
            Because(FieldGround.NOT_PLAIN, (_name(field),))
            if field.present
            else Because(FieldGround.EMPTY, (_name(field),))
        )
    if is_placeholder(text):
        return Undetermined(Because(FieldGround.PLACEHOLDER, (_name(field), repr(text.strip()))))
    return text


def read_text(field: Field) -> str:
    """The scalar as text; empty where there is none."""
    return field.scalar or ""


def read_bool(field: Field) -> Known[bool]:
    """A boolean; False where there is none or something else."""
    text = field.scalar
    if text is not None and is_placeholder(text):
        return Undetermined(Because(FieldGround.PLACEHOLDER, (_name(field), repr(text))))
    return field.value is True


def read_int(field: Field, default: int = 0) -> Known[int]:
    """A whole number; the default where there is none; undetermined where something else stands."""
    if not field.present:
        return default
    value = field.value
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return Undetermined(Because(FieldGround.NOT_WHOLE, (_name(field), repr(field.scalar))))


def read_strings(field: Field) -> tuple[str, ...]:
    """The scalars of a list as text; anything else in it is left out."""
    return tuple(text for element in field.elements() if (text := element.scalar) is not None)


def _name(field: Field) -> str:
    return ".".join(str(step) for step in field.path[-2:]) or "the document"
