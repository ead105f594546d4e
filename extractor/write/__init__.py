"""A proved case becomes files: canonical bytes, the sidecar, the README, and the store that holds them whole or not."""

from ._capture import render_capture
from ._controls import store_controls
from ._fixture import case_id, render_fixture
from ._notices import REVIEW, ROTATE, Notices, graded
from ._provenance import render_provenance, stand_ins
from ._readme import render_readme
from ._request import asked_again, marks, remembered_marks
from ._shelves import Shelves, shelves
from ._store import Stored, store
from ._synthetic import LOOKED_AT_BY, alternates, made_up

__all__ = [
    "LOOKED_AT_BY",
    "REVIEW",
    "ROTATE",
    "Notices",
    "Shelves",
    "Stored",
    "alternates",
    "asked_again",
    "case_id",
    "graded",
    "made_up",
    "marks",
    "remembered_marks",
    "render_capture",
    "render_fixture",
    "render_provenance",
    "render_readme",
    "shelves",
    "stand_ins",
    "store",
    "store_controls",
]
