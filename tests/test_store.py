"""What may be executed from disk: only what this user's s2sad wrote, where nobody else can write."""

from __future__ import annotations

import hashlib
import hmac
import os
import shutil
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from s2sad import derivatives, grad, store
from s2sad.store import CacheWarning, Store

pytestmark = pytest.mark.filterwarnings("error")
posix_only = pytest.mark.skipif(os.name != "posix", reason="owners and permissions are POSIX's")

REQUEST = "a0b1" * 10
TEXT = b'["a program"]'


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(store, "_warned", set())


@pytest.fixture
def kept(tmp_path: Path) -> Store:
    """A store that holds one program."""
    made = Store(tmp_path / "programs")
    assert made.write(REQUEST, TEXT)
    assert made.read(REQUEST) == [TEXT]
    return made


def file_of(made: Store) -> Path:
    (path,) = made.files()
    return path


def test_a_program_is_found_under_its_request_alone(kept: Store) -> None:
    assert kept.read("another") == []
    assert kept.write(REQUEST, b"a later one")
    assert kept.write(REQUEST, TEXT)  # it is there
    assert sorted(kept.read(REQUEST)) == sorted([b"a later one", TEXT])
    kept.clear()
    assert kept.files() == []
    assert list(kept.folder.iterdir()) == []


def test_the_newest_come_first_and_the_oldest_go(tmp_path: Path) -> None:
    made = Store(tmp_path / "programs")
    for k in range(store.VARIANTS + 4):
        made.write(REQUEST, str(k).encode())
        newest = max(made.files(), key=lambda path: path.stat().st_mtime_ns)
        os.utime(newest, ns=(k * 10**9, k * 10**9))
    found = [int(text) for text in made.read(REQUEST)]
    assert found == sorted(found, reverse=True)
    assert len(found) == store.VARIANTS
    assert found[0] == store.VARIANTS + 3


def forged(data: bytes, key: bytes) -> bytes:
    """A file with all that can be computed from it computed anew."""
    text = data.partition(b"\n")[2].replace(b"program", b"trap   ")
    code = hmac.new(key, store.FORMAT + REQUEST.encode() + b"\n" + text, hashlib.sha256).hexdigest()
    return f"{code} {len(text)}\n".encode() + text


ALTERED: dict[str, Callable[[bytes], bytes]] = {
    "the text": lambda data: data.replace(b"program", b"trap   "),
    "the code": lambda data: b"0" * 64 + data[64:],
    "more": lambda data: data + b"more",
    "everything, with a key of one's own": lambda data: forged(data, b"k" * 32),
    "everything, with the digest for a key": lambda data: forged(data, hashlib.sha256(data).digest()),
    "something else": lambda data: b"import os\n",
}


@pytest.mark.parametrize("what", ALTERED)
def test_what_was_altered_is_not_given_out(kept: Store, what: str) -> None:
    path = file_of(kept)
    path.write_bytes(ALTERED[what](path.read_bytes()))
    with pytest.warns(CacheWarning, match="not executed"):
        assert kept.read(REQUEST) == []
    assert not path.exists()


def test_a_file_is_good_for_its_own_request_only(kept: Store) -> None:
    other = kept.folder / ("c2d3" * 10)
    other.mkdir(mode=0o700)
    shutil.copy(file_of(kept), other / file_of(kept).name)
    with pytest.warns(CacheWarning, match="not executed"):
        assert kept.read(other.name) == []


@pytest.mark.parametrize("length", [0, 1, 70, -1])
def test_a_file_that_was_cut_short_is_removed_silently(kept: Store, length: int) -> None:
    path = file_of(kept)
    data = path.read_bytes()
    path.write_bytes(data[:length])
    if 0 < length < 66:
        with pytest.warns(CacheWarning):
            assert kept.read(REQUEST) == []
    else:
        assert kept.read(REQUEST) == []
    assert not path.exists()


