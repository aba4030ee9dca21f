"""The command line. It never executes the file that it transforms: names come from its imports and definitions."""

from __future__ import annotations

import click

from s2sad.cli.evaluate import graph, trace
from s2sad.cli.inspect import cache, rules, show
from s2sad.cli.transform import transform


@click.group()
@click.version_option(package_name="s2sad")
def main() -> None:
    """Differentiate Python and NumPy programs by transforming their source."""


for command in (transform, show, trace, graph, cache, rules):
    main.add_command(command)
