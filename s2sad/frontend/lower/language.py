"""The accepted language, on one screen: which function lowers which construct, and which entities can be called.

What is in none of these tables is refused by the fence, with a reason.
"""

from __future__ import annotations

import functools
import itertools

from s2sad.frontend.entities import Choice, Closure, Method, Partial, Record, SourceFunction, Static, Struct
from s2sad.frontend.lower import (
    assignment,
    attributes,
    builtin_calls,
    calls,
    comprehensions,
    contexts,
    copying,
    cursors,
    deletion,
    dispatch,
    expressions,
    failures,
    generators,
    generic,
    getters,
    imports,
    iteration,
    iterators,
    moves,
    operators,
    ordering,
    prelude_calls,
    quantifiers,
    selection,
    sets,
    statements,
    strings,
    subscripts,
)
from s2sad.frontend.lower.functions import lower_function
from s2sad.ir.nodes import Global

dispatch.EXPRESSIONS.update(
    Name=expressions.name,
    Constant=expressions.constant,
    Tuple=expressions.tuple_,
    List=expressions.list_,
    Dict=expressions.dict_,
    IfExp=expressions.if_exp,
    NamedExpr=expressions.named,
    Lambda=expressions.lambda_,
    JoinedStr=strings.joined,
    FormattedValue=strings.formatted,
    Starred=expressions.starred,
    BinOp=operators.binary,
    UnaryOp=operators.unary,
    Compare=operators.compare,
    BoolOp=operators.bool_op,
    Attribute=attributes.attribute,
    Subscript=subscripts.subscript,
    Slice=subscripts.slice_,
    Call=calls.call,
    ListComp=comprehensions.list_comprehension,
    GeneratorExp=comprehensions.generator,
    Set=comprehensions.set_,
    SetComp=comprehensions.set_comprehension,
    DictComp=comprehensions.dict_comprehension,
    Yield=generators.yielded,
)
dispatch.STATEMENTS.update(
    Assign=assignment.assign_statement,
    AugAssign=assignment.aug_assign,
    If=statements.if_statement,
    For=statements.for_statement,
    While=statements.while_statement,
    Expr=statements.expression_statement,
    Return=statements.return_statement,
    FunctionDef=statements.function_statement,
    Assert=statements.assert_statement,
    Raise=statements.raise_statement,
    Delete=deletion.delete_statement,
    Pass=statements.pass_statement,
    With=contexts.with_statement,
    Try=failures.try_statement,
    Global=statements.global_statement,
    Nonlocal=statements.nonlocal_statement,
    Import=imports.import_statement,
    ImportFrom=imports.import_from,
)
builtin_calls.TABLE.update(iteration.TABLE | ordering.TABLE | iterators.TABLE | cursors.TABLE | strings.TABLE)
builtin_calls.TABLE.update(moves.TABLE | prelude_calls.TABLE | sets.TABLE | operators.TABLE | getters.TABLE | copying.TABLE)
builtin_calls.TABLE.update(imports.TABLE)
builtin_calls.TABLE.update(generic.TABLE)
_OVER_OTHERS = (enumerate, zip, any, all, itertools.chain, itertools.cycle, itertools.islice, itertools.pairwise,
                itertools.zip_longest)  # fmt: skip
_FOR_A_FUNCTION = (map, functools.reduce, itertools.starmap)
builtin_calls.TABLE.update({iterator: iteration.of_opened(builtin_calls.TABLE[iterator]) for iterator in _OVER_OTHERS})
builtin_calls.TABLE.update({one: iteration.of_opened(builtin_calls.TABLE[one], first=1) for one in _FOR_A_FUNCTION})
builtin_calls.UNEVALUATED.update(quantifiers.TABLE)
dispatch.CALLABLES.update(
    {
        Static: calls.apply_known,
        SourceFunction: calls.apply_static,
        Closure: calls.apply_closure,
        Method: calls.method,
        Record: calls.apply_box,
        Struct: calls.apply_maybe,
        Partial: calls.apply_partial,
        Choice: selection.apply_choice,
        Global: calls.apply_global,
    }
)

__all__ = ["lower_function"]
