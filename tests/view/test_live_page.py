"""Live pages in a browser: they follow what runs, sliders and hands move it, nothing is asked elsewhere."""

import io
import re

import numpy as np
import pytest
from browser import Browser

import biela as bl
from biela.arena import sumo
from biela.cueing import Channel, ClassicalWashout, Hexapod, Ride, Simulator
from biela.observe import Bench, Bootstrap, Gyro, Process
from biela.simulate import Simulation, assemble
from biela.view.live_page.order import Order
from biela.view.live_page.page import LIVE, live_script
from biela.view.page import PLAYER, asset

pillow = pytest.importorskip("PIL.Image")
pytest.importorskip("websockets")
T = "replay.clock.t"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    opened = Browser(tmp_path_factory.mktemp("profile"))
    opened.size(800, 480)
    yield opened
    opened.close()


@pytest.fixture
def page():
    model = bl.mechanisms.four_bar().model()
    simulation = Simulation(model, dt=1e-3)
    start = assemble(model, crank=bl.deg(90))
    with bl.view.live(simulation, start=start, sliders={"torque": (-9, 9)}, rate=20.0) as served:
        yield served


def visit(browser, page, wish="#light"):
    browser.visit(page.url + wish)
    browser.wait(f"{T} > 0")


def changed(one, other):
    a, b = (np.asarray(pillow.open(io.BytesIO(p)).convert("RGB")).astype(int) for p in (one, other))
    return float((np.abs(a - b).max(axis=-1) > 24).mean())


def quiet(browser, page):
    """No complaint, and nothing asked of anybody else."""
    here = page.url.replace("http", "ws")
    return browser.complaints() == [] and all(u.startswith((page.url, here)) for u in browser.requests())


def slide(browser, name, share):
    """Move a slider to a share of its way, as a hand does."""
    box = f"document.querySelector('input[name=\"{name}\"]').getBoundingClientRect()"
    x, y, width, height = browser.ask(f"(({{x, y, width, height}}) => [x, y, width, height])({box})")
    browser.drag((x + width / 2, y + height / 2), (x + share * width, y + height / 2))


def on(browser, name):
    """Where the middle of a bar is on the screen."""
    return browser.ask(f"""(() => {{ const {{ pieces, motions, eye, scene }} = replay;
        const show = eye.projection(scene.canvas.clientWidth, scene.canvas.clientHeight);
        const rod = pieces.find((piece) => piece.kind === "rod" && piece.name === "{name}");
        const [a, b] = [rod.a, rod.b].map((k) => show(motions[0].place(0, k)));
        return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2]; }})()""")


def test_scripts_are_below_a_megabyte_and_no_name_is_taken_twice():
    code = live_script() + asset("vendor/vendor.min.js")
    assert len(code.encode()) < 1_000_000
    paths = [*(f"player/{name}" for name in PLAYER), *(f"live/{name}" for name in LIVE)]
    found = [n for path in paths for n in re.findall(
        r"^(?:export )?(?:const|class|function) (\w+)", asset(f"{path}.js"), re.MULTILINE
    )]  # fmt: skip
    assert sorted(set(found)) == sorted(found)


def test_it_runs_pauses_and_steps(browser, page):
    visit(browser, page)
    assert browser.ask("replay.scene.constructor.name") == "SolidStage"
    first = browser.picture("#scene")
    browser.wait(f"{T} > 0.5")
    assert changed(first, browser.picture("#scene")) > 0.005
    browser.drag(browser.middle("#play"))
    browser.wait("!replay.clock.playing")
    stopped, still = browser.ask(T), browser.picture("#scene")
    assert changed(still, browser.picture("#scene")) == 0.0
    browser.drag(browser.middle("#step"))
    browser.wait(f"{T} > {stopped}")
    assert browser.ask(T) == pytest.approx(stopped + 1e-3)
    browser.press("r")
    browser.wait(f"{T} === 0")
    browser.press(" ")
    browser.wait(f"replay.clock.playing && {T} > 0.05")
    assert quiet(browser, page)


def test_a_slider_moves_what_runs(browser, page):
    visit(browser, page)
    slide(browser, "torque", 0.98)
    browser.wait("replay.panel.rows.get('torque').input.value > 8")
    deadline = browser.ask(T) + 1.0
    browser.wait(f"{T} > {deadline}")
    assert page.source.u[0] > 8.0
    turned = browser.ask('replay.plots.byName.get("crank\'").values[0][0].at(-1)')
    assert turned > 5.0  # driven forwards; by its weight alone it swings
    assert browser.ask("document.querySelector('.control output').textContent").endswith("N m")
    assert quiet(browser, page)


