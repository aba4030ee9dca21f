"""Writing derivative modules: under importable names, whole or not at all, never over foreign files, never through links."""

from __future__ import annotations

import os
import re
import secrets
import stat
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from s2sad.errors import S2sadError

MARK = "# Written by s2sad transform; changes here are lost.\n"
PICTURE = "<!-- Drawn by s2sad graph; changes here are lost. -->\n"
NO_LINKS = getattr(os, "O_NOFOLLOW", 0)


def header(function: str, file: Path, line: int, remarks: Iterable[str] = ()) -> str:
    """The head of a derivative module. No text of the user's stands on the first two lines, where Python seeks an encoding."""
    told = [f"Made from {function} in {file.name!a}, line {line}.", *remarks]
    return "".join([f"{MARK}#\n", *(f"# {one}\n" for one in told)])


def module_name(parts: list[str]) -> str:
    """The file name of a derivative module that can be imported: ``heat.py``, ``f``, ``adjoint``: ``heat_f_adjoint.py``."""
    stem = re.sub(r"\W", "_", unicodedata.normalize("NFKC", "_".join(parts)))
    return f"_{stem}.py" if stem[0].isdigit() else f"{stem}.py"


def was_written(path: Path, mark: str = MARK) -> bool:
    """Test for a file that begins as those do that we write."""
    try:
        with path.open("rb") as file:
            return file.read(len(mark)) == mark.encode()
    except OSError:
        return False


def is_current(folder: Path, name: str, text: str) -> bool:
    """Test for a module that has been written, and would be written like this today."""
    try:
        with _opened(folder) as place:
            return _is_plain(place, name) and (folder / name).read_bytes() == text.encode()
    except OSError:
        return False


def write(folder: Path, name: str, text: str, force: bool = False, mark: str = MARK) -> None:
    """Write a file of ours, which begins with ``mark``. Raises S2sadError where that would go through a link, over a foreign
    file, or is not possible."""
    try:
        _check_links(folder)
        if (file := next((part for part in (folder, *folder.parents) if part.is_file()), None)) is not None:
            raise S2sadError(f"{folder / name} cannot be written: {file} is a file, and no folder")
        folder.mkdir(parents=True, exist_ok=True)
        with _opened(folder) as place:
            if not _is_plain(place, name):
                pass
            elif not force and not was_written(folder / name, mark):
                raise S2sadError(
                    f"{folder / name} was not written by s2sad", why="it would be lost", instead="another folder, or --force"
                )
            _replace(place, name, text.encode())
    except OSError as error:
        raise S2sadError(f"{folder / name} cannot be written: {error.strerror or error}") from error


def _check_links(folder: Path) -> None:
    """Raise S2sadError if a folder is a link, or was named by a way through one below the present folder."""
    typed = [folder] if folder.is_absolute() else [folder, *folder.parents]
    for part in typed:
        if part.is_symlink():
            raise S2sadError(f"{part} is a link", why="nothing is written through links", instead="the folder itself")


@contextmanager
def _opened(folder: Path) -> Iterator[int | Path]:
    """A folder, held so that nobody can put a link in its place; where the system cannot hold it, its path."""
    _check_links(folder)
    if os.open not in os.supports_dir_fd:
        yield folder
        return
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | NO_LINKS)
    try:
        yield place
    finally:
        os.close(place)


def _at(place: int | Path, name: str) -> tuple[str | Path, int | None]:
    return (name, place) if isinstance(place, int) else (place / name, None)


def _is_plain(place: int | Path, name: str) -> bool:
    """Presence of a file of this name; a link, a folder or a device is an error."""
    path, at = _at(place, name)
    try:
        mode = os.stat(path, dir_fd=at, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(mode):
        raise S2sadError(f"{name} is no plain file", why="nothing is written through links", instead="remove it")
    return True


def _replace(place: int | Path, name: str, data: bytes) -> None:
    """Put a file in place in one step."""
    path, at = _at(place, name)
    new, _ = _at(place, f".s2sad-{secrets.token_hex(8)}.tmp")
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINKS, 0o666, dir_fd=at)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(new, path, src_dir_fd=at, dst_dir_fd=at)
    except BaseException:
        os.unlink(new, dir_fd=at)
        raise
