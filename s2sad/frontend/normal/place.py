"""The place that a statement stands in, as far as the jumps inside it are concerned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from .outcomes import Outcome, Outcomes


@dataclass(frozen=True, slots=True)
class Place:
    """The place of jumps, as far as they must know it."""

    result: str | None
    """The variable that a return assigns; None where all returns give the same."""

    flags: Mapping[Outcome, str] = field(default_factory=dict)
    """The flags that are False here, by the jump that they remember."""

    armed: Outcomes = frozenset()
    """The jumps whose flag something tests later on."""

    caught: Outcomes = frozenset()
    """The jumps on whose way an exception may be caught, and the program go on as if they had not been."""

    straight: bool = False
    """A straight run, in each iteration until a break: `flag = test` is enough to set the flag."""

    def flags_of(self, kinds: Iterable[Outcome]) -> list[str]:
        """The flags of these jumps, each once, in the order in which they are tested."""
        return list(dict.fromkeys(self.flags[kind] for kind in Outcome if kind in kinds))

    def arm(self, kinds: Iterable[Outcome]) -> Place:
        """The place inside a statement after which the flags of these jumps are tested."""
        return replace(self, armed=self.armed | frozenset(kinds))

    def must_tell(self, kind: Outcome) -> bool:
        """Test for a jump of this kind that has anything to do here but to end."""
        return kind in self.armed or (kind is Outcome.RETURN and self.result is not None)
