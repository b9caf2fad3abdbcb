"""From paths to a result: read, build snapshots, run the rules, suppress, resolve places."""

from trainlint.engine.check import check

__all__ = ["check"]
