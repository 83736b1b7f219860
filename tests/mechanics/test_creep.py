"""Friction of wheels on rails: its limits, and the forces it puts on bodies."""

import math

import pytest

import biela as bl


@pytest.fixture
def symbols():
    return bl.Graph().symbols("u v")


def values(pair, symbols, *numbers):
    return [e.value(dict(zip(symbols, numbers, strict=True))) for e in pair]


@pytest.mark.parametrize("name", bl.FILMS)
def test_friction_falls_from_rest_to_its_part(name, symbols):
    film, (w, _) = bl.FILMS[name], symbols
    law = bl.falling_friction(w, name)
    assert law.value({w: 0.0}) == pytest.approx(film.friction)
    assert law.value({w: 1e3}) == pytest.approx(film.friction * film.part)
    assert law.diff(w).value({w: 0.0}) == pytest.approx(-film.fall * film.friction * (1 - film.part))


def test_the_wetter_the_less():
    level = [film.friction for film in bl.FILMS.values()]
    assert level == sorted(level, reverse=True)


def test_sliding_friction_opposes_the_slip_with_its_coefficient(symbols):
    fu, fv = values(bl.sliding(tuple(symbols), 1e4, "wet"), symbols, 3.0, 4.0)
    level = 0.30 * (0.6 * math.exp(-0.2 * 5.0) + 0.4)
    assert (fu, fv) == pytest.approx((-0.6 * level * 1e4, -0.8 * level * 1e4), rel=1e-6)
    assert values(bl.sliding(tuple(symbols), 1e4), symbols, 0.0, 0.0) == [0.0, 0.0]


def test_creep_begins_with_its_slope(symbols):
    """Polach's force of a small creepage: 2 / pi times (k_A + k_S) times the stiffness."""
    stiffness, forward, slip = 4e6, 20.0, 1e-5
    fu, _ = values(bl.polach(tuple(symbols), forward, 6e4, stiffness), symbols, slip, 0.0)
    assert fu == pytest.approx(-2 / math.pi * 1.4 * stiffness * slip / forward, rel=1e-2)
    linear, _ = values(bl.linear_creep(tuple(symbols), forward, stiffness, stiffness), symbols, slip, 0.0)
    assert linear == pytest.approx(-stiffness * slip / forward)


@pytest.mark.parametrize("name", ["dry", "wet"])
def test_creep_ends_as_falling_friction(name, symbols):
    """With an infinite stiffness only the arc tangent is left, at a right angle."""
    fu, fv = values(bl.polach(tuple(symbols), 20.0, 6e4, 1e12, name), symbols, 1.0, 1.0)
    level = bl.falling_friction(symbols[0], name).value({symbols[0]: math.sqrt(2)})
    assert math.hypot(fu, fv) == pytest.approx(level * 6e4, rel=1e-3)
    assert fu == pytest.approx(fv)


def test_an_unknown_film_is_told(symbols):
    with pytest.raises(ValueError, match="Unknown film 'icy'"):
        bl.falling_friction(symbols[0], "icy")


def test_a_sliding_ball_is_braked_and_spun_up():
    """mu g against the motion, and 5 mu g / (2 r) about the axle."""
    mass, radius, g = 2.0, 0.1, 9.81
    s = bl.System("bowl")
    ball = s.body("ball", mass=mass, inertia=bl.ball(mass, radius))
    s.free(s.ground, ball)
    s.gravity([0, 0, -g])
    load = s.input("load", mass * g)
    contact = s.contact(bl.Surface.sphere(ball, radius), bl.Surface.plane(s.ground), "c")
    s.rub(contact, lambda u, v: bl.sliding((u, v), load, bl.Film(0.2, 1.0, 0.0)))
    model = s.model()
    q, dq = model.start
    q[2], dq[0] = radius, 5.0
    delta = model.functions["delta"].evaluate(q=q, dq=dq, u=model.u)
    mu = 0.2
    assert delta[0] == pytest.approx(-mu * mass * g, rel=1e-6)
    assert delta[4] == pytest.approx(mu * mass * g * radius, rel=1e-6)
    assert delta[5] == pytest.approx(0.0, abs=1e-12)


def test_friction_between_two_moving_bodies_is_mutual():
    """A ball on a sliding plank: what the one gains in momentum, the other loses."""
    s = bl.System("plank")
    plank, ball = s.body("plank", 5.0), s.body("ball", 2.0, inertia=bl.ball(2.0, 0.1))
    s.prismatic(s.ground, plank, axis="x")
    s.free(s.ground, ball)
    contact = s.contact(bl.Surface.sphere(ball, 0.1), bl.Surface.plane(plank), "c")
    s.rub(contact, lambda u, v: bl.sliding((u, v), 20.0, bl.Film(0.2, 1.0, 0.0)))
    model = s.model()
    q, dq = model.start
    q[3], dq[0] = 0.1, 1.0  # the ball rests at its height; the plank is pulled away below it
    delta = model.functions["delta"].evaluate(q=q, dq=dq)
    assert delta[1] == pytest.approx(0.2 * 20.0, rel=1e-5)
    assert delta[0] == pytest.approx(-delta[1])
