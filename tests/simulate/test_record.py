"""Records: saved and loaded they are the same; other times, tables, pictures and reports."""

import csv
import io
import json
from dataclasses import replace

import matplotlib
import numpy as np
import pytest
from mcap.reader import make_reader

import biela as bl
from biela.simulate import Record, Simulation, assemble, crossing, impact, scatter, scheduled
from biela.simulate.distribution import Uniform

matplotlib.use("Agg")
NAMES = ["single", "batch", "drawn", "signal", "events", "diverged"]


def record(model, name):
    """Records of every kind: constant and moving parameters and inputs, one state and lanes."""
    simulation, start = Simulation(model, dt=2e-3), assemble(model, crank=1.0)
    if name == "single":
        return simulation.run(start, 1.0, u=[0.1])
    if name == "batch":
        return simulation.batch(scatter(model, 5, crank=Uniform(0, 6)), duration=0.4, every=20, u=lambda t: t)
    if name == "drawn":
        starts = scatter(model, 4, crank=Uniform(0, 6), p={"m2": Uniform(0.3, 0.5)})
        return simulation.batch(starts, duration=0.4, every=20)
    if name == "signal":
        return simulation.run(start, 0.4, u=np.sin, every=10)
    if name == "events":
        change = scheduled(0.2011, lambda s: s.changed(p=s.p * 1.01))
        return simulation.run(start, 0.4, events=[change, crossing("crank", value=1.1)], u=np.cos)
    fast = assemble(model, crank=1.0, velocities={"crank": 1e3})
    return Simulation(model, dt=0.5, integrator="euler").run(fast, 50.0)


@pytest.fixture(scope="module")
def four_bar():
    return bl.mechanisms.four_bar().model()


@pytest.fixture(scope="module")
def records(four_bar):
    return {name: record(four_bar, name) for name in NAMES}


