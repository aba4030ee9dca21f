"""s2sad: source-to-source automatic differentiation for Python and NumPy programs."""

from s2sad.api import grad, jvp, stop_gradient, value_and_grad, vjp
from s2sad.batching import vmap
from s2sad.checkpoints import checkpoint, checkpointed
from s2sad.differentiable import Differentiable, differentiate
from s2sad.errors import (
    ActivityError,
    AliasError,
    CompilerError,
    KindError,
    NonDifferentiableError,
    NoRuleError,
    S2sadError,
    SourceError,
    UnsupportedSyntaxError,
)
from s2sad.implicit import argmin, fixed_point, root
from s2sad.jacobians import hessian, hvp, jacfwd, jacobian, jacrev, value_and_jacobian
from s2sad.linear import as_linear_operator, linearize
from s2sad.rules.adjoint_hooks import adjoint_of
from s2sad.rules.user import nondifferentiable, rule
from s2sad.sparse.coloring import Coloring, color
from s2sad.sparse.evaluation import sparse_hessian, sparse_jacobian
from s2sad.sparse.patterns import hessian_sparsity, jacobian_sparsity
from s2sad.testing import check_grads
from s2sad.vectors import ravel

__version__ = "0.1.0"
__all__ = [
    "ActivityError",
    "AliasError",
    "Coloring",
    "CompilerError",
    "Differentiable",
    "KindError",
    "NoRuleError",
    "NonDifferentiableError",
    "S2sadError",
    "SourceError",
    "UnsupportedSyntaxError",
    "adjoint_of",
    "argmin",
    "as_linear_operator",
    "check_grads",
    "checkpoint",
    "checkpointed",
    "color",
    "differentiate",
    "fixed_point",
    "grad",
    "hessian",
    "hessian_sparsity",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacobian_sparsity",
    "jacrev",
    "jvp",
    "linearize",
    "nondifferentiable",
    "ravel",
    "root",
    "rule",
    "sparse_hessian",
    "sparse_jacobian",
    "stop_gradient",
    "value_and_grad",
    "value_and_jacobian",
    "vjp",
    "vmap",
]