@posix_only
@pytest.mark.parametrize("mode", [0o602, 0o666, 0o620])
def test_a_file_that_others_can_write(kept: Store, mode: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_is_private_group", lambda group: False)
    file_of(kept).chmod(mode)
    with pytest.warns(CacheWarning, match="can be written by"):
        assert kept.read(REQUEST) == []


@posix_only
@pytest.mark.parametrize("mode", [0o755, 0o770, 0o777, 0o701])
@pytest.mark.parametrize("level", [0, 1])
def test_a_folder_that_is_open_to_others(kept: Store, mode: int, level: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_is_private_group", lambda group: False)
    folder = [file_of(kept).parent, kept.folder][level]
    folder.chmod(mode)
    if level and not mode & 0o022:  # to be looked into does no harm
        assert kept.read(REQUEST) == [TEXT]
        return
    with pytest.warns(CacheWarning, match="open to others|can be written"):
        assert kept.read(REQUEST) == []
    assert not kept.write(REQUEST, b"more")


@posix_only
def test_a_link_to_a_file_is_not_followed(kept: Store, tmp_path: Path) -> None:
    path = file_of(kept)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.warns(CacheWarning, match="symbolic link"):
        assert kept.read(REQUEST) == []
    assert (tmp_path / "elsewhere").exists()


@posix_only
def test_a_pipe_does_not_make_us_wait(kept: Store) -> None:
    path = file_of(kept)
    path.unlink()
    os.mkfifo(path)
    with pytest.warns(CacheWarning, match="not a file"):
        assert kept.read(REQUEST) == []


@posix_only
@pytest.mark.parametrize("what", ["the file", "the folder"])
def test_what_belongs_to_another_user(kept: Store, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = {"the file": os.fstat, "the folder": os.lstat}[what]

    def owned(target: Any, *rest: Any, **options: Any) -> os.stat_result:
        fields = list(real(target, *rest, **options))
        key = store.key_file()
        mine = key is not None and what == "the file" and fields[1] == key.stat().st_ino
        fields[4] = fields[4] if mine else 4321
        return os.stat_result(fields)

    monkeypatch.setattr(os, "fstat" if what == "the file" else "lstat", owned)
    with pytest.warns(CacheWarning, match="belongs to another user"):
        assert kept.read(REQUEST) == []


@posix_only
@pytest.mark.parametrize("damage", ["gone", "another", "empty", "open"])
def test_without_the_key_nothing_is_given_out(kept: Store, damage: str) -> None:
    key = store.key_file()
    assert key is not None
    assert key.stat().st_mode & 0o777 == 0o600
    if damage == "gone":
        key.unlink()
        assert kept.read(REQUEST) == []
        return
    if damage == "open":
        key.chmod(0o666)
        with pytest.warns(CacheWarning, match="can be written by everybody"):
            assert kept.read(REQUEST) == []
        return
    key.write_bytes(b"k" * 32 if damage == "another" else b"")
    if damage == "another":
        with pytest.warns(CacheWarning, match="not executed"):
            assert kept.read(REQUEST) == []
    else:
        assert kept.read(REQUEST) == []
    assert kept.write(REQUEST, TEXT)
    assert kept.read(REQUEST) == [TEXT]


@posix_only
def test_what_is_written_is_the_user_s_alone_under_any_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        made = Store(tmp_path / "deep" / "programs")
        assert made.write(REQUEST, TEXT)
    finally:
        os.umask(before)
    for path in (made.folder.parent, made.folder, file_of(made).parent, file_of(made)):
        assert path.stat().st_mode & 0o077 == 0


@posix_only
@pytest.mark.parametrize("nameless", [True, False])
def test_a_writer_that_fails_leaves_nothing(tmp_path: Path, nameless: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not nameless:
        monkeypatch.setattr(store, "_write_nameless", lambda *_: None)
    made = Store(tmp_path / "programs")
    assert made.write(REQUEST, TEXT)

    def fail(*_: Any, **options: Any) -> None:
        raise OSError(28, "no space left")

    monkeypatch.setattr(os, "link", fail)
    monkeypatch.setattr(os, "replace", fail)
    assert not made.write(REQUEST, b"another")
    assert [path.name for path in file_of(made).parent.iterdir()] == [file_of(made).name]


def test_the_remains_of_killed_writers_are_removed(tmp_path: Path) -> None:
    abandoned, at_work = tmp_path / ".s2sad-1-ab.tmp", tmp_path / ".s2sad-2-ab.tmp"
    for path in (abandoned, at_work):
        path.write_text("half")
    os.utime(abandoned, (time.time() - 3600,) * 2)
    store.remove_abandoned(tmp_path)
    assert (abandoned.exists(), at_work.exists()) == (False, True)


# --- programs of functions


def cube(x: float) -> float:
    return x * x * x


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How often a program is made."""
    calls = [0]
    real = derivatives.Derivatives.generate

    def generate(self: Any, *args: Any, **how: Any) -> Any:
        calls[0] += 1
        return real(self, *args, **how)

    monkeypatch.setattr(derivatives.Derivatives, "generate", generate)
    return calls


def test_what_is_shown_to_readers_is_never_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project that is cloned with a folder of generated files, and a private folder that came along."""
    calls = counted(monkeypatch)
    where = {"cache_dir": str(tmp_path / "generated")}
    assert grad(cube, **where)(2.0) == 12.0
    (shown,) = (tmp_path / "generated").glob("*.py")
    shown.write_text(shown.read_text().replace("def ", "raise SystemExit\ndef ", 1))
    monkeypatch.setattr(derivatives, "_kept", {})
    del vars(cube)["__s2sad_own__"]
    assert grad(cube, **where)(2.0) == 12.0
    assert calls == [1]  # from the private folder
    shutil.copytree(tmp_path / "generated", tmp_path / "cloned")
    store.key_file().unlink()  # type: ignore[union-attr]  # another user's is another one
    monkeypatch.setattr(derivatives, "_kept", {})
    (other,) = Store(tmp_path / "cloned" / "programs").files()
    Store(tmp_path / "mine").write(REQUEST, TEXT)  # there is a key again
    with pytest.warns(CacheWarning) as caught:
        assert grad(cube, cache_dir=str(tmp_path / "cloned"))(2.0) == 12.0
    assert {"not executed" in str(w.message) or "was edited" in str(w.message) for w in caught} == {True}
    assert calls == [2]
    assert not other.exists() or b"SystemExit" not in other.read_bytes()


SCRIPT = """
    import os, random, signal, sys, threading
    import numpy as np
    sys.path.insert(0, sys.argv[1])
    from s2sad import grad
    import model

    seed, threads, calls = map(int, sys.argv[2:5])
    if seed % 2:  # is killed at some moment
        moment = threading.Timer(random.Random(seed).uniform(0.2, 3.0), os.kill, (os.getpid(), signal.SIGKILL))
        moment.daemon = True
        moment.start()
    wrong, start = [], threading.Barrier(threads)

    def work(k):
        start.wait()
        for n in range(calls):
            for name in model.NAMES:
                f, x = getattr(model, name), 0.3 + 0.1 * ((k + n) % 3)
                found = grad(f)(x)
                expected = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
                if not abs(found - expected) < 1e-5:
                    wrong.append((name, found, expected))

    every = [threading.Thread(target=work, args=(k,)) for k in range(threads)]
    for t in every: t.start()
    for t in every: t.join()
    print("wrong", wrong)
"""
MODEL = """
    import numpy as np
    NAMES = ["f0", "f1", "f2", "f3", "made"]
    W = np.array([1.0, 2.0])
    def h(x, k=2.0):
        return k * np.sin(x)
    def f0(x):
        return x * x
    def f1(x):
        return h(x) * np.sum(W)
    def f2(x):
        s = 0.0
        for k in range(3):
            s += h(x, k) * x
        return s
    def f3(x):
        return np.exp(-x) / (1.0 + x)
    def make(k):
        return lambda x: k * x ** 3
    made = make(3.0)
"""


def race(folder: Path, processes: int, threads: int, calls: int) -> None:
    """Many processes with many threads over one cache, every other one killed at some moment."""
    (folder / "model.py").write_text(textwrap.dedent(MODEL))
    place = {**os.environ, "S2SAD_CACHE_DIR": str(folder / "cache"), "XDG_STATE_HOME": str(folder / "state")}
    started = [
        subprocess.Popen(
            [sys.executable, "-W", "error::UserWarning", "-c", textwrap.dedent(SCRIPT), *map(str, (folder, k, threads, calls))],
            env=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for k in range(processes)
    ]  # fmt: skip
    for k, process in enumerate(started):
        out, errors = process.communicate(timeout=300)
        assert out == "wrong []\n" or (k % 2 and process.returncode == -9 and not out), errors
    programs = Store(folder / "cache" / "programs")
    left = [path for path in (folder / "cache").rglob("*") if path.is_file()]
    assert not [path for path in left if path.suffix not in (".py", ".program")]
    os.environ["XDG_STATE_HOME"] = str(folder / "state")
    requests = [place for place in programs.folder.iterdir() if place.is_dir()]
    assert requests
    assert all(len(programs.read(r.name)) == len(list(r.iterdir())) for r in requests)


def test_threads_and_processes_over_one_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    race(tmp_path, processes=3, threads=8, calls=2)


@pytest.mark.deep
def test_many_threads_and_processes_over_one_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for k in range(5):
        (tmp_path / str(k)).mkdir()
        race(tmp_path / str(k), processes=8, threads=32, calls=5)
