"""The examples say what is true: against models written apart, without the library."""

import runpy
import shutil
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

EXAMPLES = Path(__file__).parents[1] / "examples"
LENGTHS, MASSES, GRAVITY = (0.12, 0.54, 0.455, 0.8), np.array([11.1, 0.4, 1.23]), 9.81


def places(angle):
    """Mass centres and turns of coupler and rocker, from the angle of the crank, by trigonometry."""
    l1, l2, l3, l4 = LENGTHS
    pin, pivot = l1 * np.array([np.cos(angle), np.sin(angle)]), np.array([l4, 0.0])
    reach = np.hypot(*(pivot - pin))
    along = (pivot - pin) / reach
    foot = (l2**2 - l3**2 + reach**2) / (2 * reach)
    top = pin + foot * along + np.sqrt(l2**2 - foot**2) * np.array([-along[1], along[0]])
    turns = [np.arctan2(*(top - start)[::-1]) for start in (pin, pivot)]
    return np.array([*(pin + top) / 2, *(pivot + top) / 2, *turns])


def slope(f, x, h):
    """A central difference of the fourth order."""
    return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h)


def felt(angle):
    """The inertia that the crank feels."""
    rods = MASSES[1:] * np.array(LENGTHS[1:3]) ** 2 / 12
    weights = [MASSES[1], MASSES[1], MASSES[2], MASSES[2], *rods]
    return MASSES[0] * 0.14**2 / 2 + weights @ slope(places, angle, 1e-4) ** 2


def height(angle):
    """The potential energy."""
    return GRAVITY * MASSES[1:] @ places(angle)[[1, 3]]


def test_the_four_bar_moves_as_its_one_equation_says(tmp_path, monkeypatch, capsys):
    """J w' + J' w^2 / 2 + V' = 0, with the slopes by differences, by SciPy."""
    monkeypatch.chdir(tmp_path)
    run = runpy.run_path(str(EXAMPLES / "four_bar.py"))["run"]

    def motion(t, x):
        angle, speed = x
        push = slope(felt, angle, 1e-3) * speed**2 / 2 + slope(height, angle, 1e-3)
        return [speed, -push / felt(angle)]

    wanted = solve_ivp(motion, (0.0, 1.0), [np.pi / 2, 0.0], rtol=1e-10, atol=1e-11).y[:, -1]
    assert [run["crank"][-1], run["crank'"][-1]] == pytest.approx(wanted, abs=1e-6)
    assert run.residual.max() < 1e-12
    assert np.ptp(run.energy) < 1e-9
    assert "1 degree of freedom" in capsys.readouterr().out


SHOWN = {  # what an example draws, and what is zero, or nearly, of its names
    "own_observer": ("pump_observer", lambda names: names["error"], 0.1),
    "monte_carlo": ("scatter", lambda names: names["run"].residual, 1e-12),
    "platform_ride": ("ride", lambda names: names["told"]["clipped"], 1e-12),
    "sumo_match": ("match", lambda names: np.subtract(names["result"].score, (1, 0)), 0.5),
    "fmu": ("fmu", lambda names: names["crank"] - names["run"]["crank"], 1e-10),
    "c_observer": ("c_observer", lambda names: np.array(names["crank"]) - names["offline"], 1e-12),
}


@pytest.mark.parametrize("name", SHOWN)
def test_an_example_runs_without_a_screen_and_draws_one_picture(name, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    if name in ("fmu", "c_observer") and not shutil.which("gcc"):
        pytest.skip("there is no gcc")
    monkeypatch.chdir(tmp_path)
    picture, small, most = SHOWN[name]
    names = runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    assert np.abs(small(names)).max() < most
    assert [path.name for path in tmp_path.glob("*.png")] == [f"{picture}.png"]
    assert (tmp_path / f"{picture}.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_an_example_is_short_and_says_what_it_is(path):
    text = path.read_text(encoding="utf-8")
    assert sum(bool(line.strip()) for line in text.splitlines()) < 60
    assert text.startswith('"""')
