"""Which check rejects which mutation, over good runs: a check that rejects none of them is named, with why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from .case import CheckCase
from .declaring import Check
from .isolation import isolated
from .mutations import MOST, MUTATIONS, Mutation, Variant, corrupted
from .patterns import touch, upwards
from .record import RunRecord
from .running import Outcome, run_all_checks

_SHOWN: Final = 6
_LISTS: Final = frozenset({"tool_calls", "messages", "documents", "citations"})


@dataclass(slots=True, kw_only=True)
class Cell:
    """What a check said of all variants of one mutation: how many it rejected, accepted, had nothing to say of, or broke on."""

    rejected: int = 0
    accepted: int = 0
    not_applicable: int = 0
    broke: int = 0

    def count(self, outcome: Outcome) -> None:
        """Count one verdict."""
        if outcome.verdict == "accepted":
            self.accepted += 1
        elif outcome.verdict == "rejected":
            self.rejected += 1
        elif outcome.verdict == "error":
            self.broke += 1
        else:
            self.not_applicable += 1

    @property
    def mark(self) -> str:
        """``x`` rejects all, ``+`` some, ``.`` none, ``!`` it broke and rejected none, blank: nothing was judged."""
        if self.rejected:
            return "+" if self.accepted or self.broke else "x"
        return "!" if self.broke else "." if self.accepted else " "


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One check over all mutations. ``good`` counts the good records that it accepted as they were; ``bad`` those that it rejected
    or broke on, which say nothing of its teeth.

    ``toothless`` says why no mutation is rejected, None where one is. ``vacuous`` are lists that the check walks and whose
    emptiness it accepts. ``broken`` are the errors that it ended with.
    """

    check: str
    cells: Mapping[str, Cell]
    good: int
    bad: int
    toothless: str | None
    vacuous: tuple[str, ...]
    broken: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """All checks over all mutations. ``variants`` counts what each mutation made of the records, ``left_out`` what a bound cut off,
    ``absent`` says why a mutation applied to no record.
    """

    records: int
    mutations: tuple[Mutation, ...]
    lines: tuple[Line, ...]
    variants: Mapping[str, int]
    left_out: Mapping[str, int]
    absent: Mapping[str, str]

    @property
    def toothless(self) -> tuple[Line, ...]:
        """The checks that no mutation rejects."""
        return tuple(each for each in self.lines if each.toothless)


@dataclass(slots=True, kw_only=True)
class _Seen:
    """What one check did, while the matrix is made."""

    cells: dict[str, Cell]
    good: int = 0
    bad: int = 0
    silent: int = 0
    reads: dict[str, None] = field(default_factory=dict)
    filled: bool = False
    vacuous: dict[str, None] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standing:
    """What one check said of a run as it stands, and what it had read."""

    outcome: Outcome
    reads: frozenset[str]
    within: frozenset[str]

    @classmethod
    def of(cls, outcome: Outcome) -> _Standing:
        """Return it; ``within`` are the paths at or above something read."""
        within = frozenset(above for path in outcome.reads for above in upwards(path))
        return cls(outcome=outcome, reads=frozenset(outcome.reads), within=within)

    def concerns(self, path: str, beside: tuple[str, ...]) -> bool:
        """Say whether the check read something of what stands at a path, or what tells of it."""
        return path in self.within or not self.reads.isdisjoint(beside)


def matrix(
    runs: Sequence[tuple[RunRecord, CheckCase]],
    checks: Sequence[Check],
    mutations: Sequence[Mutation] = MUTATIONS,
    *,
    most: int = MOST,
) -> Matrix:
    """Return what each check says of each mutation of each good run. Raises `ValueError` for no run or no check.

    A check that rejects a run as it stands is not asked about its mutations. Of each mutation and run at most ``most`` variants are
    made, from the beginning. A check that read nothing of what a mutation changes says what it said before, and is not run again
    for it; one that then rejects nothing is run on every variant all the same, before it is called toothless.
    """
    with isolated():
        made = _asked(runs, checks, mutations, most, by_reads=True)
        idle = {each.check for each in made.lines if each.toothless and each.good}
        if not idle:
            return made
        again = _asked(runs, [each for each in checks if each.id in idle], mutations, most, by_reads=False)
    surely = {each.check: each for each in again.lines}
    return replace(made, lines=tuple(surely.get(each.check, each) for each in made.lines))


