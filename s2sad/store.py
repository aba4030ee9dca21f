"""Programs on disk that may be executed: in a private folder, and only what this user's s2sad has written there.

A program is kept with the log of what it depends on (``frontend/observe.py``), under a digest of what was asked for. Several
may be kept under one request, made in different worlds; who reads them tries their logs on the world as it is.

Who may write a file here makes this user execute code. So a folder counts only if it belongs to the user, nobody else may
enter it, and nobody else can exchange it or one of the folders above it. And a file counts only if it carries the
authentication code (HMAC, RFC 2104) of a key that lies elsewhere: a file that was put there, or altered with its checksum,
by way of a backup, a shared disk or a container's volume, is not executed. It is removed, with a ``CacheWarning``.

Files are whole from the moment that they have a name: no reader sees a part of one, and a process that is killed while it
writes leaves nothing behind (where the system can make files without a name; elsewhere a temporary file, removed later).
The disk may refuse anything at any time: that costs the file, never the derivative.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import hmac
import os
import re
import stat
import sys
import time
import warnings
from pathlib import Path

FORMAT = b"s2sad program 1\n"
VARIANTS = 16  # programs kept under one request
TEMPORARY_LIFETIME = 600.0  # seconds after which a temporary file must be the remains of a crash
_HEAD = re.compile(rb"([0-9a-f]{64}) (\d{1,12})\n")
_TEMPORARY = re.compile(r"\.s2sad-\d+-[0-9a-f]+\.tmp")
_NAME = re.compile(r"[0-9a-f]{32}\.program")


class CacheWarning(UserWarning):
    """A stored program, or the place for them, looks tampered with; nothing was executed."""


class Store:
    """The programs in one folder, which need not exist."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, request: str) -> list[bytes]:
        """The data that this user's s2sad wrote under a request, newest first."""
        key = _key(create=False)
        place = self.folder / request
        if key is None or not os.path.isdir(place) or not is_private(place):
            return []
        found = []
        for path in self._files(place):
            payload = self._open(path, key, request)
            if payload is not None:
                found.append(payload)
        return found

    def write(self, request: str, payload: bytes) -> bool:
        """Keep something under a request; False where that is not possible."""
        key = _key(create=True)
        place = self.folder / request
        if key is None or not make_private(place):
            return False
        files = self._files(place)
        for old in files[VARIANTS - 1 :]:
            unlink(old)
        head = f"{_code(key, request, payload)} {len(payload)}\n".encode()
        path = place / f"{hashlib.sha256(payload).hexdigest()[:32]}.program"
        return write_whole(path, head + payload, 0o600)

    def files(self) -> list[Path]:
        """All files, of all requests."""
        try:
            return [path for place in sorted(self.folder.iterdir()) if place.is_dir() for path in self._files(place)]
        except OSError:
            return []

    def clear(self) -> None:
        """Remove all files."""
        for path in self.files():
            unlink(path)
        with contextlib.suppress(OSError):
            for place in self.folder.iterdir():
                place.rmdir()

    @staticmethod
    def _files(place: Path) -> list[Path]:
        try:
            with os.scandir(place) as entries:
                found = [(e.stat(follow_symlinks=False).st_mtime_ns, Path(e.path)) for e in entries if _NAME.fullmatch(e.name)]
        except OSError:
            return []
        return [path for _, path in sorted(found, key=lambda pair: (-pair[0], str(pair[1])))]

    @staticmethod
    def _open(path: Path, key: bytes, request: str) -> bytes | None:
        data, problem = read_whole(path)
        if data is None and not problem:
            return None
        head = None if data is None else _HEAD.match(data)
        if not problem and data is not None and head is not None:
            payload = data[head.end() :]
            if hmac.compare_digest(head[1].decode(), _code(key, request, payload)):
                return payload
            if len(payload) < int(head[2]):  # cut short by a crash or a full disk
                unlink(path)
                return None
        if data == b"":
            unlink(path)
            return None
        problem = problem or "was not written by s2sad for this user"
        warnings.warn(f"{path} {problem}; it was not executed", CacheWarning, stacklevel=2)
        unlink(path)
        return None


def _code(key: bytes, request: str, payload: bytes) -> str:
    return hmac.new(key, FORMAT + request.encode() + b"\n" + payload, hashlib.sha256).hexdigest()


# --- the key


def key_file() -> Path | None:
    """Where the user's key lies: outside of every cache. None for a user without a home."""
    windows = os.name == "nt"
    base = os.environ.get("LOCALAPPDATA" if windows else "XDG_STATE_HOME", "")
    if not os.path.isabs(base):
        home = os.path.expanduser("~")
        if not os.path.isabs(home):
            return None
        base = os.path.join(home, ".local", "state")
    return Path(base) / "s2sad" / "key"


def _key(*, create: bool) -> bytes | None:
    path = key_file()
    if path is None:
        return None
    for _ in range(2):
        if not os.path.isdir(path.parent):
            if not create or not make_private(path.parent):
                return None
        if not is_private(path.parent):
            return None
        data, problem = read_whole(path)
        if data is not None and not problem and len(data) == 32:
            return data
        if problem:
            _warn_once(str(path), f"{path} {problem}; programs are not kept on disk")
            return None
        if not create:
            return None
        if data is not None:  # cut short
            unlink(path)
        write_whole(path, os.urandom(32), 0o600, replace=False)
    return None


# --- whom a place belongs to


