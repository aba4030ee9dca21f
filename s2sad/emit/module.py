"""A module of generated functions as text: the last stage.

    emit_module([adjoint])  ==>   import numpy as np


                                  def f_adjoint(x, out_bar=1.0):
                                      ...

``function_definition`` lists the steps for one function: what is folded, which values share a variable, what
these are called, and the statements.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gast

from s2sad.checked import Claims, note, wanted
from s2sad.emit.assignments import Assignments
from s2sad.emit.bindings import Bindings, attributes
from s2sad.emit.claims import claims_of
from s2sad.emit.expressions import Expressions
from s2sad.emit.folding import Folding
from s2sad.emit.naming import Names
from s2sad.emit.out_of_ssa import Variables
from s2sad.emit.payloads import literal
from s2sad.emit.prepare import prepared
from s2sad.emit.remarks import Remarks
from s2sad.emit.standalone import helper_source
from s2sad.emit.statements import Statements
from s2sad.emit.text import render
from s2sad.emit.twins import Twins
from s2sad.emit.uses import Uses
from s2sad.errors import CompilerError, S2sadError
from s2sad.ir.nodes import Function, Value
from s2sad.ir.walk import ops_of


def emit_module(functions: list[Function], **options: Any) -> str:
    """The text of a module that defines the functions; the options are those of ``emitted``."""
    return emitted(functions, **options).text


@dataclass(frozen=True)
class Emitted:
    """A module's text, and what the loader must bind in it: objects by name, and what is known by its spelling alone."""

    text: str
    injected: dict[str, Any]
    spelled: dict[str, str]
    library: list[str]  # what it mentions of imported modules


def emitted(
    functions: list[Function],
    *,
    style: str = "compact",
    header: str = "",
    standalone: bool = False,
    constants: Mapping[str, object] = {},
    homes: Mapping[str, tuple[str, str]] | None = None,
    compiled: Mapping[Function, Any] = {},
    twins_claims: Mapping[str, tuple[Claims, ...]] = {},
    traced: bool = False,
    asked: Sequence[Function] = (),
) -> Emitted:
    """A module that defines the functions.

    ``header`` opens the module, as comments if its lines begin with ``#``, else as its docstring.
    ``homes``: the modules from which it imports the names that a loader would bind otherwise, and the names there; others
    are refused then.
    ``compiled``: the functions that Numba is to compile, with its settings for each, and those that machine code calls, by the
    types of what these give.
    ``traced``: every contribution to an adjoint has a statement of its own, for an evaluation trace.
    ``twins_claims``: of the functions that stand for several, the claims of the others, whose variables are numbered.
    ``asked``: functions whose results the user gets, besides the last one's.
    ``constants`` are defined besides the literals that the functions name. ``standalone`` writes the
    helpers that they call into the module, which then needs NumPy (and what the program imports) alone.
    """
    if style not in ("compact", "ssa"):
        raise CompilerError(f"there is no style {style!r}", instead="compact or ssa")
    bindings = Bindings(functions, constants)
    imports, helpers = bindings.imports(), ""
    if standalone:
        needed, helpers = helper_source(bindings.helpers(), bindings.modules(), bindings.own_names())
        imports = sorted({*imports, *needed}, key=lambda line: (line.startswith("from"), line))
    else:
        imports += [_helper_import(package, names) for package, names in bindings.helpers().items()]
    if compiled:
        imports.append("from s2sad import loop_runtime")
    parts = [
        header.strip() if header.lstrip().startswith("#") else render_docstring(header),
        "\n".join(imports),
        "\n".join(_outside(bindings.unbound(), homes)),
        helpers,
        _constants(bindings),
    ]
    top = "\n\n".join(part for part in parts if part)
    claims: dict[str, Claims] = {}
    bodies = []
    twins = Twins(functions)
    for f in functions:
        main = f in (functions[-1], *asked) and f not in compiled
        definition = function_definition(f, bindings, style, None if compiled else claims, main, not compiled, traced)
        if f in compiled:
            definition.decorator_list = [_decorator(compiled[f], bindings)]
        bodies.append(render(gast.Module([definition], [])).strip("\n"))
        if not compiled:  # machine code has types, which a text does not tell
            twins.meet(f, bodies[-1])
    if twins.same:
        kept, names = [f for f in functions if f.name not in twins.same], twins.names()
        others: dict[str, tuple[Claims, ...]] = {}
        for f in functions:
            name = names.get(f.name, f.name)
            own = (claims[f.name].numbered(twins.variables[f.name]),) if f.name in twins.same and f.name in claims else ()
            others[name] = (*others.get(name, ()), *twins_claims.get(f.name, ()), *own)
            f.name = name
        return emitted(
            kept, style=style, header=header, standalone=standalone, constants=constants, homes=homes, twins_claims=others,
            traced=traced, asked=asked,
        )  # fmt: skip
    renamed = "\n".join(f"{name} = {root}" for root, name in bindings.renamed_functions().items())
    text = "\n\n\n".join(part for part in (top, *bodies, renamed) if part) + "\n"
    if claims:
        note(text, {n: (own, *(c.named(twins.variables[n]) for c in twins_claims.get(n, ()))) for n, own in claims.items()})
    return Emitted(text, bindings.injected_names(), bindings.spelled_names(), bindings.library_paths())


