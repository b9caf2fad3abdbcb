"""Mutation points: places of a module at which one small change makes another program."""

from __future__ import annotations

import ast
import bisect
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Point", "all_points", "compiles", "drawn", "mutated", "points_of"]


@dataclass(frozen=True, order=True)
class Point:
    """One change: the bytes from ``start`` to ``end`` of ``file`` become ``text``.

    ``line`` and ``column`` are where the change begins, ``function`` the function and class it stands in, by all
    names; ``inner`` says whether it stands in a function.
    """

    file: str
    start: int
    end: int
    text: str
    kind: str
    line: int
    column: int
    function: str
    inner: bool
    old: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column} {self.change}"

    @property
    def change(self) -> str:
        """What becomes of what, in one line."""
        return f"{self.kind}: {_short(self.old)} -> {_short(self.text)}"


OPERATORS = {
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
}
ARITHMETIC = {ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "+"), ast.FloorDiv: ("//", "*")}


def mutated(source: bytes, point: Point) -> bytes:
    """The module with the change."""
    return source[: point.start] + point.text.encode() + source[point.end :]


def points_of(root: Path, file: Path) -> list[Point]:
    """All points of a module, in order."""
    source = file.read_bytes()
    found = _Points(str(file.relative_to(root)), source)
    found.visit(ast.parse(source))
    return sorted(set(found.points))


def compiles(source: bytes, point: Point) -> bool:
    """Whether the change leaves a program."""
    try:
        compile(mutated(source, point), point.file, "exec")
    except (SyntaxError, ValueError):
        return False
    return True


