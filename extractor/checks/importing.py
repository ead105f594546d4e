"""Why a project's module could not be imported: what is missing, or the line where it broke, and nothing that it said."""

from __future__ import annotations

import traceback


def why_not(error: BaseException, module: str) -> str:
    """Return a clause for the error that importing a module raised. It names modules and lines, and quotes no message."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        return f"there is no module {error.name}"
    passed = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        passed.append((error.filename, error.lineno))
    stem = module.replace(".", "/")
    ends = (f"/{stem}.py", f"/{stem}/__init__.py")
    lines = [line for file, line in passed if file.replace("\\", "/").endswith(ends)]
    return f"{type(error).__name__}{f', line {lines[-1]}' if lines else ''}"
