"""``scipy.stats``: densities of vectors, one vector or rows of them, of which matrices only the lower triangle is read."""

from __future__ import annotations

from s2sad.ir.kinds import Array, Kind, Scalar, dtype_of, is_many
from s2sad.libraries.scipy.rules.adapted import only
from s2sad.libraries.scipy.rules.names import no_slope
from s2sad.libraries.scipy.rules.stats import STATS
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import Written, refuse, written
from s2sad.rules.kind_arrays import array_kind, if_double
from s2sad.rules.kind_rules import Bound, KindRule, shape_of
from s2sad.rules.registry import general


def plain_numbers(app: Application) -> None:
    """Refuse complex numbers, of which there are no densities, and half precision, which NumPy's linear algebra lacks."""
    for p, value in app.bound.items():
        dtype = dtype_of(value.kind) or ""
        if dtype.startswith("complex") or dtype == "float16":
            refuse(app, f"with {p} of {dtype}", "its formulas are those of real numbers, in single precision at least", "float64")


class Normal:
    """The multivariate normal distribution; ``density``: itself, not its logarithm."""

    INVERSE = "linalg.inv(mirror_lower(cov))"

    def __init__(self, app: Application, density: bool = False) -> None:
        if app.rank("cov") != 2 or app.rank("x") not in (1, 2) or app.rank("mean") not in (None, 1):
            refuse(app, "of these shapes", "vectors of numbers, or rows of them, and a matrix are expected",
                   "a mean of shape (d,), a cov of shape (d, d), and x of shape (d,) or (n, d)")  # fmt: skip
        if app.given("mean") and app.rank("mean") is None:
            refuse(app, "with a mean of unknown rank", "it must be a vector", "an annotation of its shape")
        only(app, allow_singular=False)
        self.rows = app.rank("x") == 2
        self.single = (shape_of(array_kind(app.kind("x"))) or (None,))[0] == 1 and self.rows
        rest = "(x - mean)" if app.given("mean") else "x"
        self.whitened = f"({rest} @ {self.INVERSE})"
        self.density = density
        self.due = "(g * out)" if density else "g"  # the adjoint of the logarithm
        self.weight = f"reshape({self.due}, (-1, 1))" if self.rows else self.due

    def push(self, param: str) -> str:
        """The tangent of the log-density."""
        w = self.whitened
        if param == "cov":
            text = f"0.5 * (sum(({w} @ mirror_lower(g)) * {w}, axis=-1) - trace({self.INVERSE} @ mirror_lower(g)))"
        else:
            text = f"{'-' if param == 'x' else ''}sum({w} * g, axis=-1)"
        text = f"({text})[0]" if self.single else f"reshape({text}, shape(out))" if self.rows else text
        return f"out * ({text})" if self.density else text

    def pull(self, param: str) -> str:
        """The adjoint of an argument."""
        w = self.whitened
        if param == "x":
            return f"-{self.weight} * {w}"
        if param == "mean":
            return f"sum({self.weight} * {w}, axis=0)" if self.rows else f"{self.due} * {w}"
        outer = f"({self.weight} * {w}).T @ {w}" if self.rows else f"{self.due} * outer({w}, {w})"
        return f"fold_upper(0.5 * ({outer} - sum({self.due}) * {self.INVERSE}))"


def _normal_kind(bound: Bound) -> Kind:
    """Rows of numbers give one number each, a single row a number."""
    shape = shape_of(array_kind(bound["x"].kind))
    if shape is not None and (len(shape) == 1 or (len(shape) == 2 and shape[0] == 1)):
        return Scalar("float64", weak=False)
    known = shape is not None and len(shape) == 2 and is_many(shape[0])
    return Array("float64", shape[:1]) if shape is not None and known else Kind()


def _normal(function: str, density: bool) -> None:
    def push(param: str) -> Written:
        return written(lambda app: Normal(app, density).push(param))

    def pull(param: str) -> Written:
        return written(lambda app: Normal(app, density).pull(param))

    general(
        f"scipy.stats.multivariate_normal.{function}(x, mean=None, cov=1, allow_singular=False)",
        push={p: push(p) for p in ("x", "mean", "cov")},
        pull={p: pull(p) for p in ("x", "mean", "cov")},
        kind=_normal_kind,
        facts={"refuses": plain_numbers},
    )


_normal("logpdf", density=False)
_normal("pdf", density=True)


def _number(_: Bound) -> Kind:
    return Scalar("float64", weak=False)


def _entropy(formula: str) -> Written:
    def write(app: Application) -> str:
        if app.rank("cov") != 2:
            refuse(app, "of this shape", "a matrix is expected", "a cov of shape (d, d)")
        return formula

    return written(write)


general(
    "scipy.stats.multivariate_normal.entropy(mean=None, cov=1)",
    push={"cov": _entropy("0.5 * trace(linalg.inv(mirror_lower(cov)) @ mirror_lower(g))")},
    pull={"cov": _entropy("fold_upper(0.5 * g * linalg.inv(mirror_lower(cov)))")},
    kind=_number,
    facts={"refuses": plain_numbers},
)

# --- shares


def _of_vectors(kind: Kind, *params: str) -> KindRule:
    """The kind for one vector of each; of several, SciPy gives several numbers."""

    def rule(bound: Bound) -> Kind:
        alone = all(len(shape_of(array_kind(bound[p].kind)) or ()) == 1 for p in params)
        return kind if alone else Kind()

    return rule


def _shares(formula: str) -> Written:
    def write(app: Application) -> str:
        if app.rank("x") != 1 or app.rank("alpha") != 1:
            refuse(app, "of these shapes", "one vector of shares is expected", "x and alpha of shape (d,)")
        return formula

    return written(write)


_BY_ALPHA = "(log(x) + psi(sum(alpha)) - psi(alpha))"
for _function, _factor in (("logpdf", ""), ("pdf", "out * ")):
    general(
        f"scipy.stats.dirichlet.{_function}(x, alpha)",
        push={
            "x": _shares(f"{_factor}sum((alpha - 1) / x * g)"),
            "alpha": _shares(f"{_factor}sum({_BY_ALPHA} * g)"),
        },
        pull={
            "x": _shares(f"{_factor}g * (alpha - 1) / x"),
            "alpha": _shares(f"{_factor}g * {_BY_ALPHA}"),
        },
        kind=if_double(_of_vectors(Scalar("float64", weak=False), "x", "alpha")),
        facts={**STATS, "refuses": plain_numbers},
    )


def _counts(formula: str) -> Written:
    def write(app: Application) -> str:
        if app.rank("x") != 1 or app.rank("p") != 1:
            refuse(app, "of these shapes", "one vector of counts is expected", "x and p of shape (d,)")
        return formula

    return written(write)


_ODDS = (
    "(x / p - x[-1] / (1 - sum(p[:-1])))[:-1]"  # the last item of p counts for nothing: SciPy fills up to 1
)
for _function, _factor, _kind in (("logpmf", "", Array("float64", ())), ("pmf", "out * ", Scalar("float64", weak=False))):
    general(
        f"scipy.stats.multinomial.{_function}(x, n, p)",
        push={
            "x": no_slope("x", "it counts"),
            "n": no_slope("n", "it counts"),
            "p": _counts(f"{_factor}sum({_ODDS} * g[:-1])"),
        },
        pull={
            "x": no_slope("x", "it counts"),
            "n": no_slope("n", "it counts"),
            "p": _counts(f"pad({_factor}g * {_ODDS}, (0, 1))"),
        },
        kind=_of_vectors(_kind, "x", "p"),
        facts={**STATS, "refuses": plain_numbers},
    )
