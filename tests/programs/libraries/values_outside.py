"""Programs that compare what they find outside by its value: dates, fractions, sets, queues; members of enumerations."""

import datetime
import enum
import fractions
from collections import deque

DAY, HOURS = datetime.timedelta(1), datetime.timedelta(hours=24)
HALF, QUARTERS = fractions.Fraction(1, 2), fractions.Fraction(2, 4)
FROZEN, THAWED = frozenset([1, 2]), {2, 1}
QUEUE, SAME_QUEUE = deque([1.0]), deque([1.0])


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Height(enum.IntEnum):
    FLAT = 1


def equal_spans(s):
    return s * s if DAY == HOURS else s


def spans_that_differ(s):
    return s if DAY != HOURS else s * s


def equal_fractions(s):
    return s * s if HALF == QUARTERS else s


def equal_sets(s):
    return s * s if FROZEN == THAWED else s


def equal_queues(s):
    return s * s if QUEUE == SAME_QUEUE else s


def members_of_two_enumerations(s):
    return s * s if Level.LOW == Height.FLAT and Level.HIGH != Height.FLAT else s