def _decorator(told: Any, bindings: Bindings) -> gast.expr:
    """The decorator that tells Numba what to do with a function: by settings, or by the type of what Python gives for it."""
    if isinstance(told, Mapping):
        plain = attributes(["loop_runtime", "compiled"])
        given = [gast.keyword(name, literal(value, bindings)) for name, value in told.items()]
        return gast.Call(plain, [], given) if given else plain
    return gast.Call(attributes(["loop_runtime", "by_numpy"]), [literal(told, bindings)], [])


class Unbound(S2sadError):
    """No file that is known binds the global ``name``, or several do."""

    def __init__(self, name: str, message: str, **reasons: str) -> None:
        super().__init__(message, **reasons)  # type: ignore[arg-type]
        self.name = name


def _outside(names: list[tuple[str, str]], homes: Mapping[str, tuple[str, str]] | None) -> list[str]:
    """Where the names come from that no statement of the module binds: what each is outside, and is called here."""
    if homes is None:
        return [f"# {name} is bound when the module is loaded" for _, name in names]
    roots = [root for root, _ in names]
    missing = [root for root in roots if root not in homes]
    twice = [root for root in roots if roots.count(root) > 1]
    if missing or twice:
        raise Unbound(
            (missing or twice)[0],
            f"the global {missing[0]!r} is not bound in the file that is transformed"
            if missing
            else f"the global {twice[0]!r} stands for different things in different files",
            why="the derivative module would have to find it somewhere else",
            instead=f"import {(missing or twice)[0]} in that file, or pass it as an argument",
        )
    found: dict[str, dict[str, str]] = {}
    for root, name in names:
        module, there = homes[root]
        found.setdefault(module, {})[there] = name
    return [_helper_import(home, inner) for home, inner in found.items()]


def injected_names(functions: list[Function], constants: Mapping[str, object] = {}) -> dict[str, Any]:
    """The objects that the loader must bind in the module before it runs, by their names there."""
    return Bindings(functions, constants).injected_names()


def function_definition(
    function: Function, bindings: Bindings, style: str, claims: dict[str, Claims] | None = None, main: bool = False,
    by_items: bool = False, traced: bool = False,
) -> gast.FunctionDef:
    """One function as a syntax tree with comments; for the checked mode its claims are added to ``claims``."""
    taken = bindings.taken_in(function)
    function, aliases = prepared(function, by_items and style == "compact")
    uses = Uses(function)
    folding = Folding(function, uses, aliases, style == "compact", whole_sums=not traced)
    variables = Variables(function, uses, folding)
    names = Names(function, variables, taken)
    if claims is not None and wanted():
        claims[function.name] = claims_of(function, names.by_value(function))
    expressions = Expressions(names, folding, bindings)
    printed = [op for op in ops_of(function.body) if folding.inline.keys().isdisjoint(op.results)]
    statements = Statements(
        function, expressions, Assignments(function, variables, expressions), Remarks(function, printed), main
    )
    arguments = _arguments(function, expressions)
    return gast.FunctionDef(function.name, arguments, statements.body(), [], None, None, [])


def _arguments(function: Function, expressions: Expressions) -> gast.arguments:
    """The signature; a default in front of a parameter without one cannot stay."""

    def parameter(value: Value) -> gast.Name:
        return gast.Name(expressions.names[value], gast.Param(), None, None)

    positional = [p for p in function.params if not p.keyword_only]
    keywords = [p for p in function.params if p.keyword_only]
    defaults: list[gast.expr] = []
    for p in reversed(positional):
        if p.default is None:
            break
        defaults.insert(0, expressions.value(p.default))
    return gast.arguments(
        args=[parameter(p.value) for p in positional],
        posonlyargs=[],
        vararg=None,
        kwonlyargs=[parameter(p.value) for p in keywords],
        kw_defaults=[None if p.default is None else expressions.value(p.default) for p in keywords],
        kwarg=None,
        defaults=defaults,
    )


def render_docstring(text: str) -> str:
    """A module's docstring."""
    if not text.strip():
        return ""
    return render(gast.Module([gast.Expr(gast.Constant(text.strip(), None))], [])).strip("\n")


def _helper_import(package: str, helpers: dict[str, str]) -> str:
    items = ", ".join(root if root == name else f"{root} as {name}" for root, name in helpers.items())
    line = f"from {package} import {items}"
    if len(line) <= 110:
        return line
    return f"from {package} import (\n    " + items.replace(", ", ",\n    ") + ",\n)"


def _constants(bindings: Bindings) -> str:
    targets = [
        gast.Assign([gast.Name(bindings.names[key], gast.Store(), None, None)], literal(payload, bindings), None)
        for key, payload in bindings.literals.items()
    ]
    return render(gast.Module(targets, [])).strip("\n") if targets else ""
