"""Grashof's classes against the table of source 000 (equation 129) and a scan of where it closes."""

import numpy as np
import pytest

from biela.simulate.grashof import LABELS, grashof

TABLE = {
    (-1, -1, 1): ("Crank-Crank", True),
    (1, 1, 1): ("Crank-Rocker", True),
    (1, -1, -1): ("Rocker-Crank", False),
    (-1, 1, -1): ("Rocker-Rocker", False),
    (-1, -1, -1): ("0-Rocker-0-Rocker", False),
    (-1, 1, 1): ("Pi-Rocker-Pi-Rocker", False),
    (1, -1, 1): ("Pi-Rocker-0-Rocker", False),
    (1, 1, -1): ("0-Rocker-Pi-Rocker", False),
}
LENGTHS = np.random.default_rng(1).uniform(1.0, 5.0, (400, 4))


def possible(lengths):
    return 2.0 * max(lengths) < sum(lengths)


@pytest.mark.parametrize(
    ("lengths", "terms", "label"),
    [((2, 4, 3, 4), (-3, -1, 1), "Crank-Crank"), ((4, 2, 3, 4), (1, 3, 1), "Crank-Rocker")],
)
def test_the_linkages_of_the_source(lengths, terms, label):
    found = grashof(*lengths)
    assert (found.terms, found.label, found.crank, found.folds) == (terms, label, True, False)


def test_every_class_of_the_table():
    met = set()
    for lengths in filter(possible, LENGTHS):
        g, a, h, b = lengths
        signs = tuple(np.sign([g + h - b - a, g + b - h - a, h + b - g - a]).astype(int))
        found = grashof(*lengths)
        assert (found.label, found.crank) == TABLE[signs]
        met.add(found.label)
    assert met == set(LABELS) - {"Crank-Crank that folds"}


def test_folding():
    equal, parallelogram = grashof(1, 1, 1, 1), grashof(2, 1, 2, 1)
    assert equal.terms == (0, 0, 0)
    for found in (equal, parallelogram):
        assert (found.label, found.crank, found.folds) == ("Crank-Crank that folds", True, True)


def test_one_zero_term_does_not_make_a_crank():
    found = grashof(3.0, 4.0, 2.0, 1.0)  # the input does not turn fully, though the product is zero
    assert (found.terms, found.folds, found.crank) == ((0.0, -2.0, -4.0), True, False)


def test_ranges_are_where_the_linkage_closes():
    angles = np.linspace(-np.pi, np.pi, 721) + 1e-4
    for lengths in filter(possible, LENGTHS):
        g, a, h, b = lengths
        found = grashof(*lengths)
        r = np.sqrt(g * g + a * a - 2 * g * a * np.cos(angles))
        scanned = (r >= abs(h - b)) & (r <= h + b)
        assert [found.closes(angle) for angle in angles] == list(scanned)
        assert (len(found.ranges) == 2) == found.label.startswith("Rocker")


@pytest.mark.parametrize("lengths", [(4, 2, 3, 4), (2, 3, 4, 1.5), (4.8, 4.5, 1.3, 1.4), (4, 4.4, 1.2, 1.3)])
def test_draws_uniformly_where_it_closes(lengths):
    found = grashof(*lengths)
    angles = found.draw(20_000)
    assert all(found.closes(angle) for angle in angles)
    for low, high in found.ranges:
        inside = angles[(angles >= low) & (angles <= high)]
        share = (high - low) / sum(b - a for a, b in found.ranges)
        assert abs(len(inside) / len(angles) - share) < 0.02
        assert abs(inside.mean() - (low + high) / 2) < 0.02 * (high - low)
        assert abs(inside.std() - (high - low) / np.sqrt(12)) < 0.02 * (high - low)


@pytest.mark.parametrize(
    ("lengths", "told"),
    [
        ((0, 1, 1, 1), "length of the ground is a positive number"),
        ((1, float("nan"), 1, 1), "length of the input is a positive number"),
        ((10, 1, 2, 3), "ground, 10 m, is longer than the others together, 6 m"),
    ],
)
def test_refuses(lengths, told):
    with pytest.raises(ValueError, match=told):
        grashof(*lengths)
