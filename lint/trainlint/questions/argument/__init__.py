"""The proof of a group in words, step by step, for people who doubt it; every step names its places."""

from trainlint.questions.argument.argument import Argument, argue
from trainlint.questions.argument.step import Statement, Step

__all__ = ["Argument", "Statement", "Step", "argue"]
