"""Python's grammar, construct by construct: what is accepted, what is refused, why, and what to write instead.

The single source of the fence's texts and of the table in CONTRIBUTING.md (``python -m s2sad.frontend.grammar`` prints it).
A construct is a class of gast, which stands for the syntax of all Python versions; tests/frontend/test_grammar.py proves
that none is left out, that there is a program for each one, and that each refusal says where, why and what to do.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

SINCE = "0.1"


@dataclass(frozen=True, slots=True)
class Accepted:
    """A construct that is differentiated; ``note`` says how, or within which limits."""

    note: str = ""


@dataclass(frozen=True, slots=True)
class Refused:
    """A construct that is refused: ``what`` it is called, why, and what to write instead."""

    what: str
    why: str
    instead: str


@dataclass(frozen=True, slots=True)
class Absent:
    """A class of gast that is never met inside a function of Python 3."""

    note: str


_AWAIT = "the reverse sweep cannot await again what has passed"
_TYPES = "type parameters say nothing about values"

STATEMENTS: dict[str, Accepted | Refused | Absent] = {
    "FunctionDef": Accepted(
        "nested ones are lowered where they are called; transparent decorators, and any written in Python"
    ),
    "AsyncFunctionDef": Refused("async def", _AWAIT, "a plain function"),
    "ClassDef": Refused(
        "a class inside a function", "its methods cannot be resolved", "define the class at module level"
    ),
    "Return": Accepted("anywhere; becomes one return at the end"),
    "Delete": Accepted("names, items and slices of lists, keys of dicts"),
    "Assign": Accepted("any number of targets, unpacking, stores into arrays, lists, dicts and objects"),
    "TypeAlias": Refused("a type alias inside a function", _TYPES, "the alias at module level"),
    "AugAssign": Accepted("in place on arrays and lists, as in Python"),
    "AnnAssign": Accepted("the annotation is not evaluated"),
    "Print": Absent("Python 2"),
    "For": Accepted(
        "with break, continue and else; over ranges, arrays, lists, dicts, strings, iterators of itertools"
    ),
    "AsyncFor": Refused("async for", _AWAIT, "a plain for loop"),
    "While": Accepted("with break, continue, else, and assignments in the condition"),
    "If": Accepted(),
    "With": Accepted(
        "contexts known not to swallow exceptions; np.errstate is entered again in the reverse sweep"
    ),
    "AsyncWith": Refused("async with", _AWAIT, "a plain with statement"),
    "Match": Accepted("becomes if and elif"),
    "Raise": Accepted("also from another, and again in a handler"),
    "Try": Accepted(
        "the body runs twice in the forward sweep, first on copies of what it writes into; "
        "one that fails after it has written is refused as it runs"
    ),
    "TryStar": Refused(
        "try ... except*", "which of several exceptions occurred cannot be told", "try ... except"
    ),
    "Assert": Accepted("with a message"),
    "Import": Accepted("inside a function: of known libraries (NumPy, SciPy, math ...), and of modules imported already"),
    "ImportFrom": Accepted("inside a function: as above"),
    "Exec": Absent("Python 2"),
    "Global": Accepted("assigned ones are left as a call of the function leaves them; in modules they are refused"),
    "Nonlocal": Accepted("of functions that are nested in the program; of others as global"),
    "Expr": Accepted("calls for their effect; print runs in the forward sweep"),
    "Pass": Accepted(),
    "Break": Accepted(),
    "Continue": Accepted(),
}
EXPRESSIONS: dict[str, Accepted | Refused | Absent] = {
    "BoolOp": Accepted("gives the operand that decides"),
    "NamedExpr": Accepted("also in the conditions of loops and comprehensions"),
    "BinOp": Accepted(),
    "UnaryOp": Accepted(),
    "Lambda": Accepted("with defaults; lowered where it is called"),
    "IfExp": Accepted("only the arm that is taken is evaluated and differentiated"),
    "Dict": Accepted("constant keys make variables, computed ones a dict that exists as the program runs"),
    "Set": Accepted("of constants; of one that is filled by add, membership and length"),
    "ListComp": Accepted(),
    "SetComp": Accepted("of constants"),
    "DictComp": Accepted("nested, with conditions"),
    "GeneratorExp": Accepted("evaluated where it is used; it can be used once"),
    "Await": Refused("await", _AWAIT, "compute the value before the call"),
    "Yield": Accepted("as a statement; the generator's body is lowered where its items are consumed"),
    "YieldFrom": Accepted("as a statement"),
    "Compare": Accepted("chains evaluate each operand once; comparisons carry no derivative"),
    "Call": Accepted(
        "functions with a rule, or whose source is at hand; which of several, may be known only when the program runs"
    ),
    "Repr": Absent("Python 2"),
    "FormattedValue": Accepted("text carries no derivative"),
    "Interpolation": Refused("a template string", "what is made of it is not known", "an f-string"),
    "JoinedStr": Accepted("text carries no derivative"),
    "TemplateStr": Refused("a template string", "what is made of it is not known", "an f-string"),
    "Constant": Accepted("all but bytes"),
    "Attribute": Accepted("of modules, arrays and objects"),
    "Subscript": Accepted("reads and stores; views write through; of functions and objects, a computed index or key chooses one"),
    "Starred": Accepted("in calls, displays and targets, where the number of items is known"),
    "Name": Accepted(),
    "List": Accepted(),
    "Tuple": Accepted(),
    "Slice": Accepted(),
}
PARTS: dict[str, Accepted | Refused | Absent] = {
    "comprehension": Accepted("nested, with conditions"),
    "ExceptHandler": Accepted("by class, by several, bare; the exception may be named"),
    "arguments": Accepted("positional-only, keyword-only, defaults, *args and **kwargs"),
    "keyword": Accepted("also ** of a dict whose keys are known"),
    "alias": Accepted(),
    "withitem": Accepted("several in one statement"),
    "match_case": Accepted("with guards"),
    "MatchValue": Accepted(),
    "MatchSingleton": Accepted(),
    "MatchSequence": Accepted(),
    "MatchMapping": Accepted(),
    "MatchClass": Accepted("attributes by name and by position"),
    "MatchStar": Accepted(),
    "MatchAs": Accepted(),
    "MatchOr": Accepted(),
    "TypeVar": Refused("a type parameter", _TYPES, "a plain function"),
    "ParamSpec": Refused("a type parameter", _TYPES, "a plain function"),
    "TypeVarTuple": Refused("a type parameter", _TYPES, "a plain function"),
    "Load": Accepted(),
    "Store": Accepted(),
    "Del": Accepted(),
    "AugLoad": Absent("Python 2"),
    "AugStore": Absent("Python 2"),
    "Param": Accepted("the names of parameters, in gast"),
    "type_ignore": Absent("comments are kept as text"),
    "Module": Absent("stands around functions"),
    "Interactive": Absent("stands around functions"),
    "Expression": Absent("stands around functions"),
    "FunctionType": Absent("type comments are not read"),
    "Suite": Absent("Python 2"),
}
OPERATORS: dict[str, Accepted | Refused | Absent] = {
    **dict.fromkeys(("Add", "Sub", "Mult", "MatMult", "Div", "Pow", "UAdd", "USub"), Accepted()),
    **dict.fromkeys(("Mod", "FloorDiv"), Accepted("piecewise: the derivative between the jumps")),
    **dict.fromkeys(("LShift", "RShift", "BitOr", "BitXor", "BitAnd", "Invert"), Accepted("no derivative")),
    **dict.fromkeys(("And", "Or", "Not"), Accepted()),
    **dict.fromkeys(("Eq", "NotEq", "Lt", "LtE", "Gt", "GtE"), Accepted("no derivative")),
    **dict.fromkeys(("Is", "IsNot", "In", "NotIn"), Accepted("no derivative")),
}
GRAMMAR: dict[str, Accepted | Refused | Absent] = {**STATEMENTS, **EXPRESSIONS, **PARTS, **OPERATORS}


def refusal(name: str) -> Refused:
    """The text for a construct that is refused here; a general one for those that are refused only in places."""
    found = GRAMMAR.get(name)
    if isinstance(found, Refused):
        return found
    return Refused(f"this {name}", "it is not supported in this place", "simpler statements")


def table() -> str:
    """The grammar as a Markdown table."""
    lines = ["| construct | | since | note |", "|---|---|---|---|"]
    for title, part in (
        ("Statements", STATEMENTS),
        ("Expressions", EXPRESSIONS),
        ("Operators", OPERATORS),
        ("Parts", PARTS),
    ):
        lines.append(f"| **{title}** | | | |")
        for name, entry in part.items():
            if isinstance(entry, Accepted):
                lines.append(f"| `{name}` | supported | {SINCE} | {entry.note} |")
            elif isinstance(entry, Refused):
                lines.append(f"| `{name}` | refused | | {entry.why}; write {entry.instead} |")
    return "\n".join(line.replace("  ", " ") for line in lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(table())
