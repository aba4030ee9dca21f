"""The evaluation trace of y = ln(x1) + x1 x2 - sin(x2): values, tangents and adjoints, statement by statement.

The textbook's table has three columns, and so has this script's: s2sad writes the tangent and the adjoint program of
``y``, and the rows are the statements of those programs, executed one after the other. Run it::

    python examples/evaluation_trace.py
"""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

import numpy as np

from s2sad import differentiate


@differentiate(wrt=("x1", "x2"))
def y(x1: float, x2: float) -> float:
    """ln(x1) + x1 x2 - sin(x2)."""
    v3 = np.log(x1)
    v4 = x1 * x2
    v5 = np.sin(x2)
    v6 = v3 + v4
    y = v6 - v5
    return y


class Step(NamedTuple):
    """One executed statement: the name that it sets, its formula and the value."""

    name: str
    formula: str
    value: float


def steps(text: str, **arguments: float) -> list[Step]:
    """Execute the straight-line function that a generated module ends with, and watch every statement."""
    module = ast.parse(text)
    scope: dict[str, Any] = {}
    exec(compile(module, "<generated>", "exec"), scope)  # the module: its imports, its function
    function = module.body[-1]
    assert isinstance(function, ast.FunctionDef)
    scope.update(arguments)
    found = []
    for statement in function.body:
        if isinstance(statement, ast.Assign | ast.AugAssign):
            exec(compile(ast.Module([statement], []), "<generated>", "exec"), scope)
            name, _, formula = ast.unparse(statement).partition(" ")
            found.append(Step(name, formula.removeprefix("= "), float(scope[name])))
    return found


def primal_trace(x1: float, x2: float) -> list[Step]:
    """The statements of ``y`` in three-address form."""
    return steps(y.source("primal"), x1=x1, x2=x2)


def tangent_trace(x1: float, x2: float, x1_dot: float, x2_dot: float) -> list[Step]:
    """The tangents along (x1_dot, x2_dot): forward, in the order of the primal trace."""
    found = steps(y.source("tangent"), x1=x1, x2=x2, x1_dot=x1_dot, x2_dot=x2_dot)
    return [step for step in found if step.name.endswith("_dot")]


def adjoint_trace(x1: float, x2: float) -> list[Step]:
    """The adjoints: in reverse, and for both inputs at once."""
    found = steps(y.source("adjoint"), x1=x1, x2=x2, out_bar=1.0)
    return [step for step in found if step.name.endswith("_bar")]


def show(title: str, trace: list[Step]) -> None:
    """Print one column of the table."""
    print(f"\n{title}")
    for step in trace:
        print(f"  {step.name:8} {step.formula:28} {step.value:9.3f}")


def main() -> None:
    """Print the table at (2, 5)."""
    print("y = ln(x1) + x1 x2 - sin(x2) at x1 = 2, x2 = 5")
    show("primal trace", primal_trace(2.0, 5.0))
    show("tangent trace along x1", tangent_trace(2.0, 5.0, 1.0, 0.0))
    show("tangent trace along x2", tangent_trace(2.0, 5.0, 0.0, 1.0))
    show("adjoint trace, from y_bar = 1", adjoint_trace(2.0, 5.0))
    value, (x1_bar, x2_bar) = y.value_and_grad(2.0, 5.0)
    print(f"\ny = {value:.3f}, dy/dx1 = {x1_bar:.3f}, dy/dx2 = {x2_bar:.3f}")


if __name__ == "__main__":
    main()
