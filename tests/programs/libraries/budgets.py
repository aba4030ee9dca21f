"""State that a call updates and then compares: tanks, budgets, stocks; memories in which whole numbers are kept."""

import numpy as np


class Tank:
    def __init__(self, left=1.0):
        self.left = left

    def burn(self, s):
        self.left -= s
        if self.left < 0.5:
            return s * 3
        return self.left * s

    def burn_half(self, s):
        self.left -= 0.5 * s
        thrust = s * 3 if self.left < 0.5 else self.left * s
        return thrust * s


TANK, FULL, SHIP = Tank(), Tank(9.0), Tank(2.0)


def a_tank(s):
    return TANK.burn(s)


def a_full_tank(s):
    return FULL.burn(s) * FULL.left


def half_a_tank(s):
    return SHIP.burn_half(s)


class Budget:
    def __init__(self):
        self.spent, self.limit, self.refused = 0.0, 4.0, 0

    def buy(self, price):
        self.spent = self.spent + price
        if self.spent > self.limit:
            self.refused += 1
            return 0.0 * price
        return price**2


BUDGET = Budget()


def spent_in_a_loop(x):
    return sum(BUDGET.buy(price) for price in x) + BUDGET.spent


class Stock:
    def __init__(self):
        self.amounts = np.array([2.0, 1.0, 3.0])

    def take(self, x):
        self.amounts -= x
        if np.sum(self.amounts) < 0.0:
            return np.sum(x**2) * 5
        return np.sum(self.amounts * x)


STOCK = Stock()


def an_array_of_amounts(x):
    return STOCK.take(x) + STOCK.take(0.1 * x)


class Pairs:
    """The pairs that are near, which are sought again where something has moved far."""

    def __init__(self):
        self.count, self.places = 1, np.array([0.7, 1.2, 2.0])

    def energy(self, x):
        if np.max(np.abs(x - self.places)) > 0.05:
            self.count, self.places = self.count + 1, x.copy()
        return self.count * np.sum((x[:-1] - x[1:]) ** 2)


PAIRS = Pairs()


def whole_numbers_are_remembered(x):
    return PAIRS.energy(x)