def _asked(
    runs: Sequence[tuple[RunRecord, CheckCase]],
    checks: Sequence[Check],
    mutations: Sequence[Mutation],
    most: int,
    *,
    by_reads: bool,
) -> Matrix:
    seen = {each.id: _Seen(cells={mutation.name: Cell() for mutation in mutations}) for each in checks}
    variants: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    absent: dict[str, str] = {}
    touched: dict[str, None] = {}
    phrases, tools = _forbidden(checks, "phrases"), _forbidden(checks, "tools")
    if not runs:
        raise ValueError("no run was given: nothing was corrupted")
    for record, case in runs:
        standing = _as_it_stands(record, case, checks, seen)
        asked = [each for each in checks if each.id in standing]
        for mutation in mutations:
            made = corrupted(mutation, record, case, phrases=phrases, tools=tools, most=most)
            variants[mutation.name] += len(made.variants)
            left_out[mutation.name] += made.left_out
            if made.why:
                # "nothing there can be changed" tells more than "the record has no such place", and comes first in the alphabet.
                absent[mutation.name] = min(made.why, absent.get(mutation.name, made.why))
            for variant in made.variants if asked else ():
                touched[variant.path] = None
                _ask(variant, asked, seen, standing, by_reads=by_reads)
    return Matrix(
        records=len(runs),
        mutations=tuple(mutations),
        lines=tuple(_line(each.id, seen[each.id], tuple(touched)) for each in checks),
        variants=variants,
        left_out={name: count for name, count in left_out.items() if count},
        absent={name: why for name, why in absent.items() if not variants[name]},
    )


def _forbidden(checks: Sequence[Check], what: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for each in checks for text in getattr(each.body, what, ())))


def _as_it_stands(
    record: RunRecord, case: CheckCase, checks: Sequence[Check], seen: Mapping[str, _Seen]
) -> dict[str, _Standing]:
    """Return what each check that does not reject a run says of it."""
    standing: dict[str, _Standing] = {}
    for outcome in run_all_checks(record, case, checks).outcomes:
        one = seen[outcome.check]
        one.reads.update(dict.fromkeys(outcome.reads))
        one.filled = one.filled or not all(_empty(record, path) for path in outcome.reads)
        if outcome.verdict in ("rejected", "error"):
            one.bad += 1
            if outcome.verdict == "error":
                one.errors[outcome.reason or "error"] += 1
            continue
        one.good += 1
        one.silent += outcome.verdict == "not_applicable"
        standing[outcome.check] = _Standing.of(outcome)
    return standing


def _ask(
    variant: Variant,
    asked: Sequence[Check],
    seen: Mapping[str, _Seen],
    standing: Mapping[str, _Standing],
    *,
    by_reads: bool,
) -> None:
    concerned = [*asked]
    if by_reads and variant.beside is not None:
        concerned = []
        for each in asked:
            stands = standing[each.id]
            if stands.concerns(variant.path, variant.beside):
                concerned.append(each)
            else:
                seen[each.id].cells[variant.mutation].count(stands.outcome)
    if not concerned:
        return
    emptied = _empty(variant.record, variant.path)
    for outcome in run_all_checks(variant.record, variant.case, concerned, clocks_of=()).outcomes:
        one = seen[outcome.check]
        one.cells[variant.mutation].count(outcome)
        if outcome.verdict == "error":
            one.errors[outcome.reason or "error"] += 1
        elif outcome.verdict == "accepted" and emptied and _walked(variant.path, standing[outcome.check].outcome.reads):
            one.vacuous[variant.path] = None


def _walked(path: str, read: Sequence[str]) -> bool:
    return any(each.startswith(f"{path}[") for each in read)


def _empty(record: RunRecord, path: str) -> bool:
    """Say whether a member of the record is a list without an item, or a list that is not there."""
    value = record.document.get(path)
    return value == [] or (value is None and path in _LISTS)


def _line(check: str, seen: _Seen, touched: Sequence[str]) -> Line:
    rejects = any(cell.rejected for cell in seen.cells.values())
    return Line(
        check=check,
        cells=seen.cells,
        good=seen.good,
        bad=seen.bad,
        toothless=None if rejects else _why(seen, touched),
        vacuous=tuple(seen.vacuous),
        broken=tuple(sorted(seen.errors)),
    )


def _why(seen: _Seen, touched: Sequence[str]) -> str:
    """Say why a check rejects no mutation: the first reason that fits."""
    cells = seen.cells.values()
    if not seen.good:
        return "rejects or breaks on every record as it stands: nothing can be said of its teeth"
    if seen.silent == seen.good and not any(cell.accepted or cell.broke for cell in cells):
        return "not applicable to any record"
    if not seen.reads:
        return "reads nothing of a record"
    if not seen.filled:
        return f"loops over an empty list, in every record: {_named(seen.reads)}"
    if any(cell.broke for cell in cells):
        return f"breaks on what it should reject: {', '.join(sorted(seen.errors))}"
    if not any(touch(read, path) for read in seen.reads for path in touched):
        return f"reads only what no mutation touches: {_named(seen.reads)}"
    return f"accepts every corruption of what it reads: {_named(seen.reads)}"


def _named(paths: Iterable[str]) -> str:
    listed = [*paths]
    more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    return ", ".join(listed[:_SHOWN]) + more
