"""Programs of the intermediate representation from text and to text, for tests.

The notation is the printer's, with kinds only where they are not inferred::

    def f(x: float64[n], c: float):
      v1 = builtins.range(3)
      y = for i in v1 carrying (s = 0.0):
        v2 = operator.mul(s, c)
        yield v2
      return y

Names ``v1``, ``v2`` ... are temporaries, without a user's name. In shapes a letter is a symbolic size, a capital letter
one that is not 1, a colon an unknown size.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from s2sad.errors import Location
from s2sad.ir.kinds import BOOL, COMPLEX, FLOAT, INT, NONE, UNKNOWN, Array, Dim, Kind, List, Scalar, Tuple
from s2sad.ir.nodes import (
    LEAF,
    Block,
    Call,
    Const,
    DerivativeName,
    For,
    Function,
    Global,
    If,
    Op,
    Param,
    Structure,
    Value,
    While,
)
from s2sad.ir.printer import Printer
from s2sad.rules import registry
from s2sad.rules.kind_rules import item_of

NAMED_KINDS = {"float": FLOAT, "int": INT, "bool": BOOL, "complex": COMPLEX, "?": UNKNOWN, "none": NONE}
REVERSE = Location("<reverse>", 1)  # the ``primal`` of operations behind a line "reverse"


def parse_kind(text: str) -> Kind:
    """The kind that a text names."""
    text = text.strip()
    if text in NAMED_KINDS:
        return NAMED_KINDS[text]
    if text.startswith("("):
        return Tuple(tuple(parse_kind(item) for item in split(text[1:-1])))
    head, bracket, rest = text.partition("[")
    if not bracket:
        return Scalar(head, weak=False)
    if head == "list":
        return List(parse_kind(rest[:-1]))
    return Array(head, None if rest == "...]" else tuple(_size(item) for item in split(rest[:-1])))


def _size(text: str) -> Dim | int | None:
    if text == ":":
        return None
    return int(text) if text.isdigit() else Dim(text.lower(), many=text.isupper())


def split(text: str) -> list[str]:
    """The parts between commas that are in no brackets, and in no text."""
    parts, depth, current, told = [], 0, "", False
    for char in text:
        told ^= char == '"'
        depth += (char in "([") - (char in ")]")
        if char == "," and depth == 0 and not told:
            parts.append(current.strip())
            current = ""
        else:
            current += char
    return [*parts, current.strip()] if current.strip() else parts


class Parser:
    """Reads one function."""

    def __init__(self, text: str) -> None:
        lines = [line for line in text.splitlines() if line.strip()]
        self.lines = [(len(line) - len(line.lstrip()), line.strip()) for line in lines]
        self.at = 0
        self.names: dict[str, Value] = {}
        self.primal: Location | None = None
        self.reverse_at: int | None = None

    def function(self) -> Function:
        """The function."""
        _, head = self.next()
        name, params = re.fullmatch(r"def (\w+)\((.*)\):", head).groups()  # type: ignore[union-attr]
        declared = [Param(self.typed(item)) for item in split(params)]
        body = self.block(2)
        count = len(body.yields)
        returns = LEAF if count == 1 else Structure("tuple", (LEAF,) * count)
        return Function(name, declared, body, returns, reverse_at=self.reverse_at)

    def next(self) -> tuple[int, str]:
        """The next line."""
        self.at += 1
        return self.lines[self.at - 1]

    def peek(self) -> tuple[int, str]:
        """The line after this one."""
        return self.lines[self.at] if self.at < len(self.lines) else (-1, "")

    def typed(self, text: str) -> Value:
        """A defined name with its kind."""
        name, _, kind = text.partition(":")
        return self.define(name.strip(), parse_kind(kind) if kind.strip() else UNKNOWN)

    def define(self, name: str, kind: Kind) -> Value:
        """A new value under a name."""
        own = DerivativeName(name) if name.endswith(("_bar", "_dot")) else name
        value = self.names[name] = Value(kind, None if re.fullmatch(r"(v\d+)?", name) else own)
        return value

    def value(self, text: str) -> Value:
        """A value in use, or a literal."""
        if text in self.names:
            return self.names[text]
        if text.startswith("@"):
            return Global(text[1:], UNKNOWN)
        return Const(eval(text, {"slice": slice, "nan": float("nan"), "inf": float("inf")}))

    def block(self, depth: int) -> Block:
        """The lines that are indented by ``depth``."""
        block = Block()
        while self.peek()[0] == depth:
            line = self.next()[1]
            word, _, rest = line.partition(" ")
            if word in ("yield", "return", "test"):
                block.yields = [self.value(item) for item in split(rest)]
                break
            if line == "reverse":
                self.primal, self.reverse_at = REVERSE, len(block.ops)
                continue
            op = self.op(line, depth)
            op.primal = self.primal
            block.ops.append(op)
        return block

    def op(self, line: str, depth: int) -> Op:
        """One operation."""
        match = re.match(r"([\w, .:\[\]?]*?) = (?=(for|if|while|[\w.]+\())", line)
        targets, text = (split(match.group(1)), line[match.end() :]) if match else ([], line)
        if re.match(r"if .*:$", text):
            return self.branch(targets, text, depth)
        if re.match(r"for .*:$", text):
            return self.for_loop(targets, text, depth)
        if re.match(r"while.*:$", text):
            return self.while_loop(targets, text, depth)
        return self.call(targets, text)

    def call(self, targets: list[str], text: str) -> Call:
        """``target(arguments)``."""
        target, arguments = re.fullmatch(r"([\w.]+)\((.*)\)", text).groups()  # type: ignore[union-attr]
        op = Call(target=target)
        for item in split(arguments):
            keyword = re.match(r"(\w+)=(?!=)", item)
            if keyword:
                op.kwargs[keyword.group(1)] = self.value(item[keyword.end() :])
            else:
                op.args.append(self.value(item))
        names = targets or [""]
        inferred = registry.infer(op)
        kinds = list(inferred.items) if len(names) > 1 and isinstance(inferred, Tuple) else [inferred] * len(names)
        if target == "s2sad.unpack" and isinstance(op.args[0].kind, Tuple):
            kinds = list(op.args[0].kind.items)
        op.results = list(self.results(names, kinds))
        return op

    def results(self, targets: list[str], kinds: list[Kind]) -> Iterator[Value]:
        """The results of an operation, with written kinds where given."""
        for target, kind in zip(targets, kinds, strict=True):
            name, _, written = target.partition(":")
            yield self.define(name.strip(), parse_kind(written) if written.strip() else kind)

    def branch(self, targets: list[str], text: str, depth: int) -> If:
        """``if cond:`` with both blocks."""
        op = If(cond=self.value(text[3:-1]))
        op.then = self.block(depth + 2)
        if self.peek() == (depth, "else:"):
            self.next()
            op.orelse = self.block(depth + 2)
        op.results = list(self.results(targets, [v.kind for v in op.then.yields]))
        return op

    def carried(self, text: str) -> tuple[list[str], list[Value]]:
        """``(name: kind = init, ...)``."""
        pairs = [item.rsplit(" = ", 1) for item in split(text)]
        return [left for left, _ in pairs], [self.value(right) for _, right in pairs]

    def for_loop(self, targets: list[str], text: str, depth: int) -> For:
        """``for item in iterable carrying (...) until broken:``."""
        pattern = r"for (\w+) in (\S+?)(?: carrying \((.*)\))?( until broken)?:"
        item, iterable, carrying, broken = re.fullmatch(pattern, text).groups()  # type: ignore[union-attr]
        names, init = self.carried(carrying or "")
        op = For(iterable=self.value(iterable), init=init, breaks=bool(broken))
        op.body.params = [self.define(item, item_of(op.iterable.kind)), *self.results(names, [v.kind for v in init])]
        body = self.block(depth + 2)
        op.body.ops, op.body.yields = body.ops, body.yields
        op.results = list(self.results(targets, [v.kind for v in op.carried]))
        return op

    def while_loop(self, targets: list[str], text: str, depth: int) -> While:
        """``while carrying (...):``, the test, and ``do (...):``."""
        carrying = re.fullmatch(r"while(?: carrying \((.*)\))?:", text).group(1)  # type: ignore[union-attr]
        names, init = self.carried(carrying or "")
        op = While(init=init)
        op.test.params = list(self.results(names, [v.kind for v in init]))
        test = self.block(depth + 4)
        op.test.ops, op.test.yields = test.ops, test.yields
        do = re.fullmatch(r"do \((.*)\)( until broken)?:", self.next()[1])
        assert do is not None
        op.breaks = bool(do.group(2))
        op.body.params = list(self.results(split(do.group(1)), [v.kind for v in op.test.params]))
        body = self.block(depth + 4)
        op.body.ops, op.body.yields = body.ops, body.yields
        op.results = list(self.results(targets, [v.kind for v in op.test.params]))
        return op


def parse_function(text: str) -> Function:
    """The function that a text describes."""
    return Parser(text).function()


class PlainPrinter(Printer):
    """The printer without kinds, and without names for results that are None."""

    def typed(self, value: Value) -> str:
        return self.name(value)

    def op(self, op: Op, depth: int) -> None:
        if isinstance(op, Call) and [v.kind for v in op.results] == [NONE]:
            results, op.results = op.results, []
            super().op(op, depth)
            op.results = results
        else:
            super().op(op, depth)


def plain_text(function: Function) -> str:
    """The text of a function without kinds."""
    printer = PlainPrinter()
    printer.line(0, f"def {function.name}({', '.join(printer.name(v) for v in function.values)}):")
    printer.block(function.body, 1, "return")
    return "\n".join(printer.lines) + "\n"


__all__ = ["parse_function", "parse_kind", "plain_text"]