def assert_same(one, other):
    assert list(one) == list(other)
    for name in one:
        assert np.array_equal(one[name], other[name], equal_nan=True), name
        assert other[name].dtype == one[name].dtype
    for name in ("t", "p", "u"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert (one.status, one.units, one.notes) == (other.status, other.units, other.notes)
    assert one.lanes == other.lanes


@pytest.mark.parametrize("suffix", ["npz", "h5", "parquet"])
@pytest.mark.parametrize("name", NAMES)
def test_a_record_saved_and_loaded_is_the_same(records, four_bar, tmp_path, name, suffix):
    path, before = tmp_path / f"run.{suffix}", records[name]
    if suffix == "parquet":
        before.to_parquet(path)
        after = Record.from_parquet(path, four_bar)
    else:
        before.save(path)
        after = Record.load(path, four_bar)
    assert_same(before, after)
    if len(before):
        assert np.array_equal(after.energy, before.energy)
        assert np.array_equal(after.state(0).u, before.state(0).u)


@pytest.mark.parametrize("suffix", ["npz", "h5", "parquet"])
def test_truncated_and_foreign_files_are_told(records, tmp_path, suffix):
    path = tmp_path / f"run.{suffix}"
    write = records["single"].to_parquet if suffix == "parquet" else records["single"].save
    read = Record.from_parquet if suffix == "parquet" else Record.load
    whole = write(path).read_bytes()
    for share in (0.0, 0.1, 0.5, 0.9, 0.999):
        path.write_bytes(whole[: int(share * len(whole))])
        with pytest.raises(ValueError, match=r"run\.\w+ is no record, or not a whole one"):
            read(path)
    path.write_bytes(b"time,crank\n0,1\n" * 100)
    with pytest.raises(ValueError, match="is no record"):
        read(path)
    with pytest.raises(FileNotFoundError):
        read(tmp_path / f"none.{suffix}")


def test_another_programs_archives_are_told(tmp_path):
    np.savez(tmp_path / "other.npz", a=np.ones(3))
    with pytest.raises(ValueError, match=r"other\.npz is no record"):
        Record.load(tmp_path / "other.npz")
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["a"] = np.ones(3)
    with pytest.raises(ValueError, match=r"other\.h5 is no record"):
        Record.load(tmp_path / "other.h5")


def test_nothing_half_written_stays(records, tmp_path, monkeypatch):
    path = tmp_path / "run.npz"
    records["single"].save(path)
    before = path.read_bytes()
    monkeypatch.setattr(np, "savez_compressed", lambda *a, **k: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        records["batch"].save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["run.npz"]
    with pytest.raises(ValueError, match=r"saved as \.npz or \.h5; got '\.mat'"):
        records["single"].save(tmp_path / "run.mat")


def test_a_record_of_another_model_is_told(records, tmp_path):
    path = records["single"].save(tmp_path / "run.npz")
    with pytest.raises(ValueError, match="no column 'angle', a coordinate of model 'pendulum'"):
        Record.load(path, bl.mechanisms.pendulum().model())
    with pytest.raises(ValueError, match="belongs to no model"):
        Record.load(path).energy  # noqa: B018 - the access is the test


def test_other_times_are_interpolated_with_fourth_order(four_bar):
    start = assemble(four_bar, crank=1.0)
    exact = Simulation(four_bar, dt=1e-4).run(start, 0.8)
    coarse = Simulation(four_bar, dt=1e-4)
    errors = {}
    for every in (400, 200):
        found = coarse.run(start, 0.8, every=every).at(exact.t)
        errors[every] = [np.abs(found[n] - exact[n]).max() for n in ("crank", "rocker", "crank'")]
    assert np.array(errors[400]) / np.array(errors[200]) == pytest.approx(16.0, rel=0.25)
    assert max(errors[200]) < 1e-4


def test_interpolation_hits_the_moments_and_refuses_others(records):
    for name in ("single", "batch", "signal"):
        run = records[name]
        again = run.at(run.t)
        for column in run:
            assert again[column] == pytest.approx(run[column], abs=1e-14)
    with pytest.raises(ValueError, match=r"from t=0 to 1 s; got times from -1 to 0.5 s"):
        records["single"].at([-1.0, 0.5])


def test_cut_and_joined_it_is_the_same(records):
    for name in ("single", "batch", "signal", "events"):
        run = records[name]
        middle = run.t[len(run) // 2]
        assert_same(run.between(-1.0, middle).then(run.between(middle, 99.0)), run)
    run = records["single"]
    assert np.array_equal(run.taken(slice(None, None, 100)).t, run.t[::100])
    with pytest.raises(ValueError, match="no moment between"):
        run.between(2.0, 3.0)
    with pytest.raises(ValueError, match="begins where the first ends, at t=1 s"):
        run.then(run)
    with pytest.raises(ValueError, match="the same columns"):
        run.then(records["batch"])


def test_a_run_goes_on_from_its_last_state(four_bar):
    simulation, start = Simulation(four_bar, dt=1e-3), assemble(four_bar, crank=1.0)
    first = simulation.run(start, 0.3)
    both = first.then(simulation.run(first.state(), 0.2, u=[1.0]))
    assert both.t[-1] == pytest.approx(0.5)
    assert (np.diff(both.t) > 0).all()
    assert both.u[:, 0] == pytest.approx(np.where(np.arange(501) <= 300, 0.0, 1.0))


def test_a_csv_file_has_all_digits(records, tmp_path):
    for name in ("single", "batch"):
        run = records[name]
        rows = list(csv.reader(io.StringIO(run.to_csv(tmp_path / "run.csv").read_text(encoding="utf-8"))))
        head, table = rows[0], np.array(rows[1:], float)
        assert head[0] == "t [s]"
        place = head.index("crank' [rad/s]")
        assert np.array_equal(table[:, place], run["crank'"].reshape(-1))
        assert np.array_equal(np.unique(table[:, 0]), run.t)


@pytest.mark.parametrize("name", ["single", "batch"])
def test_pandas_has_times_lanes_and_units(records, name):
    before = records[name]
    found = before.to_pandas()
    assert found.attrs["units"]["crank"] == "rad"
    assert list(found.columns) == list(before.columns)
    values = found["crank"].to_numpy().reshape(before["crank"].shape)
    assert np.array_equal(values, before["crank"])
    time = found.index.get_level_values("t").to_numpy()
    assert np.array_equal(time[:: max(1, before.lanes)], before.t)


@pytest.mark.parametrize("name", ["single", "batch"])
def test_mcap_is_read_back(records, name, tmp_path):
    before = records[name]
    with before.to_mcap(tmp_path / "a.mcap").open("rb") as file:
        reader = make_reader(file)
        rows = [(c.topic, m.log_time, json.loads(m.data)) for _, c, m in reader.iter_messages()]
        (schema,) = reader.get_summary().schemas.values()
        (metadata,) = reader.iter_metadata()
    topics = {topic for topic, _, _ in rows}
    assert topics == ({f"/lane{k}" for k in range(5)} if before.lanes else {"/record"})
    mine = [row for topic, _, row in rows if topic == sorted(topics)[-1]]
    wanted = before["crank"][:, -1] if before.lanes else before["crank"]
    assert [row["crank"] for row in mine] == wanted.tolist()
    assert [row["t"] for row in mine] == before.t.tolist()
    assert max(abs(stamp * 1e-9 - row["t"]) for _, stamp, row in rows) < 1e-9
    assert schema.encoding == "jsonschema"
    assert json.loads(schema.data)["properties"]["crank"]["description"] == "rad"
    assert json.loads(metadata.metadata["status"]) == before.status


def test_mcap_has_null_for_nan_and_no_negative_times(tmp_path):
    two = Record(np.array([0.0, 0.1]), {"a": np.array([np.nan, 1.0])}, {})
    with two.to_mcap(tmp_path / "a.mcap").open("rb") as file:
        values = [json.loads(m.data)["a"] for _, _, m in make_reader(file).iter_messages()]
    assert values == [None, 1.0]
    with pytest.raises(ValueError, match="no times before zero"):
        two.replaced(t=np.array([-0.1, 0.0])).to_mcap(tmp_path / "b.mcap")
    assert not (tmp_path / "b.mcap").exists()


def test_xarray_has_times_lanes_and_units(records):
    found = records["batch"].to_xarray()
    assert found["crank"].dims == ("t", "lane")
    assert found["crank'"].attrs["units"] == "rad/s"
    assert np.array_equal(found["rocker"].sel(t=0.4, lane=2), records["batch"]["rocker"][-1, 2])
    assert json.loads(found.attrs["notes"]) == records["batch"].notes
    assert records["single"].to_xarray()["crank"].dims == ("t",)


def test_a_report_tells_what_a_run_is_worth(four_bar, records):
    good = Simulation(four_bar, dt=1e-3).run(assemble(four_bar, crank=1.0), 1.0)
    bad = Simulation(four_bar, "baumgarte", "euler", dt=1e-3).run(assemble(four_bar, crank=1.0), 1.0)
    one, other = good.report(), bad.report()
    assert one.residual < 1e-14 < 1e-9 < other.residual
    assert one.drift < 1e-9 < 1e-4 < other.drift
    energy = good.energy
    assert one.energy == np.abs(energy - energy[0]).max()
    assert one.speed_residual < 1e-13
    J = good.state(0).value("Phi_dq")
    assert one.condition >= np.linalg.cond(J) > 1.0
    assert "position residual" in str(one)
    assert "lanes" not in str(one)
    assert records["drawn"].report().residual < 1e-13


def test_a_report_of_a_tree_looks_at_its_mass_matrix():
    model = bl.mechanisms.double_pendulum().model()
    run = Simulation(model).run(assemble(model), 0.2)
    conditions = [np.linalg.cond(run.state(k).value("M")) for k in range(len(run))]
    assert run.report().condition == pytest.approx(max(conditions), rel=1e-9)


def test_a_plot_has_a_panel_for_each_unit(records):
    figure = records["single"].plot()
    assert [axis.get_ylabel() for axis in figure.axes] == ["[rad]", "[rad/s]"]
    assert figure.axes[-1].get_xlabel() == "t [s]"
    lines = {line.get_label(): line for line in figure.axes[0].lines}
    assert set(lines) == {"crank", "coupler", "rocker"}
    assert np.array_equal(lines["crank"].get_ydata(), records["single"]["crank"])
    assert len(records["single"].plot("rocker").axes) == 1
    assert records["single"].plot(["gap"]).axes[0].get_ylabel() == "[1]"


def test_lanes_are_lines_or_bands(records):
    run = records["batch"]
    lines, bands = (run.plot("crank", lanes=way).axes[0] for way in ("lines", "bands"))
    assert len(lines.lines) == 6  # five lanes and the legend's
    assert len(bands.collections) == 2
    assert np.array_equal(bands.lines[0].get_ydata(), np.median(run["crank"], axis=1))
    assert run.plot("crank").axes[0].lines[0].get_alpha() < 1.0
    with pytest.raises(ValueError, match="'lines' or 'bands'"):
        run.plot(lanes="points")
    with pytest.raises(KeyError, match="Did you mean 'crank'"):
        run.plot("cranc")


def test_plots_of_impacts_jump_at_once():
    """Both sides of a jump are drawn, one above the other."""
    s = bl.System("ball")
    z = s.coordinate("z", 1.0, unit="m")
    s.body("ball", mass=1.0, origin=s.point("C", r=[0, 0, z]), base=s.ground.base)
    s.gravity([0, 0, -9.81])
    model = s.model()
    floor = crossing("z", impact(model, "z", 0.7), direction="falling")
    run = Simulation(model, dt=1e-2).run(assemble(model), 1.0, events=[floor])
    drawn = run.plot("z'").axes[0].lines[0]
    t, v = drawn.get_data()
    k = int(np.argmax(np.diff(t) == 0.0))
    assert v[k] < 0.0 < v[k + 1]


def test_an_estimate_has_a_band_of_two_deviations(records):
    run = records["single"]
    sd = np.linspace(1.0, 0.1, len(run))
    known = run.replaced(columns={**run.columns, "sd(crank)": sd})
    (axis,) = known.plot("crank").axes
    band = axis.collections[0].get_paths()[0].vertices[:, 1]
    assert band.max() == pytest.approx((run["crank"] + 2.0 * sd).max())
    assert band.min() == pytest.approx((run["crank"] - 2.0 * sd).min())
    assert not run.plot("crank").axes[0].collections


@pytest.mark.parametrize("name", ["single", "batch"])
def test_a_report_draws_energy_and_residuals(records, name):
    run = records[name]
    energy, change, residual = run.report().plot().axes
    assert [axis.get_ylabel() for axis in (energy, change)] == ["energy [J]", "change [J]"]
    total = run.energy if run.energy.ndim == 1 else run.energy[:, 0]
    drawn = [line.get_ydata() for line in energy.lines]
    assert any(np.array_equal(line, total) for line in drawn)
    assert residual.get_yscale() == "log"
    assert max(np.max(line.get_ydata(), initial=0.0) for line in residual.lines) < 1e-8


def test_a_report_of_a_tree_draws_its_energy_alone():
    model = bl.mechanisms.pendulum().model()
    report = Simulation(model).run(assemble(model, angle=1.0), 0.1).report()
    assert len(report.plot().axes) == 2
    assert set(report.numbers) == {
        "status", "energy", "drift", "residual", "speed_residual", "condition", "lanes_lost",
    }  # fmt: skip
    with pytest.raises(ValueError, match="about no record"):
        replace(report, record=None).plot()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (bl.mechanisms.pendulum(), "a System, 'pendulum', which is not frozen yet: give it as .model()"),
        (bl.mechanisms.pendulum, "'pendulum': call it, and freeze what it returns"),
        (3, "wants a Model; got a int"),
    ],
)
def test_what_is_no_model_is_refused(given, told):
    for take in (Simulation, assemble, bl.Process):
        with pytest.raises(TypeError, match="wants a Model") as caught:
            take(given)
        assert told in str(caught.value)
