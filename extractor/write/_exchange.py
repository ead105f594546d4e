"""Swap two names of one folder in one step, where the system can: no moment without a whole case."""

from __future__ import annotations

import ctypes
import errno
import os
import sys

_CALLS = {"linux": "renameat2", "darwin": "renameatx_np"}
_SWAP = 2  # RENAME_EXCHANGE of Linux and RENAME_SWAP of macOS alike
_CANNOT = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP}


def exchange(folder: int, one: str, other: str) -> bool:
    """Swap two entries of an open folder; False, with nothing changed, where system or file system knows no swap.

    Raises `OSError` for anything else that fails.
    """
    name = _CALLS.get(sys.platform)
    call = getattr(ctypes.CDLL(None, use_errno=True), name, None) if name else None
    if call is None:
        return False
    if call(folder, os.fsencode(one), folder, os.fsencode(other), ctypes.c_uint(_SWAP)) == 0:
        return True
    code = ctypes.get_errno()
    if code in _CANNOT:
        return False
    raise OSError(code, os.strerror(code))