def make_private(folder: Path) -> bool:
    """Make a folder that is the user's alone, and those above it; False where that is not possible."""
    try:
        missing = [folder]
        while not os.path.lexists(missing[-1].parent):
            missing.append(missing[-1].parent)
        for place in reversed(missing):
            with contextlib.suppress(FileExistsError):
                os.mkdir(place, 0o700)
    except (OSError, ValueError):
        return False
    return is_private(folder)


def is_private(folder: Path) -> bool:
    """Test for a folder that only this user can enter, and only this user and root can exchange; warns once if it is none."""
    try:
        problem = _fault(folder)
    except (OSError, ValueError):
        return False
    if problem:
        _warn_once(str(folder.parent), f"{problem}; programs are not kept there")
    return not problem


def _fault(folder: Path) -> str:
    if sys.platform == "win32":
        return ""
    path = Path(os.path.realpath(folder))
    status = os.lstat(path)
    if not stat.S_ISDIR(status.st_mode):
        return f"{path} is no folder"
    if status.st_uid != os.geteuid():
        return f"{path} belongs to another user"
    if status.st_mode & 0o077:
        return f"{path} is open to others"
    for above in path.parents:
        status = os.lstat(above)
        if status.st_uid not in (os.geteuid(), 0):
            return f"{above} belongs to another user"
        if lax := open_to_others(status, is_directory=True):
            return f"{above} {lax}"
    return ""


def open_to_others(status: os.stat_result, *, is_directory: bool = False) -> str:
    """Who else can write. In a sticky directory (``/tmp``) others cannot replace our files."""
    if sys.platform == "win32" or (is_directory and status.st_mode & stat.S_ISVTX):
        return ""
    if status.st_mode & stat.S_IWOTH:
        return "can be written by everybody"
    if status.st_mode & stat.S_IWGRP and not _is_private_group(status.st_gid):
        return "can be written by its group"
    return ""


def _is_private_group(group_id: int) -> bool:
    """A group of the user alone: many systems create one, and then let the group write by default."""
    if sys.platform == "win32":
        return False
    try:
        import grp
        import pwd

        user, group = pwd.getpwuid(os.geteuid()).pw_name, grp.getgrgid(group_id)
    except (ImportError, KeyError):
        return False
    return group.gr_name == user and set(group.gr_mem) <= {user}


_warned: set[str] = set()


def _warn_once(place: str, text: str) -> None:
    if place not in _warned:
        _warned.add(place)
        warnings.warn(text, CacheWarning, stacklevel=3)


# --- whole files


def read_whole(path: Path) -> tuple[bytes | None, str]:
    """The bytes of a file, opened once, and what forbids to trust them: between two looks at a path its file can change."""
    try:
        # Neither follow a link, nor wait for a pipe; Windows lacks both flags.
        flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        descriptor = os.open(path, os.O_RDONLY | flags)
    except OSError as error:
        return None, "is a symbolic link" if error.errno == errno.ELOOP else ""
    except ValueError:  # a name that the file system's encoding lacks
        return None, ""
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return None, "is not a file"
        problem = ""
        if sys.platform != "win32":
            if status.st_uid != os.geteuid():
                problem = "belongs to another user"
            elif lax := open_to_others(status):
                problem = lax
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(), problem
    except OSError:
        return None, ""
    finally:
        os.close(descriptor)


def write_whole(path: Path, data: bytes, mode: int, *, replace: bool = True) -> bool:
    """Write a file so that it is there as a whole or not at all; False where the disk does not let us."""
    try:
        if not replace or not path.exists():
            written = _write_nameless(path, data, mode)
            if written is not None:
                return written
        return _write_beside(path, data, mode, replace)
    except (OSError, ValueError):
        return False


def _write_nameless(path: Path, data: bytes, mode: int) -> bool | None:
    """By a file without a name, which gets one when it is whole; None where the system has no such files."""
    flag = getattr(os, "O_TMPFILE", 0)
    if not flag:
        return None
    try:
        descriptor = os.open(path.parent, os.O_WRONLY | flag, mode)
    except OSError as error:
        if error.errno in (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL):
            return None
        raise
    try:
        with open(descriptor, "wb", closefd=False) as file:
            file.write(data)
        # A folder is named, though the path needs none: otherwise Python does not follow the link (python/cpython #81793).
        os.link(f"/proc/self/fd/{descriptor}", path, src_dir_fd=descriptor)
    except FileExistsError:
        return read_whole(path)[0] == data
    except (FileNotFoundError, PermissionError, NotImplementedError):  # no /proc
        return None
    finally:
        os.close(descriptor)
    return True


def _write_beside(path: Path, data: bytes, mode: int, replace: bool) -> bool:
    """By a file under another name, which then takes the right one in one step."""
    remove_abandoned(path.parent)
    temporary = path.parent / f".s2sad-{os.getpid()}-{os.urandom(6).hex()}.tmp"
    try:
        with open(temporary, "xb", opener=lambda file, flags: os.open(file, flags, mode)) as file:
            file.write(data)
        if replace:
            os.replace(temporary, path)
        else:
            os.link(temporary, path)
    except FileExistsError:
        return False
    finally:
        unlink(temporary)
    return True


def remove_abandoned(folder: Path) -> None:
    """Remove the temporary files of writers that did not live to rename them."""
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            if _TEMPORARY.fullmatch(path.name) and time.time() - path.lstat().st_mtime > TEMPORARY_LIFETIME:
                unlink(path)


def unlink(path: Path) -> bool:
    """Remove a file; whether that went well."""
    with contextlib.suppress(OSError, ValueError):
        path.unlink()
        return True
    return False


