"""The documentation is executed: every Python block of a page in order, in one namespace, in an empty folder.

A ``text`` block that follows a ``python`` block directly is what it prints; ``...`` stands for anything.
"""

import contextlib
import doctest
import io
import itertools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OUTPUT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(page):
    """(line, code, what it prints or None) of every Python block."""
    text = page.read_text(encoding="utf-8")
    fences = list(FENCE.finditer(text))
    for fence, following in itertools.zip_longest(fences, fences[1:]):
        if fence[1] != "python":
            continue
        directly = following and following[1] == "text" and not text[fence.end() : following.start()].strip()
        yield text.count("\n", 0, fence.start()) + 1, fence[2], following[2] if directly else None


@pytest.mark.parametrize("page", [p for p in PAGES if any(blocks(p))], ids=lambda page: page.name)
def test_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BIELA_CACHE", str(tmp_path / "cache"))
    namespace = {"__name__": "__main__"}
    for line, code, wanted in blocks(page):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * line + code, str(page), "exec"), namespace)  # errors tell the page's own line
        if wanted is not None:
            got = printed.getvalue()
            same = doctest.OutputChecker().check_output(wanted, got, OUTPUT)
            assert same, f"{page.name}, line {line}: expected\n{wanted}\ngot\n{got}"


def statements(code):
    """The code without imports, comments, blank lines and docstring."""
    code = re.sub(r'^""".*?"""\n', "", code, flags=re.DOTALL)
    lines = [line.split("  # ")[0].rstrip() for line in code.splitlines()]
    return [line for line in lines if line and not line.startswith(("import ", "from ", "#"))]


EXAMPLES = ("four_bar", "pendulum")  # in their order in the README


def test_readme_is_the_examples():
    readme = "".join(code for _, code, _ in blocks(ROOT / "README.md"))
    examples = [(ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8") for name in EXAMPLES]
    assert statements(readme) == [line for example in examples for line in statements(example)]


def test_make_demo_is_the_demonstration():
    demo = re.search(
        r"^demo:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert demo[1].split() == ["$(BIN)/biela", "demo"]


@pytest.mark.parametrize(
    ("name", "words", "most"),
    [
        ("four_bar", ("bl.System(", "s.close(", "bl.export(", "Simulation("), 25),
        ("pendulum", ("bl.Kernel(", "1_000_000", "bl.export("), 20),
    ],
)
def test_readme_describes_runs_and_exports_in_few_lines(name, words, most):
    codes = [code for _, code, _ in blocks(ROOT / "README.md")]
    code = codes[2 * EXAMPLES.index(name)]  # what follows it prints
    assert all(word in code for word in words)
    assert len([line for line in code.splitlines() if line.strip()]) <= most


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_make_commands_exist(page):
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"(?:^|`)make ([a-z]+)", page.read_text(encoding="utf-8"), re.MULTILINE)) <= targets


@pytest.mark.parametrize("page", PAGES[1:], ids=lambda page: page.name)
def test_code_fits_the_width_of_the_page(page):
    assert [line for _, code, _ in blocks(page) for line in code.splitlines() if len(line) > 92] == []


def test_readme_names_the_two_commands():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make demo" in text
    assert "make test" in text


def test_every_page_is_in_the_index():
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    missing = [page.stem for page in PAGES[1:] if page.stem != "index" and page.stem not in index]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_linked_files_exist(page):
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []
