"""Transposes, conjugates and columns as formulas write them, so that plain cases read well.

real matrices            v.T                      v * w
complex matrices         conj(v).T                v * w
stacks of matrices       swapaxes(v, -1, -2)      v * w[..., None, :]
"""

from __future__ import annotations

from s2sad.rules.application import Application
from s2sad.rules.call_formulas import field_of


class Matrices:
    """The words for the matrix argument ``param`` of a call; names and expressions are given as text.

    An expression that is not a name, a call or a subscript has to come in parentheses.
    """

    def __init__(self, app: Application, param: str) -> None:
        self.real = field_of(app, param) == "real"
        self.flat = app.rank(param) == 2
        self.maybe = app.rank(param) is None

    def conj(self, x: str) -> str:
        """The complex conjugate."""
        return x if self.real else f"conj({x})"

    def real_part(self, x: str) -> str:
        """The real part."""
        return x if self.real else f"real({x})"

    def t(self, x: str) -> str:
        """The transpose."""
        return f"{x}.T" if self.flat else f"swapaxes({x}, -1, -2)"

    def h(self, x: str) -> str:
        """The conjugate transpose."""
        return self.t(self.conj(x))

    def row(self, w: str) -> str:
        """A vector (or a stack of them) such that multiplying with it scales columns."""
        return w if self.flat else f"{w}[..., None, :]"

    def column(self, w: str) -> str:
        """A vector (or a stack of them) such that multiplying with it scales rows."""
        return f"{w}[:, None]" if self.flat else f"{w}[..., :, None]"

    def cell(self, x: str) -> str:
        """A number (or a stack of them) that multiplies whole matrices."""
        return x if self.flat else f"{f'asarray({x})' if self.maybe else x}[..., None, None]"

    def sum_rows(self, x: str) -> str:
        """The sums of columns."""
        return f"sum({x}, axis={'0' if self.flat else '-2'})"

    def trace(self, x: str) -> str:
        """The trace."""
        return f"trace({x})" if self.flat else f"trace({x}, axis1=-2, axis2=-1)"

    def divided(self, x: str, y: str) -> str:
        """``x @ inv(y)``."""
        return self.t(f"linalg.solve({self.t(y)}, {self.t(x)})")

    def divided_by_transpose(self, x: str, y: str) -> str:
        """``x @ inv(y.T)``."""
        return self.t(f"linalg.solve({y}, {self.t(x)})")
