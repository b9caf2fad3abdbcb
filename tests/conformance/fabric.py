"""What NCCL and Gloo made of interfaces and values, against what the real libraries did.

``python -m tests.conformance fabric FILE...`` compares; with ``--predict`` it prints predictions instead. The files
hold one recorded run a line (see data/fabric/README.md). A prediction never looks at what was recorded.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from ipaddress import ip_interface
from pathlib import Path
from typing import Any

from trainlint.fabric.debug import SUBSYSTEMS, read_debug_level, read_subsystems, shows
from trainlint.fabric.gloo import select_gloo
from trainlint.fabric.interface import Interface, listing
from trainlint.fabric.number import read_disable, read_flag, read_level, read_number
from trainlint.fabric.release import Release, read_release
from trainlint.fabric.selection import select
from trainlint.fabric.variables import default_of

Record = Mapping[str, Any]
Prediction = dict[str, Any]

LOGS_DISABLE_AS_LEVEL: Release = (2, 22)
"""Before it, the log shows NCCL_P2P_DISABLE by the number of its level, which the recording gives as no value."""


def predict(record: Record) -> Prediction:
    """The prediction for one record, of any kind."""
    if "interfaces" not in record:
        return {"id": record["id"], "result": _value(record)}
    if record["library"] == "gloo":
        return {"id": record["id"], "result": _gloo(record)}
    return {"id": record["id"], "result": _nccl(record)}


def _interfaces(record: Record) -> list[Interface]:
    return [
        Interface(
            each["name"],
            tuple(ip_interface(address) for address in (*each["ipv4"], *each["ipv6"])),
            each["up"],
            each["running"],
            tuple(each.get("ipv4_labels", {}).items()),
        )
        for each in record["interfaces"]
    ]


def _nccl(record: Record) -> Prediction:
    selection = select(listing(_interfaces(record)), record["env"], _release(record))
    if selection.failure is not None:
        return {"error": selection.failure.value}
    return {"selected": list(selection.interfaces), "bootstrap": selection.bootstrap}


def _gloo(record: Record) -> Prediction:
    resolved = record.get("hostname", {}).get("addresses", ())
    selection = select_gloo(listing(_interfaces(record)), record["env"].get("GLOO_SOCKET_IFNAME"), resolved)
    if selection.failure is not None:
        return {"error": selection.failure.value}
    return {"selected": list(selection.interfaces)}


def _release(record: Record) -> Release:
    release = read_release(record["version"])
    assert release is not None, record["version"]
    return release


def _value(record: Record) -> Prediction:
    release, name, environment = _release(record), record["variable"], record["env"]
    text = environment.get(name)
    match record["kind"]:
        case "number":
            return _number(record, name, text, release)
        case "level":
            return {"value": _level(name, text or "", release), "message": None}
        case "debug-output":
            level = read_debug_level(environment.get("NCCL_DEBUG", ""), release)
            subsystems = read_subsystems(environment.get("NCCL_DEBUG_SUBSYS"), release)
            return {"value": shows(level, subsystems, "ENV"), "message": None}
        case _:
            return {"value": _typed(name, text or "", release), "message": None}


def _number(record: Record, name: str, text: str | None, release: Release) -> Prediction:
    default = record["default"] if "default" in record else default_of(name)
    if not text:
        return {"value": default, "message": None}
    number = read_number(text, release)
    message = "set" if number.valid else "invalid"
    return {"value": default if number.value is None else number.value, "message": message}


def _level(name: str, text: str, release: Release) -> str | None:
    if name == "NCCL_P2P_DISABLE":
        return "1" if read_disable(text) and release >= LOGS_DISABLE_AS_LEVEL else None
    return read_level(text, release)


def _typed(name: str, text: str, release: Release) -> str:
    if name == "NCCL_DEBUG":
        return read_debug_level(text, release) or "<unknown>"
    if name == "NCCL_DEBUG_SUBSYS":
        found = read_subsystems(text, release)
        if found == frozenset(SUBSYSTEMS):
            return "ALL"
        shown = read_subsystems(None, release) if found is None else found
        return ",".join(each for each in SUBSYSTEMS if each in (shown or ()))
    return str(bool(read_flag(text))).upper()


def disagreements(record: Record, predicted: Prediction) -> dict[str, str]:
    """What was predicted otherwise than recorded, by field."""
    recorded, result = record["result"], predicted["result"]
    pairs = {key: (recorded.get(key), result.get(key)) for key in ("selected", "error", "value", "message")}
    if "bootstrap" in result:
        pairs["bootstrap"] = (recorded.get("detail", {}).get("bootstrap"), result["bootstrap"])
    return {
        key: f"recorded {was!r}, predicted {said!r}"
        for key, (was, said) in pairs.items()
        if type(was) is not type(said) or was != said
    }


def read_records(path: Path) -> Iterator[Record]:
    """The records of a file, packed or not."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


class Comparison:
    """Counts of records that agree, the disagreements by field and tag, and the first of them in full."""

    def __init__(self, show: int = 5) -> None:
        self.records = 0
        self.agreed = 0
        self.wrong: Counter[str] = Counter()
        self.examples: list[str] = []
        self._show = show

    def add(self, record: Record) -> None:
        """Predict and compare one record."""
        wrong = disagreements(record, predict(record))
        self.records += 1
        self.agreed += not wrong
        for field in wrong:
            self.wrong.update((field, *(f"{field} of {tag}" for tag in record.get("tags", [record.get("kind", "")]))))
        if wrong and len(self.examples) < self._show:
            self.examples.append("\n".join([json.dumps(record), *(f"  {key}: {text}" for key, text in wrong.items())]))

    @property
    def complete(self) -> bool:
        """Whether everything agrees."""
        return self.agreed == self.records

    def report(self) -> str:
        """``N of M records agree``, the kinds of disagreement, and the first of these in full."""
        lines = [f"{self.agreed} of {self.records} records agree"]
        lines += [f"  {kind}: {count} disagree" for kind, count in self.wrong.most_common()]
        return "\n".join([*lines, *self.examples])


def compare(paths: Iterable[Path], show: int = 5) -> Comparison:
    """Predict and compare every record of the files."""
    total = Comparison(show)
    for path in paths:
        for record in read_records(path):
            total.add(record)
    return total


def main(argv: list[str]) -> int:
    """The command line: 0 where everything agrees."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance fabric", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--predict", action="store_true", help="print predictions as JSON lines")
    parser.add_argument("--show", type=int, default=5, metavar="N", help="how many disagreements to print in full")
    arguments = parser.parse_args(argv)
    if arguments.predict:
        for path in arguments.files:
            for record in read_records(path):
                sys.stdout.write(json.dumps(predict(record)) + "\n")
        return 0
    comparison = compare(arguments.files, arguments.show)
    sys.stdout.write(comparison.report() + "\n")
    return 0 if comparison.complete else 1
