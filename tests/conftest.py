"""What all tests share: the folder itself, for `conformance`, and the switch that rewrites golden files."""

import sys
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))
settings.register_profile("steady", deadline=None)  # nothing is tested by its wall-clock time
settings.load_profile("steady")


def pytest_addoption(parser):
    parser.addoption("--update", action="store_true", help="rewrite the golden files instead of comparing")


@pytest.fixture
def golden(request):
    """Compare a text with a file under ``golden/`` beside the test, or rewrite that file."""

    def compare(name, text):
        path = Path(request.path).parent / "golden" / name
        if request.config.getoption("--update"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        assert path.exists(), f"{path} is missing: run this test with --update, then read and commit it."
        same = text == path.read_text(encoding="utf-8")
        assert same, f"{path} differs: run this test with --update and read the change."

    return compare
