"""What an export yields."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from ._losses import Loss

WARNINGS: Final = {
    "no_arguments": "is called without arguments: written as {}, since null would match any call; such a call takes the first recording of its name",
    "error_without_text": "failed without a text: its class, or `error`, stands for it, since an empty text would replay as success",
    "no_assertion": "holds nothing that this format can assert: by itself the copy accepts every answer",
    "no_output": "has no recorded output: a replay answers nothing",
}
"""By code: what a reader of the copy must know, about the place before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned:
    """Something that is written otherwise than the case has it, and where it stands in the case."""

    code: str
    place: str

    @property
    def what(self) -> str:
        """The warning in words."""
        return WARNINGS[self.code]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """A case in another format: the file's text, what it lacks, and the digest by which the format names it, if it has one."""

    text: str = field(repr=False)
    losses: tuple[Loss, ...]
    warnings: tuple[Warned, ...] = ()
    digest: str | None = None
