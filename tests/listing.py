"""Published listings of generated code as references: the text, the symbols it reads and the values it gives.

The files in ``mechanics/listings`` are transcribed from A. Plaza, PhD thesis, Universidad Publica de Navarra,
2015; the comment on top of each says which listing it is and what was repaired. Outputs are the elements of
arrays, everything else on a left side is an atom. Listings of Robotran (b7, b9) number from one, so their
inputs are arrays whose element 0 is not read.
"""

import math
import re
from pathlib import Path

from biela import count_source

FOLDER = Path(__file__).parent / "mechanics" / "listings"
MISPRINTS = {  # what `corrected` replaces, beyond the slips of reading that the files repair
    "b7": (
        "(AlF32*S3+OM23*OM23*s.l[1][3])\n-C3*(AlF12+BS12*s.dpt[1][2]));",
        "(AlF32*S3+OM23*OM23*s.l[1][3]\n-C3*(AlF12+BS12*s.dpt[1][2])));",
    ),
}
OUTPUT = r"(_?[A-Za-z]\w*)((?:\[\d+\])+)"


def read(name):
    """The text of a listing as printed: ``read("b5")``."""
    return (FOLDER / f"{name}.c").read_text(encoding="utf-8")


def corrected(name):
    """The text of a listing without its known misprint."""
    wrong, right = MISPRINTS[name]
    source = read(name)
    assert source.count(wrong) == 1, f"listing {name} does not hold {wrong!r} once"
    return source.replace(wrong, right)


def count(source):
    """The operations and atoms of a listing, also where outputs have two indices."""
    return count_source(source, OUTPUT)


def assignments(source):
    """The pairs of left and right side of a listing, in order."""
    for statement in re.sub(r"//[^\n]*", "", source).split(";"):
        left, equals, right = statement.partition("=")
        if equals:
            yield left.strip(), " ".join(right.split())


def evaluate(source, **values):
    """The output arrays of a listing as lists, for given values of its symbols.

    >>> evaluate("atom1 = sin(q); _M[0] = atom1*l; _M[1] = 2;", q=math.pi / 2, l=3.0)
    {'_M': [3.0, 2.0]}
    >>> evaluate("c[1] = s[1]; c[2] = -s[1];", s=[None, 5.0])
    {'c': [5.0, -5.0]}
    """
    known = {"__builtins__": {}, "sin": math.sin, "cos": math.cos, **values}
    elements = {}
    for left, right in assignments(source):
        value = float(eval(right, known))
        output = re.fullmatch(OUTPUT, left)
        if output is None:
            known[left] = value
        else:
            index = tuple(int(digits) for digits in re.findall(r"\d+", output[2]))
            elements.setdefault(output[1], {})[index] = value
    return {name: _nested(indexed) for name, indexed in elements.items()}


def _nested(indexed):
    """Lists from elements by index; every element between the first and the last index must be there."""
    if () in indexed:
        return indexed[()]
    groups = {}
    for (first, *rest), value in sorted(indexed.items()):
        groups.setdefault(first, {})[tuple(rest)] = value
    assert list(groups) == list(range(min(groups), max(groups) + 1)), f"elements missing: {sorted(indexed)}"
    return [_nested(group) for group in groups.values()]
