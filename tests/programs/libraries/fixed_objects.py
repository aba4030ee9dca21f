"""Programs with dates, spans of time, patterns and texts: what is known of them is known before the program runs."""

import calendar
import datetime
import json
import re
from datetime import date, timedelta

START, END = datetime.datetime(2020, 1, 1), datetime.datetime(2020, 3, 1)
PATTERN = re.compile(r"(\w)(\d+)")
DATES = (date(2020, 1, 1), date(2020, 2, 1), date(2020, 6, 1))


def year_fraction(first, last):
    return (last - first).days / 365.25


def a_bond(s):
    total = 0.0
    for due in DATES:
        total = total + s ** year_fraction(date(2019, 1, 1), due)
    return total


def a_bond_in_a_list(s):
    return sum(s ** ((due - date(2019, 1, 1)).total_seconds() / 3.2e7) for due in list(DATES))


def spans(s):
    span = timedelta(days=1, hours=3) * 2 + timedelta(minutes=5)
    if span > timedelta(1):
        return s * s * span.total_seconds() / 3600 + span / timedelta(hours=1) * s
    return s


def parts_of_a_span_outside(s):
    span = END - START
    return s * s * span.days + s * span.total_seconds() / 86400 + START.year * s


def days_one_by_one(s):
    now, total = START, 0.0
    while now < END:
        total = total + s * s * now.day
        now = now + timedelta(days=10)
    return total


def days_by_number(s):
    total = 0.0
    for k in range(4):
        day = START + timedelta(days=k)
        total = total + s * s * day.weekday()
    return total


def one_of_two_spans(s):
    span = timedelta(1) if s > 0 else timedelta(2)
    return s * s * span.days


def a_span_by_default(s, span=timedelta(hours=2)):
    return s * s * span.total_seconds()


class Event:
    def __init__(self, start, end):
        self.start, self.end = start, end

    def length(self):
        return (self.end - self.start).total_seconds() / 86400


EVENT = Event(START, END)


def lengths_of_events(s):
    return s * s * EVENT.length() + Event(START, START + timedelta(2)).length() * s


def written_dates(s):
    day = date.fromisoformat("2020-03-04")
    moment = datetime.datetime.strptime("2020-03-04", "%Y-%m-%d")
    return s * s * day.day + s * moment.month + calendar.monthrange(2020, 2)[1] * s


def a_clock(s):
    start = datetime.datetime.now()
    y = s * s
    return y if (datetime.datetime.now() - start).total_seconds() < 1e6 else s


def numbers_that_are_found(s):
    total = 0.0
    for digits in re.findall(r"\d+", "a12b3c4"):
        total = total + float(digits) * s * s
    for found in re.finditer(r"(\w)(\d+)", "a12b3"):
        total = total + int(found.group(2)) * s + found.start() * s * s
    return total


def a_match(s):
    found = PATTERN.match("a12")
    return s * s * int(found[2]) + len(found.groups()) * s if found else s


def no_match(s):
    found = re.search("A", "xby", re.IGNORECASE)
    return s * s if found is None else s * int(found.group(1))


def text_that_is_changed(s, name="aab"):
    return s * s if re.sub("a", "b", name) == "bbb" else s


def settings_in_text(s):
    settings = json.loads('{"scale": 2.0, "powers": [1, 2], "more": {"off": null, "on": true}}')
    return s ** settings["powers"][1] * settings["scale"] + (s if settings["more"]["on"] else 0.0)


def numbers_by_base(s):
    return s * s * int("0x10", 16) + int("101", base=2) * s


def a_number_that_is_none(s):
    try:
        k = int("zz", 10)
    except ValueError:
        k = 2
    return s * s * k
