"""Known text that a program takes apart as it runs: tokenizers and parsers, whose numbers and names say what is computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from verdicts import assert_right


def counted(text):
    i = found = 0
    while i < len(text):
        c = text[i]
        if c.isspace():
            i += 1
            continue
        found += 1
        i += 1
    return found


def words(x):
    return x[0] * counted("a 1 2")


def signs(x, text="3+4*x-x"):
    total, sign, i = 0.0, 1.0, 0
    while i < len(text):
        c = text[i]
        if c.isdigit():
            total += sign * float(c) * x[1]
        elif c.isalpha():
            total += sign * x[0] * x[1]
        elif c in "+-":
            sign = 1.0 if c == "+" else -1.0
        i += 1
    return total


def composed(x):
    text, y, i = "sin cos exp", x, 0
    while i < len(text):
        end = text.find(" ", i)
        if end < 0:
            end = len(text)
        word = text[i:end]
        if word == "sin":
            y = np.sin(y)
        elif word.startswith("co"):
            y = np.cos(y)
        else:
            y = np.exp(y)
        i = end + 1
    return np.sum(y)


class Parser:
    def __init__(self, text):
        self.text, self.at = text, 0

    def peek(self):
        return self.text[self.at] if self.at < len(self.text) else ""

    def expression(self, x):
        value = self.term(x)
        while self.peek() and self.peek() in "+-":
            plus = self.peek() == "+"
            self.at += 1
            other = self.term(x)
            value = value + other if plus else value - other
        return value

    def term(self, x):
        value = self.atom(x)
        while self.peek() == "*":
            self.at += 1
            value = value * self.atom(x)
        return value

    def atom(self, x):
        c = self.peek()
        self.at += 1
        return x[0] if c == "x" else float(c)


def parsed(x):
    return Parser("2*x*x+3*x-1").expression(x)


@pytest.mark.parametrize("function", [words, signs, composed, parsed], ids=lambda f: f.__name__)
def test_right(function: Callable[..., Any]) -> None:
    assert_right(function)
