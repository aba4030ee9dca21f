"""Files that try to be executed, to have something computed without end, to write elsewhere, or to become code."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from s2sad.cli import main
from s2sad.cli.output import MARK

HERE = Path(__file__).parent
HOSTILE = sorted(path.stem for path in (HERE / "hostile").glob("*.txt"))
CONTROL = {
    "<FF>": "\f", "<VT>": "\v", "<GS>": "\x1d", "<RS>": "\x1e", "<LS>": "\u2028", "<PS>": "\u2029", "<NEL>": "\x85",
    "<RLO>": "\u202e", "<ESC>": "\x1b",
}  # fmt: skip
FINE = "def fine(x: float):\n    return x * x\n"
# Files by their bytes, and whether ``fine`` is written.
BYTES: dict[str, tuple[bytes, bool]] = {
    "bom": (b"\xef\xbb\xbf" + FINE.encode(), True),
    "bom_and_cookie": (b"\xef\xbb\xbf# coding: utf-8\n" + FINE.encode(), True),
    "bom_and_false_cookie": (b"\xef\xbb\xbf# coding: latin-1\n" + FINE.encode(), False),
    "latin": (b"# coding: latin-1\nname = '\xe4\xf6'  # \xfc\n" + FINE.encode() + b"# \xff\n", True),
    "second_line": (b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nname = '\x80'\n" + FINE.encode(), True),
    "no_encoding": (b"# coding: no-such-encoding\n" + FINE.encode(), False),
    "no_text": (b"# coding: hex\n" + FINE.encode(), False),
    "rotated": (b"# coding: rot13\n" + FINE.encode(), False),
    "hidden": (b"# coding: utf-7\n" + FINE.encode() + b"# +AAo-open('CANARY', 'w')\n", True),
    "escaped": (b"# coding: unicode_escape\n" + FINE.encode() + b"# \\x0aopen('CANARY', 'w')\n", True),
    "utf16": (FINE.encode("utf-16"), False),
    "invalid": (b"name = '\xff'\n" + FINE.encode(), False),
    "nul": (b"# \0\n" + FINE.encode(), False),
    "returns": (FINE.replace("\n", "\r").encode(), True),
    "both_ends": (FINE.replace("\n", "\r\n").encode(), True),
    "hidden_return": (b"# \ropen('CANARY', 'w')\n" + FINE.encode(), True),
    "no_end": (FINE.rstrip().encode(), True),
    "tabs": (b"def fine(x: float):\n\tif x > 0:\n\t\treturn x * x\n\treturn x\n", True),
    "mixed_tabs": (b"def fine(x: float):\n\tif x > 0:\n        \treturn x * x\n\treturn x\n", True),
    "empty": (b"", False),
    "broken": (b"def fine(x: float):\n    return (x\n", False),
    "parentheses": (b"K = " + b"(" * 90 + b"1" + b")" * 90 + b"\n" + FINE.encode(), True),
    "too_many_parentheses": (b"K = " + b"(" * 9000 + b"1" + b")" * 9000 + b"\n" + FINE.encode(), False),
    "brackets": (b"K = " + b"[" * 9000 + b"]" * 9000 + b"\n" + FINE.encode(), False),
    "minus": (b"K = " + b"-" * 50000 + b"1\n" + FINE.encode(), False),
    "attributes": (b"K = a" + b".a" * 50000 + b"\n" + FINE.encode(), False),
    "sum": (b"def f(x: float): return x" + b" + x" * 20000 + b"\n" + FINE.encode(), False),
    "long_function": (b"def f(x: float):\n" + b"    x = x * 2.0\n" * 1000 + b"    return x\n" + FINE.encode(), True),
    "ifs": (b"def f(x):\n" + b"".join(b" " * (k + 1) + b"if x:\n" for k in range(95)) + b" " * 97 + b"x = 2.0\n", False),
    "many_names": (b"".join(b"k%d = %d\n" % (k, k) for k in range(20000)) + FINE.encode(), True),
    "long_line": (b"K = '" + b"a" * 3_000_000 + b"'\n" + FINE.encode(), True),
    "long_file": (b"#" * 9_000_000 + b"\n" + FINE.encode(), False),
    "number": (b"K = " + b"9" * 5000 + b"\n" + FINE.encode(), False),
    "hex_number": (b"K = 0x" + b"f" * 100_000 + b"\n" + FINE.encode(), True),
    "decorated_often": (b"import functools\n" + b"@functools.cache\n" * 3000 + FINE.encode(), True),
}
# Names of files, in which every function is fine.
NAMES = [
    "a\nimport os; os.system('touch CANARY')\n.py", "coding: utf-7.py", "'''.py", '"""; raise SystemExit.py', "a;import os.py",
    "-o.py", "--help.py", "class.py", "two words.py", "ä.py", "ﬁ.py", "2.py", "a.b.py", ".py", "..py", "__init__.py",
    "x" * 200 + ".py", "\u2028.py", "\x1b[2J.py", "%s{0}.py", "$(touch CANARY).py", "numpy.py", "np.py", "s2sad.py",
]  # fmt: skip


