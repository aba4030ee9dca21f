"""The number of directions that a sweep takes, so that the values, which each computes again, are a small part of its work."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator

import numpy as np

LIGHT = {"append", "copy", "float", "int", "len", "list", "pop", "range", "reshape", "shape", "sum", "tuple"}
LIGHT |= {"empty_like", "zeros", "zeros_like"}
PRODUCTS = {"dot", "einsum", "inner", "matmul", "tensordot", "vdot"}
PRODUCT = 2**6  # operations for one number
UNKNOWN = 2**12  # operations, of functions that may be anything: a factorization, a solver
ROUNDS = 8  # of a loop


@functools.lru_cache(512)
def fewest(text: str) -> int:
    """The fewest directions for which the values of a program of vector mode take at most twice as long as the directions.

    Only the order of what operators and functions take is looked at. What is not known takes as long as it may, where it is of
    the values: all directions then go at once.
    """
    module = ast.parse(text)
    functions = [node for node in module.body if isinstance(node, ast.FunctionDef)]
    own = {function.name for function in functions}  # counted where they are defined
    values, along = 0, 1
    for function in functions:
        depend = {a.arg for a in function.args.args if a.arg.endswith(("_dot", "_bar"))} | {"directions"}
        for statement, often in _statements(function, 1):
            for node in ast.walk(statement):
                if isinstance(node, ast.BinOp | ast.AugAssign | ast.Call) and _called(node) not in own:
                    if depend.isdisjoint(_names(node)):
                        values += often * _work(node, UNKNOWN)
                    else:
                        along += often * _work(node, PRODUCT)
            if not depend.isdisjoint(_names(statement)):
                depend |= _names(statement, ast.Store)
    return -(-values // (2 * along))


def _statements(inside: ast.AST, often: int) -> Iterator[tuple[ast.stmt, int]]:
    """The statements without others in them, and how often they are taken to run."""
    for node in ast.iter_child_nodes(inside):
        if isinstance(node, ast.stmt) and hasattr(node, "body"):
            yield from _statements(node, often * (ROUNDS if isinstance(node, ast.For | ast.While) else 1))
        elif isinstance(node, ast.stmt):
            yield node, often


def _names(node: ast.AST, within: type[ast.expr_context] = ast.expr_context) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name) and isinstance(inner.ctx, within)}


def _called(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _work(node: ast.BinOp | ast.AugAssign | ast.Call, unknown: int) -> int:
    """The number of operations that an operator or a call takes for one number."""
    if not isinstance(node, ast.Call):
        return {ast.MatMult: PRODUCT, ast.Pow: 4}.get(type(node.op), 1)
    name = _called(node)
    if name in LIGHT or name in PRODUCTS:
        return 1 if name in LIGHT else PRODUCT
    return 4 if isinstance(getattr(np, name, None), np.ufunc) else unknown
