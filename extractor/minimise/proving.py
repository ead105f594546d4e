"""A smaller case, proved before anything sees it: structure, relations, schema, and no value that the case remembers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ..assemble import incomplete
from ..errors import InputUnreadable, RelationBroken, StructureChanged
from ..model.case import Document, Fixture, KnownValue, RedactedCase
from ..model.json import JsonValue, parse, pretty
from ..model.layout import CAPTURE, FIXTURE, PROVENANCE, README
from ..model.replayable import replayable
from ..redact import WorkspaceKey, recalled
from ..replay.fixture_check import structural_problems
from ..ruleset import RuleSet
from ..schemas import schema_problems
from ..standing import Standing
from ..verify import prove, seal, texts
from ..write import Notices, render_fixture, render_readme
from .faithful import relation_faults, structure_faults
from .project import Reduced
from .sidecar import restated

_SEAM = 80  # characters on either side of a place where texts meet


@dataclass(slots=True, kw_only=True)
class Prover:
    """Proves smaller cases of one case as it stands."""

    standing: Standing
    rules: RuleSet
    key: WorkspaceKey = field(repr=False)
    _own: frozenset[str] = field(default=frozenset(), init=False, repr=False)
    _excused: frozenset[str] = field(default=frozenset(), init=False, repr=False)
    _clean: set[str] = field(default_factory=set, init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.standing.known, list):
            raise InputUnreadable(f"{CAPTURE} does not say which values the case must not hold")
        document = self.standing.document
        self._own = frozenset(_texts(document))
        # What stands in the case as it was proved is no leak there: an ambiguous word, a stand-in met by chance.
        self._excused = frozenset(value.text for value in self._recalled(text for _, text in texts(document)))

    def proved(self, reduced: Reduced, minimised: JsonValue = None) -> Fixture:
        """Return the smaller case as the very bytes that were proved; ``minimised`` goes into its sidecar.

        Raises `StructureChanged`, `RelationBroken` or `LeakFound`; their faults name places, never a value.
        """
        document, before = reduced.document, self.standing.document
        fixture = render_fixture(document)
        written = parse(fixture)
        if not isinstance(written, dict):
            raise StructureChanged(["document: no object"])
        self._faithful(before, written, reduced)
        statement = restated(self.standing.statement, before, reduced, fixture, minimised)
        predicate = statement.get("predicate")
        notices = Notices.standing(predicate if isinstance(predicate, dict) else {})
        can_replay = replayable(document)
        readme = render_readme(document, replayable=can_replay, notices=notices, minimised=True)
        redacted = self._redacted(document, readme)
        files = {FIXTURE: fixture, README: readme}
        # Structure and relations are proved above, against the case before: here the document stands for itself. What is
        # residual was found beside the trace, and has moved in the sidecar.
        proofs = prove(redacted, [str(document.get("case_id"))], files, self.rules)
        return seal(
            str(document.get("case_id")),
            {**files, PROVENANCE: pretty(statement).encode("utf-8")},
            redacted,
            proofs,
            incomplete=incomplete(document),
            replayable=can_replay,
        )

    def _faithful(self, before: Document, written: Document, reduced: Reduced) -> None:
        faults = [f"schema: {problem}" for problem in schema_problems(written, "fixture")]
        faults += sorted(set(structural_problems(written)) - set(structural_problems(before)))
        faults += structure_faults(before, written, reduced.kept)
        if faults:
            raise StructureChanged(faults)
        if broken := relation_faults(before, written, reduced.kept):
            raise RelationBroken(broken)

    def _redacted(self, document: Document, readme: bytes) -> RedactedCase:
        """Return what a search for leaks needs: the remembered values that new texts hold and the case did not."""
        new = [text for text in (*_texts(document), *readme.decode("utf-8").splitlines()) if text not in self._own]
        known = {value.text: value for value in self._recalled(new) if value.text not in self._excused}
        return self.standing.redacted(document, tuple(known[text] for text in sorted(known)))

    def _recalled(self, told: Iterable[str]) -> Sequence[KnownValue]:
        """Return the remembered values in texts; a text that held none is searched once."""
        new = [text for text in dict.fromkeys(told) if text not in self._clean]
        found = recalled(new, self.standing.known, self.key, self.standing.scope)
        if not found:
            self._clean.update(new)
        return found


def _texts(document: Document) -> Iterator[str]:
    """Yield every text of a document, alone and with its neighbours: what they may say together, pieces between gone."""
    told = [text for _, text in texts(document, names=False)]
    yield from told
    yield from (one[-_SEAM:] + other[:_SEAM] for one, other in pairwise(told))
    yield from _names_and_arrays(document)


def _names_and_arrays(value: JsonValue) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        for child in value.values():
            yield from _names_and_arrays(child)
    elif isinstance(value, list):
        scalars = [str(item) for item in value if isinstance(item, (str, int)) and not isinstance(item, bool)]
        if len(scalars) > 1:
            yield "".join(scalars)
        for child in value:
            yield from _names_and_arrays(child)
