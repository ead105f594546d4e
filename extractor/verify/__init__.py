"""Verify: the independent proof, on the bytes to be written, that a case is safe and faithful."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ..errors import LeakFound, ProofFailed, RelationBroken, StructureChanged
from ..model.case import Fixture, Proofs, RedactedCase
from ..model.json import JsonValue, MalformedJson, parse
from ..model.layout import FIXTURE
from ..ruleset import RuleSet
from ._compare import Comparison
from ._fold import fold
from ._leaks import LeakProof, readable
from ._places import policy
from ._relations import RelationProof
from ._residual import ResidualList
from ._residual import texts as _texts
from ._seals import reopened, sealed
from ._segments import Finder
from ._settle import hint

__all__ = ["prove", "reopened", "seal", "sealed", "texts"]


def prove(redacted: RedactedCase, sources: Sequence[JsonValue], files: Mapping[str, bytes], rules: RuleSet) -> Proofs:
    """Return what is true of the bytes: no leak, same relations, same structure; and what a person should look at.

    ``sources`` are the trees of all raw spans and of the original document; ``files`` the rendered texts, ``fixture.json``
    among them. Raises `LeakFound`, `StructureChanged` or `RelationBroken`; faults name rule and place, never a value.
    """
    if not sources or not redacted.original:
        raise ProofFailed(["nothing to prove against: no source, or an empty original"])
    document = _document(files)
    leaks = _search(redacted, files)
    comparison = Comparison(
        Finder(redacted.known, frozenset(name for name, form in _forms(rules).items() if form == "address")), policy()
    )
    comparison.documents(redacted.original, document)
    if comparison.faults:
        raise StructureChanged(list(comparison.faults), hint=hint((), redacted.original, whole=False))
    relations = RelationProof(redacted.known, _forms(rules))
    classes, occurrences, preserved = relations.judge(comparison.pairs)
    relations.owners(redacted.original, document)
    if relations.faults:
        whole = len(relations.doubtful) == len(relations.faults)
        raise RelationBroken(list(relations.faults), hint=hint(relations.doubtful, redacted.original, whole=whole))
    residual = ResidualList(
        rules, policy(), frozenset(fold(value.text) for value in redacted.known if value.word and value.everywhere)
    )
    residual.sources(sources)
    return Proofs(
        known_values=leaks.searched,
        leaks=0,
        residual=residual.document(document),
        classes=classes,
        occurrences=occurrences,
        preserved=preserved,
        searched=Counter(value.entity for value in redacted.known if value.everywhere),
        relations=relations.counts,
        pseudonyms=relations.stand_ins(comparison.pairs),
        digests={name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())},
    )


def seal(  # the parts of a fixture
    case_id: str,
    files: Mapping[str, bytes],
    redacted: RedactedCase,
    proofs: Proofs,
    *,
    incomplete: bool,
    replayable: bool,
) -> Fixture:
    """Return the fixture that holds these very bytes, the sidecar searched for leaks too.

    Raises `LeakFound`; `ProofFailed` when a file is not the one that was proved, or when one that was proved is absent.
    """
    for name, digest in proofs.digests.items():
        if name not in files or hashlib.sha256(files[name]).hexdigest() != digest:
            raise ProofFailed([f"{name} is not the file that was proved"])
    if FIXTURE not in proofs.digests:
        raise ProofFailed([f"{FIXTURE} was never proved"])
    rest = {name: content for name, content in files.items() if name not in proofs.digests}
    _search(redacted, rest, ours=(case_id,))
    return Fixture(case_id=case_id, files=dict(files), proofs=proofs, incomplete=incomplete, replayable=replayable)


def texts(document: JsonValue, *, names: bool = True) -> Iterator[tuple[str, str]]:
    """Yield each text, number and, with ``names``, member name of a document, JSON inside texts opened, none that we made.

    It comes with its place, as a residual names it.
    """
    return _texts(document, policy(), names=names)


def _search(redacted: RedactedCase, files: Mapping[str, bytes], ours: Sequence[str] = ()) -> LeakProof:
    proof = LeakProof(redacted.known, policy())
    case_id = redacted.document.get("case_id")
    own = [*ours, *redacted.span_ids.values(), *redacted.trace_refs, *([case_id] if isinstance(case_id, str) else [])]
    for name, text in readable(files):
        try:
            document = parse(text)
        except MalformedJson:
            proof.text(name, text, own)
            continue
        proof.document(name, document, ours=name != FIXTURE)
    if proof.faults:
        raise LeakFound(list(proof.faults), hint=hint(proof.doubtful, redacted.original, whole=not proof.certain))
    return proof


def _document(files: Mapping[str, bytes]) -> JsonValue:
    try:
        return parse(files[FIXTURE])
    except KeyError:
        raise ProofFailed([f"{FIXTURE} is missing"]) from None
    except MalformedJson as error:
        raise ProofFailed([f"{FIXTURE} is no JSON: {error.code}"]) from None


def _forms(rules: RuleSet) -> dict[str, str]:
    """Return the form of each entity (name, mail, address, …) as the identifier rules give it."""
    forms: dict[str, str] = {}
    for document in rules.family("identifiers").values():
        for name, entry in document.get("entity", {}).items():
            forms[name] = entry.get("form", "")
    return forms
