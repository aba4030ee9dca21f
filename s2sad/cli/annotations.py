"""Kinds from a function's annotations and defaults, read and never evaluated.

``x: float``, ``n: int``, ``a: np.ndarray`` (rank unknown), ``NDArray[np.float64]``, and jaxtyping's
``Float[np.ndarray, "n d"]``: equal names are equal sizes, a literal 1 is a size of 1.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import gast

from s2sad.frontend.lower.signatures import default_nodes
from s2sad.ir.kinds import (
    ANY_INT,
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    STR,
    UNKNOWN,
    Array,
    Dim,
    Kind,
    List,
    Scalar,
    Size,
    Tuple,
)

SCALARS: dict[str, Kind] = {"float": FLOAT, "int": INT, "bool": BOOL, "complex": COMPLEX, "str": STR}
DEFAULTS: dict[type, Kind] = {bool: BOOL, str: STR}
ARRAYS = {"ndarray", "NDArray", "ArrayLike"}
SHAPED = {
    "Float": "float64",
    "Float64": "float64",
    "Float32": "float32",
    "Int": "int64",
    "Complex": "complex128",
    "Bool": "bool",
}


CONTAINERS = gast.Tuple | gast.List | gast.Dict | gast.Set


def kinds_of(definition: gast.FunctionDef) -> dict[str, Kind]:
    """The kind of every parameter; unknown where neither an annotation nor a default tells.

    A number as the default says little: an array may be passed all the same. An array whose default is none (``w: np.ndarray =
    None``) may be anything.
    """
    defaults = default_nodes(definition)
    found: dict[str, Kind] = {}
    a = definition.args
    for parameter in [*a.posonlyargs, *a.args, *a.kwonlyargs]:
        default = defaults.get(parameter.id)
        if parameter.annotation is None:
            found[parameter.id] = DEFAULTS.get(type(_literal(default)), UNKNOWN)
            continue
        kind = kind_of_annotation(gast.gast_to_ast(parameter.annotation), parameter.id)
        other = isinstance(default, gast.Constant) and (default.value is None or isinstance(kind, Array))
        found[parameter.id] = UNKNOWN if other else kind
    return found


def counts_of(definition: gast.FunctionDef) -> frozenset[str]:
    """The parameters without an annotation whose defaults are integers, which are to be expected to count something, or tuples,
    lists and dicts, of whose items it is not known which have derivatives; and those that can only be whole: ``range(n)``."""
    parameters = {p.id: p for p in gast.walk(definition.args) if isinstance(p, gast.Name) and isinstance(p.ctx, gast.Param)}
    found = default_nodes(definition).items()
    whole = {name for name, node in found if type(_literal(node)) is int or isinstance(node, CONTAINERS)}
    rebound = {n.id for n in gast.walk(definition) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store)}
    whole |= {name for node in gast.walk(definition) for name in _whole_in(node)} - rebound
    return frozenset(name for name in whole if name in parameters and parameters[name].annotation is None)


def _whole_in(node: gast.AST) -> Iterator[str]:
    """The names that are whole, as a range or slice is made of them."""
    if isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and node.func.id == "range":
        bounds = node.args
    elif isinstance(node, gast.Slice):
        bounds = [bound for bound in (node.lower, node.upper, node.step) if bound is not None]
    else:
        return
    parts = list(bounds)
    while parts:
        part = parts.pop()
        if isinstance(part, gast.Name):
            yield part.id
        elif isinstance(part, gast.BinOp) and isinstance(part.op, gast.Add | gast.Sub | gast.Mult):
            parts += [part.left, part.right]
        elif isinstance(part, gast.UnaryOp):
            parts.append(part.operand)


def with_items(definition: gast.FunctionDef, name: str) -> Kind:
    """The kind of a parameter whose default is a tuple, to be differentiated by its items; unknown for other ones."""
    return _items_of(default_nodes(definition).get(name))


def _items_of(node: Any) -> Kind:
    return Tuple(tuple(map(_items_of, node.elts))) if isinstance(node, gast.Tuple) else UNKNOWN


def _literal(node: Any) -> Any:
    return node.value if isinstance(node, gast.Constant) else None


def _named(type_name: str, name: str) -> Kind:
    if type_name == "int":
        return Scalar("int64", size=Dim(("int", (name,)), least=ANY_INT))
    return SCALARS.get(type_name, UNKNOWN)


def kind_of_annotation(node: ast.expr, name: str) -> Kind:
    """The kind that an annotation names."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            node = ast.parse(node.value, mode="eval").body
        except SyntaxError:
            return UNKNOWN
    if isinstance(node, ast.Name | ast.Attribute):
        last = node.id if isinstance(node, ast.Name) else node.attr
        return Array() if last in ARRAYS else _named(last, name)
    if isinstance(node, ast.Subscript):
        return _generic(node, name)
    return UNKNOWN


def _generic(node: ast.Subscript, name: str) -> Kind:
    base = node.value
    last = base.id if isinstance(base, ast.Name) else base.attr if isinstance(base, ast.Attribute) else ""
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if (
        last in SHAPED
        and len(items) == 2
        and isinstance(items[1], ast.Constant)
        and isinstance(items[1].value, str)
    ):
        return _shaped(SHAPED[last], items[1].value)
    if last in ARRAYS:
        inner = items[-1]
        dtype = inner.attr if isinstance(inner, ast.Attribute) else None
        return Array(dtype if dtype in ("float64", "float32", "int64", "complex128") else None)
    if last in ("list", "List"):
        return List(kind_of_annotation(items[0], name))
    if last in ("tuple", "Tuple"):
        return Tuple(tuple(kind_of_annotation(item, name) for item in items))
    return UNKNOWN


def _shaped(dtype: str, axes: str) -> Kind:
    if "..." in axes or "*" in axes:
        return Array(dtype)
    sizes: list[Size] = [int(axis) if axis.isdecimal() and axis.isascii() else Dim(("named", axis)) for axis in axes.split()]
    return Array(dtype, tuple(sizes)) if sizes else Scalar(dtype)