def audited(folder: Path, files: list[Path]) -> list[dict[str, Any]]:
    """What the command line makes of the files of a folder, in a process that watches it."""
    out = folder.parent / "out"
    before = {path: (path.lstat().st_mtime_ns, path.lstat().st_size) for path in folder.rglob("*")}
    done = subprocess.run(
        [sys.executable, str(HERE / "audited.py"), str(out)], input="\0".join(map(str, files)), cwd=folder,
        capture_output=True, text=True, timeout=900, check=False, env={**os.environ, "PYTHONPATH": "", "PYTHONUTF8": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert before == {path: (path.lstat().st_mtime_ns, path.lstat().st_size) for path in folder.rglob("*")}
    found = [json.loads(line) for line in done.stdout.split("\n") if line and "begin" not in json.loads(line)]
    assert len(found) == len(files)
    for one in found:
        assert not one["problem"] and not one["violations"] and not one["bugs"], one
    for path in (*out.rglob("*.py"), *folder.rglob("*")):
        assert path.name != "CANARY"
    for path in out.glob("*_adjoint.py"):
        _check_module(path)
    return found


def _check_module(path: Path) -> None:
    """A written module holds imports, constants and functions: nothing that acts when it is imported."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert text.startswith(MARK)
    for statement in tree.body:
        plain = isinstance(statement, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.Assign)
        assert plain or isinstance(getattr(statement, "value", None), ast.Constant), (path, ast.unparse(statement))
        if isinstance(statement, ast.Assign):
            assert not any(isinstance(node, ast.Call) for node in ast.walk(statement)), (path, ast.unparse(statement))
    shown = [c for c in text if not c.isprintable() and c != "\n"]
    assert not shown, (path, shown)


def programs(folder: Path, names: list[str]) -> set[str]:
    """The names of the modules that are written for hostile programs."""
    folder.mkdir()
    for name in names:
        text = (HERE / "hostile" / f"{name}.txt").read_text(encoding="utf-8")
        for mark, character in CONTROL.items():
            text = text.replace(mark, character)
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    audited(folder, [folder / f"{name}.py" for name in names])
    return {path.name for path in (folder.parent / "out").iterdir()}


@pytest.mark.deep
def test_programs_that_ask_for_much(tmp_path: Path) -> None:
    written = programs(tmp_path / "files", ["large"])
    assert "large_fine_adjoint.py" in written and len(written) > 60
    assert not {"large_tuple_of_x_adjoint.py", "large_nested_tuple_adjoint.py", "large_characters_twice_adjoint.py"} & written


def test_hostile_programs(tmp_path: Path) -> None:
    written = programs(tmp_path / "files", [name for name in HOSTILE if name != "large"])
    assert {"executes_fine_adjoint.py", "members_fine_adjoint.py"} <= written
    assert {f"comments_{name}_adjoint.py" for name in ("control", "documented", "plain", "messages", "keywords")} <= written
    assert not any(name.startswith(("executes_decorated", "reflects_")) for name in written)
    for name in ("calls", "inner_import", "dunder", "lazy", "ours", "lazy_asked", "through_a_library", "constructs"):
        assert f"members_{name}_adjoint.py" not in written


def test_hostile_bytes(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    for name, (data, _) in BYTES.items():
        (folder / f"{name}.py").write_bytes(data)
    audited(folder, [folder / f"{name}.py" for name in BYTES])
    written = {path.name for path in (tmp_path / "out").iterdir()}
    wanted = {f"{name}_fine_adjoint.py" for name, (_, fine) in BYTES.items() if fine}
    assert {name for name in written if name.endswith("_fine_adjoint.py")} == wanted


def test_hostile_names(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    files = []
    for name in NAMES:
        (folder / str(len(files))).mkdir()
        files.append(folder / str(len(files)) / name)
        files[-1].write_text("import math\nK = math.exp(1)\ndef uses(x: float):\n    return K * x\n" + FINE)
    audited(folder, files)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(FINE)
    return path


def transform(*args: object) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["transform", *map(str, args)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result.exit_code, result.output


def test_other_files_are_not_overwritten(program: Path, tmp_path: Path) -> None:
    out = tmp_path / "program_fine_adjoint.py"
    for text in ("mine = 1\n", "", MARK[:-2]):
        out.write_text(text)
        code, said = transform(program, "-o", tmp_path)
        assert code == 1 and "not written by s2sad" in said and out.read_text() == text
    assert transform(program, "-o", tmp_path, "--force")[0] == 0
    assert transform(program, "-o", tmp_path)[0] == 0  # now it is ours
    assert not list(tmp_path.glob(".s2sad*"))


def test_nothing_is_written_through_links(program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    aim = tmp_path / "aim"
    aim.mkdir()
    (aim / "file.py").write_text("mine = 1\n")
    out = tmp_path / "out"
    out.mkdir()
    (out / "program_fine_adjoint.py").symlink_to(aim / "file.py")
    (tmp_path / "link").symlink_to(aim)
    monkeypatch.chdir(tmp_path)
    for target in (out, tmp_path / "link", "link", "link/below", "./out"):
        for force in ((), ("--force",)):
            code, said = transform(program, "-o", target, *force)
            assert code == 1 and ("is a link" in said or "no plain file" in said), said
    assert (aim / "file.py").read_text() == "mine = 1\n" and [p.name for p in aim.iterdir()] == ["file.py"]
    (out / "program_fine_adjoint.py").unlink()
    (out / "program_fine_adjoint.py").symlink_to(aim / "new.py")  # where there is nothing yet
    assert transform(program, "-o", out)[0] == 1 and not (aim / "new.py").exists()
    (out / "program_fine_adjoint.py").unlink()
    (out / "program_fine_adjoint.py").mkdir()
    assert transform(program, "-o", out, "--force")[0] == 1
    os.link(aim / "file.py", tmp_path / "hard.py")
    (out / "program_fine_adjoint.py").rmdir()
    os.link(aim / "file.py", out / "program_fine_adjoint.py")
    assert transform(program, "-o", out, "--force")[0] == 0
    assert (aim / "file.py").read_text() == "mine = 1\n"  # another name of the same file keeps its contents


def test_the_default_folder_of_a_project_may_be_no_link(tmp_path: Path) -> None:
    project, aim = tmp_path / "project", tmp_path / "aim"
    project.mkdir()
    aim.mkdir()
    (project / "pyproject.toml").write_text("")
    (project / "program.py").write_text(FINE)
    (project / "generated").symlink_to(aim)
    code, said = transform(project / "program.py")
    assert code == 1 and "is a link" in said and not list(aim.iterdir())


def test_folders_and_globs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "project"
    (project / "sub").mkdir(parents=True)
    (project / "one.py").write_text(FINE)
    (project / "sub" / "one.py").write_text(FINE.replace("x * x", "x + x") + "def bad(x):\n    yield x\n")
    (project / "loop").symlink_to(project)
    (project / "link.py").symlink_to("/etc/hostname")
    os.mkfifo(project / "pipe.py")
    monkeypatch.chdir(project)
    code, said = transform(project, "-o", "generated")
    assert code == 1 and "yield" in said.lower()
    written = sorted(path.name for path in (project / "generated").iterdir())
    assert written == ["one_fine_adjoint.py", "sub_one_fine_adjoint.py"]
    assert transform(".", "-o", "generated")[0] == 1  # what was written is not transformed again
    assert sorted(path.name for path in (project / "generated").iterdir()) == written
    assert transform("*.py", "-o", tmp_path / "two")[0] == 0  # but for the pipe; the link was named, and holds no function
    assert [path.name for path in (tmp_path / "two").iterdir()] == ["one_fine_adjoint.py"]
    assert transform("sub/o*.py", "one.py", "--function", "fine", "-o", tmp_path / "three")[0] == 1  # two of one name
    assert [path.name for path in (tmp_path / "three").iterdir()] == ["one_fine_adjoint.py"]
    assert transform("no*.py", "-o", tmp_path / "two")[0] == 2
    assert transform("pipe.py", "-o", tmp_path / "two")[0] == 2


def test_modules_are_imported_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my-model 2.py").write_text("def loss(x: float, scale: float = 2.0, n: int = 3):\n    return scale * x**n\n")
    assert transform(tmp_path / "my-model 2.py", "-o", tmp_path)[0] == 0
    monkeypatch.syspath_prepend(str(tmp_path))
    module = __import__("my_model_2_loss_adjoint")
    value, (x_bar, scale_bar) = module.loss_adjoint(1.5, 2.0, 3)
    assert (value, x_bar, scale_bar) == (6.75, 13.5, 3.375)
    assert "# Made from loss in 'my-model 2.py', line 1.\n" in (tmp_path / "my_model_2_loss_adjoint.py").read_text()