class _Points(ast.NodeVisitor):
    def __init__(self, file: str, source: bytes) -> None:
        self.file, self.source = file, source
        self.points: list[Point] = []
        self.depth = 0
        self.names: list[str] = []
        starts = [0]
        for line in source.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        self.starts = starts

    def _begin(self, node: ast.AST) -> int:
        return self.starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined, no-any-return]

    def _end(self, node: ast.AST) -> int:
        return self.starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined, no-any-return]

    def _append(self, kind: str, start: int, end: int, text: str) -> None:
        line = bisect.bisect_right(self.starts, start)
        column = start - self.starts[line - 1] + 1
        old = self.source[start:end].decode()
        function = ".".join(self.names)
        self.points.append(Point(self.file, start, end, text, kind, line, column, function, self.depth > 0, old))

    def _between(self, kind: str, one: ast.expr, two: ast.expr, change: tuple[str, str]) -> None:
        old, new = change
        start, end = self._end(one), self._begin(two)
        pattern = re.escape(old).replace(r"\ ", r"\s+")
        pattern = rf"\b{pattern}\b" if old[0].isalpha() else pattern
        match = re.search(pattern.encode(), self.source[start:end])
        if match:
            self._append(kind, start + match.start(), start + match.end(), new)

    def _whole(self, kind: str, node: ast.AST, text: str) -> None:
        self._append(kind, self._begin(node), self._end(node), text)

    # What is no behaviour: decorators, annotations, docstrings, __all__, what only the type checker reads.

    def visit_Module(self, node: ast.Module) -> None:
        self._body(node.body)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.names.append(node.name)
        self._body(node.body)
        self.names.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)
        self.depth += 1
        self.names.append(node.name)
        self._body(node.body)
        self.names.pop()
        self.depth -= 1

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.depth += 1
        self.visit(node.body)
        self.depth -= 1

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        if any(isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets):
            return
        if self.depth and not isinstance(node.targets[0], ast.Name | ast.Tuple):
            self._whole("statement", node, "pass")
        self.generic_visit(node)

    def visit_TypeAlias(self, node: ast.AST) -> None:
        return

    def _body(self, body: list[ast.stmt]) -> None:
        for number, statement in enumerate(body):
            text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            if not (text and (number == 0 or self.depth == 0)):
                self.visit(statement)

    # Conditions.

    def visit_If(self, node: ast.If) -> None:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        self._condition(node.test)
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self._condition(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._condition(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for condition in node.ifs:
            self._condition(condition)
        self.generic_visit(node)

    def _condition(self, test: ast.expr) -> None:
        plain = not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Constant)
        if plain:
            old = self.source[self._begin(test) : self._end(test)].decode()
            self._whole("condition", test, f"(not ({old}))")

    def visit_Compare(self, node: ast.Compare) -> None:
        for one, operator, two in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
            self._between("comparison", one, two, OPERATORS[type(operator)])
            for side in (one, two):
                self._text(side)
                for each in side.elts if isinstance(side, ast.Set | ast.Tuple | ast.List) else ():
                    self._text(each)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        change = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for one, two in zip(node.values, node.values[1:], strict=False):
            self._between("logic", one, two, change)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            start = self._begin(node)
            self._append("logic", start, self._begin(node.operand), " " * (self._begin(node.operand) - start))
        self.generic_visit(node)

    # Values.

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self._whole("constant", node, str(not node.value))
        elif isinstance(node.value, int):
            self._whole("constant", node, str(node.value + 1))

    def visit_BinOp(self, node: ast.BinOp) -> None:
        texts = (ast.JoinedStr, ast.Constant, ast.Tuple, ast.List, ast.Dict)
        sides = (node.left, node.right)
        is_text = any(
            isinstance(side, texts) and not isinstance(getattr(side, "value", None), int | float) for side in sides
        )
        if type(node.op) in ARITHMETIC and not is_text:
            self._between("arithmetic", node.left, node.right, ARITHMETIC[type(node.op)])
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self._text(node.slice)
        self.generic_visit(node)

    def visit_Dict(self, node: ast.Dict) -> None:
        for key in node.keys:
            if key is not None and self.depth:
                self._text(key)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute) and node.func.attr in {"get", "startswith", "endswith", "partition"}:
            for argument in node.args[:1]:
                self._text(argument)
        self.generic_visit(node)

    def _text(self, node: ast.expr) -> None:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            self._whole("text", node, repr(f"{node.value}~"))

    # Statements.

    def visit_Return(self, node: ast.Return) -> None:
        value = node.value
        if value is not None and not (isinstance(value, ast.Constant) and value.value in (None, False, True)):
            empty = {ast.Tuple: "()", ast.List: "[]", ast.Dict: "{}", ast.JoinedStr: '""', ast.Set: "set()"}
            text = empty.get(type(value), "None")
            if self.source[self._begin(value) : self._end(value)].decode() != text:
                self._whole("return", node, f"return {text}")
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if self.depth and isinstance(node.value, ast.Yield | ast.YieldFrom):
            self._whole("statement", node, "yield from ()")
        elif self.depth and isinstance(node.value, ast.Call):
            self._whole("statement", node, "pass")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._whole("statement", node, "pass")
        self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        self._whole("statement", node, "pass")
        # what an exception says is words

    def visit_Continue(self, node: ast.Continue) -> None:
        self._whole("statement", node, "pass")

    def visit_Break(self, node: ast.Break) -> None:
        self._whole("statement", node, "pass")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 70 else f"{line[:67]}..."


def all_points(root: Path) -> Iterator[Point]:
    """The points of everything in ``lint`` and ``rules``."""
    for folder in ("lint", "rules"):
        for file in sorted((root / folder).rglob("*.py")):
            if "/demo/" not in str(file):
                yield from points_of(root, file)


def drawn(points: Sequence[Point], root: Path, seed: int, number: int) -> list[Point]:
    """``number`` of the points that leave a program, in an order that only the seed decides."""
    shuffled = list(points)
    random.Random(seed).shuffle(shuffled)
    found: list[Point] = []
    for point in shuffled:
        if len(found) == number:
            break
        if compiles((root / point.file).read_bytes(), point):
            found.append(point)
    return found
