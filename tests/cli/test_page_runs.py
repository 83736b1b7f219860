"""Pages are executed: the commands of every console block in order, in one empty folder."""

import doctest
import re
import shlex
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "command-line.md"
OUTPUT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def check(biela, page, least):
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= least
    for block in blocks:
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, wanted = part.partition("\n")
            found = biela(*shlex.split(line)[1:])
            assert found.code == 0, (line, found.err)
            same = doctest.OutputChecker().check_output(wanted, found.out, OUTPUT)
            assert same, f"{line}: expected\n{wanted}\ngot\n{found.out}"


def test_the_page_shows_what_is_printed(biela):
    check(biela, PAGE, 6)


def test_the_first_mechanism_runs_on_the_command_line(biela):
    page = DOCS / "first-mechanism.md"
    code = re.search(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)[1]
    Path("pump.py").write_text(code, encoding="utf-8")
    check(biela, page, 2)
    assert Path("run.html").stat().st_size > 500_000


def test_every_command_of_the_page_is_one():
    from biela.cli.completion import parsers
    from biela.cli.program import program

    known = {path for path, _ in parsers(program())}
    for words in re.findall(r"`biela ([a-z][a-z ]*)", PAGE.read_text(encoding="utf-8")):
        first = words.split()
        assert any(" ".join(first[:k]) in known for k in (1, 2, 3)), words
