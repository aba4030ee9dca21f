"""Programs as text, for people: one operation a line, blocks indented, notes in the margin."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from s2sad.ir.nodes import (
    Block,
    Call,
    Const,
    For,
    Function,
    FunctionRef,
    Global,
    If,
    Loop,
    Op,
    Straight,
    Undef,
    Value,
    While,
)

Notes = Callable[[Op], str]


class Printer:
    """Gives each value a unique readable name and prints blocks."""

    def __init__(self, notes: Notes | None = None) -> None:
        self.names: dict[Value, str] = {}
        self.taken: dict[str, int] = {}
        self.notes = notes
        self.lines: list[str] = []

    def name(self, value: Value) -> str:
        """The printed form of a value."""
        if isinstance(value, Const):
            return "..." if value.payload is ... else repr(value.payload)
        if isinstance(value, Global):
            return "@" + value.path
        if isinstance(value, Undef):
            return "undefined"
        if isinstance(value, FunctionRef):
            return f"function {value.function.name}"
        if value not in self.names:
            base = value.name or "v"
            count = self.taken[base] = self.taken.get(base, 0) + 1
            self.names[value] = f"{base}.{count}" if count > 1 or base == "v" else base
        return self.names[value]

    def typed(self, value: Value) -> str:
        """A definition: name and kind."""
        return f"{self.name(value)}: {value.kind}"

    def list(self, values: list[Value]) -> str:
        """Names, comma-separated."""
        return ", ".join(map(self.name, values))

    def block(self, block: Block, depth: int, keyword: str = "yield") -> None:
        """Print the operations of a block and what it yields."""
        for op in block.ops:
            self.op(op, depth)
        if block.yields or not block.ops:
            self.line(depth, f"{keyword} {self.list(block.yields)}".rstrip())

    def line(self, depth: int, text: str, note: str = "") -> None:
        """Print one line, with an optional note in the margin."""
        text = "  " * depth + text
        self.lines.append(f"{text:<56}  # {note}" if note else text)

    def op(self, op: Op, depth: int) -> None:
        """Print one operation with its blocks."""
        note = self.notes(op) if self.notes else ""
        left = ", ".join(map(self.typed, op.results))
        head = f"{left} = " if left else ""
        if isinstance(op, Call):
            arguments = [self.name(v) for v in op.args] + [f"{k}={self.name(v)}" for k, v in op.kwargs.items()]
            self.line(depth, f"{head}{op.target}({', '.join(arguments)})", note)
        elif isinstance(op, If):
            self.line(depth, f"{head}if {self.name(op.cond)}:", note)
            self.block(op.then, depth + 1)
            self.line(depth, "else:")
            self.block(op.orelse, depth + 1)
        elif isinstance(op, For):
            carried = self.carried(op.carried, op.init)
            until = " until broken" if op.breaks else ""
            item = self.typed(op.body.params[0])
            self.line(depth, f"{head}for {item} in {self.name(op.iterable)}{carried}{until}:", note)
            self.block(op.body, depth + 1)
        elif isinstance(op, While):
            self.line(depth, f"{head}while{self.carried(op.test.params, op.init)}:", note)
            self.block(op.test, depth + 2, "test")
            self.line(depth, f"  do ({', '.join(map(self.typed, op.body.params))}){' until broken' * op.breaks}:")
            self.block(op.body, depth + 2)
        elif isinstance(op, Straight):
            self.line(depth, f"{head}{type(op).__name__.lower()} {self.name(op.head)}:", note)
            for inner in op.blocks():
                self.block(inner, depth + 1)
        elif isinstance(op, Loop):
            over = ", ".join(map(self.name, op.over))
            self.line(depth, f"{head}{type(op).__name__.lower()} {over}{self.carried(op.entered, op.init)}:", note)
            for inner in op.blocks():
                self.block(inner, depth + 1)

    def carried(self, params: Sequence[Value], init: Sequence[Value]) -> str:
        """The carried values of a loop with where they start."""
        pairs = [f"{self.typed(p)} = {self.name(i)}" for p, i in zip(params, init, strict=False)]
        return f" carrying ({', '.join(pairs)})" if pairs else ""


def print_function(function: Function, notes: Notes | None = None) -> str:
    """The text of a function."""
    printer = Printer(notes)
    params = ", ".join(printer.typed(p.value) for p in function.params)
    printer.line(0, f"def {function.name}({params}):")
    printer.block(function.body, 1, "return")
    return "\n".join(printer.lines) + "\n"
