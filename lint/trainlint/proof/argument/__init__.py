"""The proof of a group in words, step by step, for people who doubt it; every step names its places."""

from trainlint.proof.argument.argument import Argument, argue
from trainlint.proof.argument.step import Statement, Step

__all__ = ["Argument", "Statement", "Step", "argue"]
