"""Replays in a browser without a network: they draw, play, answer to pointer and keys, and never complain."""

import io
from itertools import pairwise

import numpy as np
import pytest
from browser import Browser

import biela as bl
from biela.observe import Bench, ExtendedKalman, Gyro, Process
from biela.simulate import Record, Simulation, assemble
from biela.view import replay

pillow = pytest.importorskip("PIL.Image")
TIME = "replay.clock.t"


def run_of(name, duration, *arguments):
    model = getattr(bl.mechanisms, name)(*arguments).model()
    return Simulation(model, dt=1e-3).run(assemble(model), duration, every=2)


def truth_and_estimate():
    model = bl.mechanisms.four_bar().model()
    gyros = [Gyro(body, sigma=bl.deg(0.5), rate=100) for body in ("coupler", "rocker")]
    truth, readings = Bench(Simulation(model, dt=1e-3), gyros).run(assemble(model), 1.0, seed=1)
    process = Process(model, 1e-3, "rk4", independent=["crank"], position=1e-6, velocity=1e-4)
    guess = assemble(model, crank=bl.deg(130))
    return {
        "truth": truth,
        "estimate": ExtendedKalman(process, gyros).run(readings, guess, [bl.deg(40), 0.01]),
    }


def twenty_lanes():
    model = bl.mechanisms.n_pendulum(3).model()
    q = np.tile(model.start[0][:, None], (1, 20))
    q[0] = np.linspace(0, 0.5, 20)
    return Simulation(model, dt=1e-3).batch(q, np.zeros_like(q), 1.0, every=2)


def rolling():
    """A locomotive that keeps its speeds, which is what it does in equilibrium."""
    model = bl.mechanisms.locomotive().model()
    t = np.linspace(0, 2, 201)
    q, dq = model.start
    columns = {c.name: q[k] + dq[k] * t for k, c in enumerate(model.placements)}
    columns |= {f"{c.name}'": dq[k] + 0 * t for k, c in enumerate(model.placements)}
    return Record(t, columns, {c.name: c.unit for c in model.placements}, model=model)


KINDS = {
    "four_bar": truth_and_estimate,
    "stewart": lambda: run_of("stewart", 0.2),
    "locomotive": rolling,
    "whipple_bicycle": lambda: run_of("whipple_bicycle", 1.0),
    "n_pendulum": twenty_lanes,
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder, made = tmp_path_factory.mktemp("pages"), {}

    def path(kind):
        if kind not in made:
            made[kind] = replay(KINDS[kind](), folder / f"{kind}.html")
        return made[kind]

    return path


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    opened = Browser(tmp_path_factory.mktemp("profile"))
    opened.size(900, 600)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def without_webgl(tmp_path_factory):
    opened = Browser(tmp_path_factory.mktemp("profile"), webgl=False)
    opened.size(900, 600)
    yield opened
    opened.close()


def pixels(png):
    return np.asarray(pillow.open(io.BytesIO(png)).convert("RGB")).astype(int)


def changed(one, other):
    """The share of pixels that differ visibly."""
    return float((np.abs(pixels(one) - pixels(other)).max(axis=-1) > 24).mean())


def drawn(png):
    """The share of pixels of a saturated colour, which neither paper nor grid has."""
    spread = np.ptp(pixels(png), axis=-1)
    return float((spread > 60).mean())


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_scene_opens_and_moves(browser, pages, kind):
    browser.open(pages(kind), "#t=0&light")
    assert browser.ask("replay.scene.constructor.name") == "SolidStage"
    first = browser.picture("#scene")
    assert drawn(first) > 0.002
    left, y = browser.ask(
        "(({x, y, height}) => [x, y + height / 2])(document.querySelector('#time').getBoundingClientRect())"
    )
    width = browser.ask("document.querySelector('#time').clientWidth")
    browser.drag((left + 8, y), (left + width / 2, y), (left + 0.9 * width, y))
    assert browser.ask(f"{TIME} > 0.8 * replay.clock.end")
    assert changed(first, browser.picture("#scene")) > 0.001
    assert browser.complaints() == []
    assert browser.requests() == []


def test_it_plays_by_itself_and_the_space_bar_stops_it(browser, pages):
    browser.open(pages("four_bar"), "#light")
    browser.wait(f"replay.clock.playing && {TIME} > 0.02")
    browser.press(" ")
    assert browser.ask("!replay.clock.playing")
    stopped = browser.ask(TIME)
    browser.drawn()
    assert browser.ask(TIME) == stopped


def test_keys_step_and_choose_views(browser, pages):
    browser.open(pages("whipple_bicycle"), "#t=0.5&light")
    before = browser.ask(TIME)
    browser.press("ArrowRight")
    assert 0 < browser.ask(TIME) - before < 0.01
    browser.press("End")
    assert browser.ask(f"{TIME} === replay.clock.end")
    pictures = []
    for key in "1234":
        browser.press(key)
        pictures.append(browser.picture("#scene"))
    assert all(changed(one, other) > 0.01 for one, other in pairwise(pictures))


def test_the_pointer_turns_the_scene_and_the_wheel_zooms(browser, pages):
    browser.open(pages("stewart"), "#t=0.1&light")
    before = browser.picture("#scene")
    x, y = browser.middle("#view")
    browser.drag((x, y), (x + 60, y), (x + 120, y + 30))
    turned = browser.picture("#scene")
    assert changed(before, turned) > 0.01
    browser.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=400)
    assert changed(turned, browser.picture("#scene")) > 0.01


