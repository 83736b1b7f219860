"""The exported observer, compiled by gcc, over the same readings as the filter in Python."""

import shutil
import subprocess

import bench_linkage as rig
import numpy as np
import pytest
import spring_cart as cart

from biela.observe import FILTERS
from biela.simulate import assemble

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")


def compiled(folder, observer, start, P):
    paths = observer.export_c(folder, start, P)
    sources = [str(path) for path in paths if path.suffix == ".c"]
    program = folder / "observer"
    flags = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic"]
    subprocess.run(["gcc", *flags, *sources, "-o", str(program), "-lm"], check=True, cwd=folder)
    text = "".join(path.read_text() for path in paths)
    assert "malloc" not in text.replace("allocates", "")
    return program


def written(path, y, header=""):
    lines = [",".join("" if np.isnan(v) else repr(float(v)) for v in row) for row in y]
    path.write_text("\n".join([header] * bool(header) + lines) + "\n")
    return path


def outcome(program, path):
    done = subprocess.run([str(program), str(path)], capture_output=True, text=True, check=True)
    return np.genfromtxt(done.stdout.splitlines(), delimiter=",", skip_header=1)


@pytest.mark.parametrize("key", FILTERS)
def test_a_block_tells_the_deviations_of_its_filter(key):
    observer = FILTERS[key](rig.process(), rig.gyros())
    state = assemble(observer.model)
    P = np.diag([0.1, 0.2]) ** 2 + 0.005 if len(observer.process.manifold.names) == 2 else np.eye(6) * 0.01
    block = observer.block(state, P)
    x = np.array([signal.value for signal in block.state])
    have = {"x": x, "p": state.p, "u": state.u}
    found = block.look.evaluate(**{port.name: have[port.name] for port in block.look.inputs})
    wanted = np.sqrt(np.diagonal(observer.covariances(x[None])[0]))
    assert np.abs(np.ravel(found) - wanted).max() < 1e-15
    assert [signal.name for signal in block.looked] == [f"sd({name})" for name in observer.names]


@pytest.mark.parametrize("key", ["ekf", "ukf", "error-state", "sqrt-ukf"])
def test_c_reproduces_python(key, tmp_path):
    observer = FILTERS[key](rig.process(), rig.gyros())
    y, start = rig.noisy(1)[:1500], rig.guess()
    program = compiled(tmp_path, observer, start, rig.SPREAD)
    found = outcome(program, written(tmp_path / "y.csv", y, "coupler,rocker"))
    run = observer.run(y, start, rig.SPREAD)
    expected = np.concatenate([run.q, run.dq], axis=1)[1:]
    assert (
        np.abs(found / np.maximum(1.0, np.abs(expected)) - expected / np.maximum(1.0, np.abs(expected))).max()
        < 1e-12
    )


def test_ensemble_draws_the_same_noise_in_c(tmp_path):
    observer = FILTERS["ensemble"](cart.process(cart.model()), cart.sensors(), 6)
    m = observer.model
    program = compiled(tmp_path, observer, cart.start(m), cart.P0)
    y = cart.readings(300)
    run = observer.run(y, cart.start(m), cart.P0)
    found = outcome(program, written(tmp_path / "y.csv", y))
    assert np.abs(found - np.stack([run["x"], run["x'"]], axis=1)[1:]).max() < 1e-12


def test_the_example_begins_by_itself_and_tells_of_broken_files(tmp_path):
    observer = FILTERS["ekf"](rig.process(), rig.gyros())
    program = compiled(tmp_path, observer, None, None)
    found = outcome(program, written(tmp_path / "y.csv", np.full((3, 2), np.nan)))
    assert found.shape == (3, 6)
    assert abs(found[0, 0] - np.pi / 2) < 1e-6
    (tmp_path / "broken.csv").write_text("0.1,0.2\n0.3\n")
    done = subprocess.run(
        [str(program), str(tmp_path / "broken.csv")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "line 2: expected 2 fields" in done.stderr
    assert subprocess.run([str(program)], capture_output=True, check=False).returncode == 2
