"""Settings and where each comes from, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from trainlint.config.setting import EffectiveSetting
from trainlint.report.markup import code_cell
from trainlint.report.options import Options
from trainlint.report.terminal import Paint, escape, width

__all__ = ["settings_json", "settings_markdown", "settings_text"]


def settings_text(settings: Sequence[EffectiveSetting], options: Options) -> str:
    """One setting after the other, as in the file, each with its origin."""
    return "".join(f"{line}\n" for setting in settings for line in _lines(setting, options))


def _lines(setting: EffectiveSetting, options: Options) -> Iterator[str]:
    head, tail = f"{escape(setting.name)}: {escape(_value(setting))}", f"# {escape(_origin(setting))}"
    paint = Paint(options.color)
    if width(head) + 2 + width(tail) <= options.width:
        yield f"{head}  {paint('dim', tail)}"
    else:
        yield from (head, f"    {paint('dim', tail)}")


def settings_markdown(settings: Sequence[EffectiveSetting]) -> str:
    """A table in Markdown."""
    rows = [" | ".join(map(code_cell, (each.name, _value(each), _origin(each)))) for each in settings]
    return "".join(f"| {row} |\n" for row in ("setting | value | from", "--- | --- | ---", *rows))


def settings_json(settings: Sequence[EffectiveSetting]) -> str:
    """A JSON list."""
    entries = [
        {
            "name": each.name,
            "value": list(each.value) if isinstance(each.value, tuple) else each.value,
            "origin": each.origin.value,
            "detail": each.detail,
        }
        for each in settings
    ]
    return json.dumps(entries, indent=2) + "\n"


def _value(setting: EffectiveSetting) -> str:
    if isinstance(setting.value, bool):
        return "yes" if setting.value else "no"
    return setting.value if isinstance(setting.value, str) else " ".join(setting.value)


def _origin(setting: EffectiveSetting) -> str:
    return f"{setting.origin}: {setting.detail}" if setting.detail else setting.origin.value
