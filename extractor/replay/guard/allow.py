"""What a replay may reach all the same: named one by one, nothing by pattern, and no entry for a tool."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from extractor.errors import UsageError

Children: TypeAlias = Literal["none", "forked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Allow:
    """The exceptions of a guard; without any, nothing leaves.

    ``hosts`` are ``name:port``, ``192.0.2.1:443``, ``[2001:db8::1]:443`` or ``unix:/path``, for connecting and for
    listening (port 0: any free one). ``children`` is ``forked`` when the code under test may fork: its children stay
    guarded. ``programs`` are absolute paths; what a program does is outside the guard. A tool with side effects has no
    entry here: it is answered from the case or not at all.

    Raises `UsageError` for an entry that names no single host, port or program.
    """

    hosts: tuple[str, ...] = ()
    children: Children = "none"
    programs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for position, host in enumerate(self.hosts):
            if not _names_one_host(host):
                raise UsageError(
                    f"hosts[{position}] names no single host and port", hint="write 127.0.0.1:8080 or unix:/path"
                )
        if self.children not in {"none", "forked"}:
            raise UsageError("children is none or forked")
        for position, program in enumerate(self.programs):
            # A relative name would mean another program in another folder.
            if not Path(program).is_absolute():
                raise UsageError(f"programs[{position}] is no absolute path", hint="write /usr/bin/git")

    def address(self, address: object) -> bool:
        """Whether ``address``, as a socket takes it, is one of ``hosts`` or what one of their names stands for."""
        if not self.hosts:
            return False
        spelled = spell(address)
        if spelled is None:
            return False
        return spelled in self.hosts or self._is_named(spelled)

    def name(self, host: str) -> bool:
        """Whether ``host`` may be looked up: it is the host of an entry."""
        return any(entry.rpartition(":")[0].strip("[]").lower() == host.lower() for entry in self.hosts)

    def program(self, executable: object, environment: object = None) -> bool:
        """Whether ``executable``, as exec would find it, is one of ``programs``."""
        if not self.programs or not isinstance(executable, (str, bytes, os.PathLike)):
            return False
        path = os.fsdecode(executable)
        if os.sep in path:
            return path in self.programs
        import shutil  # loads bz2 and lzma, which nothing else here needs

        return shutil.which(path, path=_search_path(environment)) in self.programs

    def _is_named(self, spelled: str) -> bool:
        # A connection is made to a number; the entry may be a name.
        _, _, port = spelled.rpartition(":")
        for entry in self.hosts:
            name, _, named_port = entry.rpartition(":")
            if entry.startswith("unix:") or named_port != port or is_numeric(name.strip("[]")):
                continue
            try:
                found = socket.getaddrinfo(name, int(port))
            except OSError:
                continue
            if spelled in {spell(address) for *_, address in found}:
                return True
        return False


def spell(address: object) -> str | None:
    """Return a socket's address as an entry of ``hosts`` has it, None for a family that has no such spelling."""
    if isinstance(address, (str, bytes)):
        return "unix:" + os.fsdecode(address).replace("\0", "@", 1)
    if not isinstance(address, tuple) or len(address) < 2 or not isinstance(address[1], int):
        return None
    if not isinstance(address[0], (str, bytes)):
        return None
    host = os.fsdecode(address[0]).partition("%")[0].lower()
    return f"[{host}]:{address[1]}" if ":" in host else f"{host}:{address[1]}"


def is_numeric(host: str) -> bool:
    """Whether ``host`` is an address in digits, which nobody has to be asked about."""
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            socket.inet_pton(family, host.partition("%")[0])
        except (OSError, ValueError):
            continue
        return True
    return False


def _names_one_host(entry: str) -> bool:
    if entry.startswith("unix:"):
        return len(entry) > len("unix:")
    host, _, port = entry.rpartition(":")
    whole = port.isascii() and port.isdigit() and int(port) < 2**16
    bare = ":" not in host or (host.startswith("[") and host.endswith("]"))
    return whole and bare and bool(host) and not set(host) & set("*?/@, ")


def _search_path(environment: object) -> str | None:
    if isinstance(environment, Mapping):
        path = environment.get("PATH", environment.get(b"PATH"))
        return os.fsdecode(path) if isinstance(path, (str, bytes)) else os.defpath
    return None