def test_names_appear_under_the_pointer(browser, pages):
    browser.open(pages("four_bar"), "#t=0&light")
    place = """(() => { const { pieces, motions, eye, scene } = replay;
        const show = eye.projection(scene.canvas.clientWidth, scene.canvas.clientHeight);
        const rod = pieces.find((piece) => piece.kind === "rod" && piece.name === "rocker");
        const [a, b] = [rod.a, rod.b].map((k) => show(motions[0].place(0, k)));
        return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2]; })()"""
    browser.hover(*browser.ask(place))
    assert browser.ask("document.querySelector('#tip').textContent") == "truth · rocker"
    browser.hover(3, 300)
    assert browser.ask("document.querySelector('#tip').hidden")


def test_columns_are_chosen_and_curves_set_the_time(browser, pages):
    browser.open(pages("four_bar"), "#t=0&light")
    panels = "document.querySelectorAll('.panel').length"
    assert browser.ask(panels) == 2
    browser.drag(browser.middle('[data-column="nis"]'))
    assert browser.ask(panels) == 3
    assert (
        browser.ask("""document.querySelector('[data-column="nis"]').getAttribute("aria-pressed")""")
        == "true"
    )
    browser.drag(browser.middle(".u-over"))
    assert browser.ask(TIME) == pytest.approx(0.5, abs=0.01)
    browser.press("d")
    assert "deg" in browser.ask("replay.plots.panels[0].plot.axes[1].label")
    crank = browser.ask("document.querySelector('.reading').textContent")
    assert crank.startswith("crank ")
    assert float(crank.split()[1]) > 50  # degrees
    assert browser.complaints() == []


def test_an_estimate_can_be_hidden(browser, pages):
    browser.open(pages("four_bar"), "#t=0.001&light")
    with_it = browser.picture("#scene")
    browser.drag(browser.middle(".actor:nth-child(2)"))
    assert browser.ask("replay.scene.hidden.has(1)")
    assert changed(with_it, browser.picture("#scene")) > 0.002


def test_light_and_dark(browser, pages):
    browser.open(pages("four_bar"), "#t=0&light")
    light = pixels(browser.picture()).mean()
    browser.press("t")
    assert pixels(browser.picture()).mean() < light / 2


def test_a_window_that_changes_shows_all_of_it_until_somebody_moves_the_scene(browser, pages):
    try:
        browser.open(pages("four_bar"), "#t=0.3&light")
        browser.size(600, 640)
        resized = browser.picture("#scene")
        browser.open(pages("four_bar"), "#t=0.3&light")
        opened = browser.picture("#scene")
        assert changed(resized, opened) < 0.002
    finally:
        browser.size(900, 600)


def test_a_phone_shows_all_of_it(browser, pages):
    browser.size(390, 800, mobile=True)
    try:
        browser.open(pages("four_bar"), "#t=0.3&light")
        wide = "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
        assert browser.ask(wide) == [390, 800]
        boxes = browser.ask(
            "[...document.querySelectorAll('footer > *')].filter((e) => e.offsetWidth).map((e) => "
            "(({left, right, top, bottom}) => [left, right, top, bottom])(e.getBoundingClientRect()))"
        )
        assert all(left >= 0 and right <= 390 and bottom <= 800 for left, right, _, bottom in boxes)
        apart = [
            a[1] <= b[0] or b[1] <= a[0] or a[3] <= b[2] or b[3] <= a[2]
            for a in boxes
            for b in boxes
            if a != b
        ]
        assert all(apart)
        assert drawn(browser.picture("#scene")) > 0.005
    finally:
        browser.size(900, 600)


@pytest.mark.parametrize("kind", ["four_bar", "whipple_bicycle"])
def test_without_webgl_it_still_draws_and_says_so(without_webgl, pages, kind):
    without_webgl.open(pages(kind), "#t=0&light")
    assert without_webgl.ask("replay.scene.constructor.name") == "FlatStage"
    assert without_webgl.ask("document.querySelector('#told').textContent") == "Drawn without WebGL."
    first = without_webgl.picture("#scene")
    assert drawn(first) > 0.005
    without_webgl.press("End")
    assert changed(first, without_webgl.picture("#scene")) > 0.002
    assert [c for c in without_webgl.complaints() if "WebGL" not in c] == []


def test_both_stages_show_the_same(browser, pages):
    browser.open(pages("four_bar"), "#t=0.3&light")
    solid = pixels(browser.picture("#scene"))
    browser.open(pages("four_bar"), "#t=0.3&light&flat")
    flat = pixels(browser.picture("#scene"))
    colored = [np.ptp(image, axis=-1) > 50 for image in (solid, flat)]
    assert (colored[0] & colored[1]).sum() > 0.8 * max(map(np.sum, colored))
