"""A change made in the running program: functions whose code differs get the new code."""

from __future__ import annotations

import gc
import types
from collections import defaultdict
from collections.abc import Iterator

__all__ = ["Functions", "functions", "swap", "swap_code"]

Functions = dict[str, dict[tuple[str, int], list[types.FunctionType]]]


def functions(root: str) -> Functions:
    """All functions of the modules below ``root`` that exist now, by file, and by name and first line."""
    found: Functions = defaultdict(lambda: defaultdict(list))
    for each in gc.get_objects():
        if type(each) is types.FunctionType and each.__code__.co_filename.startswith(root):
            code = each.__code__
            found[code.co_filename][code.co_qualname, code.co_firstlineno].append(each)
    return found


def swap(known: Functions, file: str, old: bytes, new: bytes) -> bool:
    """Give the functions of ``file`` their new code; false where the change is none of a function alone."""
    return swap_code(known, file, old, compile(new, file, "exec", dont_inherit=True))


def swap_code(known: Functions, file: str, old: bytes, after: types.CodeType) -> bool:
    """Give the functions of ``file`` the code that they have in ``after``; false where it differs in no function."""
    before = compile(old, file, "exec", dont_inherit=True)
    changed = 0
    for one, two in _pairs(before, after):
        for function in known.get(file, {}).get((one.co_qualname, one.co_firstlineno), ()):
            try:
                function.__code__ = two
            except ValueError:  # another number of variables from around it
                return False
            changed += 1
    return changed > 0


def _pairs(before: types.CodeType, after: types.CodeType) -> Iterator[tuple[types.CodeType, types.CodeType]]:
    """The code of functions that differs, with its new code."""
    ones = [each for each in before.co_consts if isinstance(each, types.CodeType)]
    twos = [each for each in after.co_consts if isinstance(each, types.CodeType)]
    for one, two in zip(ones, twos, strict=False):
        if one != two and one.co_name == two.co_name:
            yield one, two
            yield from _pairs(one, two)
