"""``python -m tests.conformance SUITE FILE...``: predictions against recorded verdicts of real engines."""

from __future__ import annotations

import sys
from importlib import import_module

SUITES = ("dra", "expansion", "fabric", "kueue", "policy", "scheduling")


def main(argv: list[str]) -> int:
    """Hand over to the suite that the first word names."""
    if not argv or argv[0] not in SUITES:
        sys.stderr.write(f"usage: python -m tests.conformance {{{','.join(SUITES)}}} FILE... [--predict]\n")
        return 2
    result: int = import_module(f"tests.conformance.{argv[0]}").main(argv[1:])
    return result


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