def test_a_hand_draws_the_mechanism_along(browser, page):
    visit(browser, page)
    browser.press(" ")
    browser.wait("!replay.clock.playing")
    x, y = on(browser, "rocker")
    before = browser.picture("#scene")
    browser._mouse("mouseMoved", x, y)
    browser._mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
    browser._mouse("mouseMoved", x + 60, y + 40, button="left", buttons=1)
    long = "Math.hypot(...[0, 1].map((k) => replay.held[1][k] - replay.held[0][k]))"
    browser.wait(f"replay.held && {long} > 0.05")
    browser.wait("getComputedStyle(document.querySelector('#spring')).display != 'none'")
    azimuth = browser.ask("replay.eye.azimuth")
    browser.press(" ")
    browser.wait(f"replay.clock.playing && {T} > 0.3")
    assert page.source.pull.force.any()
    browser._mouse("mouseReleased", x + 60, y + 40, button="left", clickCount=1)
    browser.wait("!replay.held")
    assert browser.ask("replay.eye.azimuth") == azimuth  # the scene was not turned
    assert changed(before, browser.picture("#scene")) > 0.01
    left, top = browser.middle("#triad")
    browser.drag((left + 90, top), (left + 150, top))  # beside it, it is
    assert browser.ask("replay.eye.azimuth") != azimuth
    assert quiet(browser, page)


def test_what_others_set_is_shown_and_a_lost_connection_is_told(browser, page):
    visit(browser, page)
    page.loop.order(Order("set", "torque", -4.5))
    browser.wait("replay.panel.rows.get('torque').input.value == -4.5")
    page.close()
    browser.wait("document.querySelector('#state').textContent.includes('lost')")


def test_without_webgl_it_runs_on_a_plain_canvas(browser, page):
    visit(browser, page, "#light&flat")
    assert browser.ask("replay.scene.constructor.name") == "FlatStage"
    first = browser.picture("#scene")
    browser.wait(f"{T} > 0.5")
    assert changed(first, browser.picture("#scene")) > 0.005
    assert quiet(browser, page)


def particles():
    model = bl.mechanisms.four_bar().model()
    gyros = [Gyro("coupler", sigma=bl.deg(0.5), rate=100)]
    process = Process(model, 1e-2, "rk4", independent=["crank"], position=2e-4, velocity=4e-3)
    return Bootstrap(process, gyros, 300, seed=1), {"bench": Bench(Simulation(model, dt=1e-3), gyros)}


def hexapod():
    platform = Hexapod()
    rig = Simulator(platform, tuple(Channel() for _ in platform.dofs))
    return Ride.on(rig, ClassicalWashout.preset("delft")), {"vehicle": "town"}


KINDS = {"particles": particles, "hexapod": hexapod, "match": lambda: (sumo(seed=1), {})}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_runs_and_looks_different_later(browser, kind):
    source, options = KINDS[kind]()
    with bl.view.live(source, rate=20.0, play=False, **options) as served:
        browser.visit(served.url + "#light")
        first = browser.picture("#scene")
        if kind == "match":
            served.loop.order(Order("set", "keys drive", 1.0))
            browser.press("ArrowUp", code="ArrowUp")
        browser.press("+")
        browser.press(" ")
        browser.wait(f"{T} > 1.5")
        browser.press(" ")
        browser.wait("!replay.clock.playing")
        assert changed(first, browser.picture("#scene")) > 0.001
        assert browser.ask("document.querySelectorAll('.control').length") == len(served.source.controls)
        assert quiet(browser, served)


def test_arrows_drive_while_they_are_down(browser):
    source, _ = hexapod()
    with bl.view.live(source, rate=20.0) as served:
        browser.visit(served.url + "#light")
        browser.wait(f"{T} > 0")
        browser.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowUp")
        browser.wait("replay.plots.byName.get('speed').values[0][0].at(-1) > 0.5")
        browser.call("Input.dispatchKeyEvent", type="keyUp", key="ArrowUp")
        browser.wait("replay.plots.byName.get('ahead').values[0][0].at(-1) < 0.2")
        slide(browser, "surge.gain", 0.02)
        browser.wait("replay.panel.rows.get('surge.gain').input.value < 0.1")
        assert served.source._numbers["surge.gain"] < 0.1
        assert quiet(browser, served)
