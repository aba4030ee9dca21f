"""Traits: answers about functions to passes, besides kinds, derivatives and effects, in tables by canonical names.

    have("commutes", "numpy.add numpy.multiply")            in a table of a library
    op.target in having("commutes")                         in a pass
    builder.call(spelled("copies"), x)                      in a pass: numpy.copy(x), the first that a table has

Silence means no. Passes rely on that of what ``one of a kind``, ``tells apart``, ``steep``, ``by contents`` and
``imaginary part`` are not said of; what the others are not said of is left as it is.
"""

from __future__ import annotations

from s2sad.rules.registry import load_tables

TRAITS = {
    "arranges": "it only arranges the items of its first argument anew, some perhaps more than once, or leaves some out",
    "moves": "it gives all items of its first argument, or a window of them, in places that shapes and further arguments decide",
    "copies": "it gives a new array with the items of its first argument",
    "shaped as 0": "its result has the shape of its first argument, if there are no more than two",
    "shaped as 1": "its result has the shape of its second argument",
    "joins": "it puts arrays, its first argument, end to end, each with as many axes as its result",
    "stacks": "it puts arrays, its first argument, along an axis of its result that they do not have",
    "puts into an array": "it makes an array of its first argument, a number or many",
    "scatters": "it adds to items of its first argument, also to one that is named more than once",
    "makes zeros": "it gives a new array of zeros",
    "makes room": "it gives a new array, with whatever contents",
    "tells sizes": "it looks at the shape of its argument alone",
    "asks for sizes": "it tells nothing but the size, axes or dtype of its argument, and cannot fail for what has axes",
    "tells zeros apart": "it gives something else for 0.0 than for -0.0",
    "writes by pieces": "into ``out=`` it writes piece by piece, without a look at what it overwrites",
    "commutes": "f(x, y) is f(y, x), to the last bit",
    "commutes for vectors": "so it does where both are vectors of real numbers",
    "odd by 0": "f(-x, ...) is -f(x, ...), to the last bit",
    "odd by 1": "f(x, -y) is -f(x, y), to the last bit",
    "adds": "its result is the sum or difference of its arguments, item by item, or its only argument, or minus that",
    "sums": "its result is a sum of items of its first argument, each with a weight that is not negative",
    "not negative": "its result is not below zero",
    "picks": "its result is one of the items of its first argument, or one of each row along an axis",
    "exponential": "it is the exponential of its argument",
    "logarithm": "it is the natural logarithm of its first argument",
    "counts": "it gives 0, 1, 2 ... up to its only argument",
    "within one": "its result is between -1 and 1, if it is real",
    "square root": "its result is the square root of its argument",
    "steep": "it is finite in places where its slope is not",
    "steep in the base": "so is this power, by its exponent",
    "contracts": "it is the sum of products of its further arguments, whose axes its first one, a text, gives letters",
    "multiplies": "it is the product of its two arguments",
    "shares": "what reaches an argument is what reaches the result, times a share that may be zero: a choice between arguments",
    "imaginary part": "its result is a window of the imaginary parts",
    "by contents": "it gives a window that the contents of its argument decide",
    "one of a kind": "it gives an object with an identity, or one that is used up by iterating over it",
    "tells apart": "it tells whether its arguments are one object, or lie in one memory, or where they are",
    "of a matrix": "a reader expects that its first argument has two axes",
    "inverse": "it is the inverse of its argument, a matrix",
    "determinant": "it is the determinant of its argument, a matrix",
    "cofactors": "it is the matrix of cofactors of its argument, a matrix",
    "solves": "it is the inverse of its first argument times its second one",
    "orders": "it tells which of two numbers is the smaller one, which changes nowhere but where they are equal",
    "reads well in place": "a reader wants to see it where it stands, as part of an expression",
    "cannot fail": "it gives a result for whatever it is given, of whatever size",
    "refuses None": "it raises where one of its arguments is None",
    "takes one item": "it fails only for an array of several items",
    "takes numbers": "it fails only for what is no number",
    "takes whole numbers": "it fails for all other numbers, one by one or in arrays",
    "fails by kinds": "it fails only for what is neither a number nor an array of numbers",
    "fails by shapes": "so it does, and where shapes do not fit",
    "fails along axes": "it fails only along an axis, its second argument, that there is not",
    "divides": "it fails where shapes do not fit, and where Python's numbers are divided by zero",
    "raises to powers": "it fails where shapes do not fit, and for negative powers of zero and of whole numbers",
    "multiplies matrices": "it fails where the last axis of one and the last but one of the other differ",
    "reads items": "it fails where there is no item under its second argument",
    "writes items": "so it does, and where its third argument does not fit there",
    "entered again": "it makes a context that the reverse sweep enters again",
}
_names: dict[str, set[str]] = {trait: set() for trait in TRAITS}
_first: dict[str, str] = {}


def have(trait: str, names: str) -> None:
    """State a trait of functions; raises KeyError for one that no pass asks for."""
    _names[trait].update(names.split())
    _first.setdefault(trait, names.split(maxsplit=1)[0])


def having(trait: str) -> set[str]:
    """The functions that have a trait, of the libraries that programs may use until now."""
    load_tables()
    return _names[trait]


def spelled(trait: str) -> str:
    """The function with a trait that programs of ours call: the one of which it is stated first."""
    load_tables()
    return _first[trait]
