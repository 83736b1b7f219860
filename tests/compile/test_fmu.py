"""FMUs of a simulation, an observer and a platform, by FMPy: valid, and the run in Python to 1e-10."""

import itertools
import shutil
import subprocess
import zipfile

import numpy as np
import pytest
from languages import run, tool

import biela as bl
from biela.compile.fmu.archive import NoCompiler

fmpy = pytest.importorskip("fmpy")
from fmpy.validation import validate_fmu  # noqa: E402

VERSIONS = ("2.0", "3.0")
DT = 1e-3
pytestmark = pytest.mark.skipif(not (shutil.which("gcc") or shutil.which("cc")), reason="needs gcc or cc")


def pendulum():
    s = bl.System("pendulum")
    m, length, g = s.parameters(m=(1.0, "kg"), l=(2.0, "m"), g=(9.81, "m/s2"))
    bob = s.body("bob", mass=m, com=[length, 0, 0])
    s.revolute(s.ground, bob, axis="z", coordinates="angle")
    s.gravity([0, -g, 0])
    s.effort("angle", s.input("torque", unit="N m"))
    return s.model()


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    """By kind: the FMU of each version, its inputs by time, and what Python has for some outputs."""
    folder = tmp_path_factory.mktemp("fmu")
    made = {"simulation": simulation(), "observer": observer(), "platform": platform()}
    return {
        kind: (
            {v: bl.export_fmu(block, folder / f"{kind}{v[0]}.fmu", v, binary=True) for v in VERSIONS},
            *rest,
        )
        for kind, (block, *rest) in made.items()
    }


def simulation():
    model = pendulum()
    start = bl.assemble(model, angle=0.3)
    runner = bl.Simulation(model, dt=DT)
    u = np.sin(np.arange(300) * 0.02)[:, None]
    record = runner.run(start, 0.3, u=u)
    late = np.concatenate([[0.0], u[:, 0]])  # at the end of a step the input is still that of the step
    acceleration = (late - 2.0 * 9.81 * np.cos(record["angle"])) / 4.0
    block = runner.block(start, {"acceleration": model.ddq[0]})
    return block, {"torque": u[:, 0]}, record.t, {"angle": record["angle"], "acceleration": acceleration}


def observer():
    model = bl.mechanisms.four_bar().model()
    process = bl.Process(model, DT, independent=["crank"])
    ekf = bl.ExtendedKalman(process, [bl.Gyro("coupler", sigma=0.01)])
    start = bl.assemble(model, crank=1.6)
    y = 0.3 * np.sin(np.arange(60) * 0.1)[:, None]
    y[::3] = np.nan
    found = ekf.run(y, start, [0.1, 0.2])
    return (
        ekf.block(start, [0.1, 0.2]),
        {ekf.instruments.channels[0]: y[:, 0]},
        found.t,
        {name: found[name] for name in ("rocker", "crank'", "sd(crank)")},
    )


def platform():
    simulator = bl.cueing.Simulator.source_002()
    demand = np.deg2rad(5.0) * np.sin(np.arange(80)[:, None] * [0.1, 0.07])
    found = simulator.run(demand)
    signals = {f"{dof}.demand": demand[:, k] for k, dof in enumerate(simulator.platform.dofs)}
    rows = {dof: np.concatenate([[0.0], found[dof]]) for dof in simulator.platform.dofs}
    return simulator.block(), signals, simulator.dt * np.arange(81), rows


class Slave:
    """An instance, driven as an importer does."""

    def __init__(self, path, folder, start=0.0, stop=None, prepare=lambda slave: None, enter=True):
        self.messages = []
        self.description = fmpy.read_model_description(str(path))
        self.references = {v.name: v.valueReference for v in self.description.modelVariables}
        shutil.rmtree(folder, ignore_errors=True)
        fmpy.extract(str(path), str(folder))
        self.two = self.description.fmiVersion == "2.0"
        kind = fmpy.fmi2.FMU2Slave if self.two else fmpy.fmi3.FMU3Slave
        self.fmu = kind(
            guid=self.description.guid, unzipDirectory=str(folder), instanceName="one",
            modelIdentifier=self.description.coSimulation.modelIdentifier,
        )  # fmt: skip
        logged = {"callbacks": self.callbacks()} if self.two else {"logMessage": self.log}
        self.fmu.instantiate(loggingOn=True, **logged)
        if not enter:
            return
        self.enter(start, stop)
        prepare(self)
        self.fmu.exitInitializationMode()

    def enter(self, start, stop):
        if self.two:
            self.fmu.setupExperiment(startTime=start, stopTime=stop)
            self.fmu.enterInitializationMode()
        else:
            self.fmu.enterInitializationMode(startTime=start, stopTime=stop)

    def log(self, *told):
        self.messages.append(told[-1].decode())

    def callbacks(self):
        made = fmpy.fmi2.fmi2CallbackFunctions()
        made.logger = fmpy.fmi2.fmi2CallbackLoggerTYPE(self.log)
        self.kept = made
        return made

    def get(self, *names):
        ask = self.fmu.getReal if self.two else self.fmu.getFloat64
        return list(ask([self.references[name] for name in names]))

    def set(self, **values):
        tell = self.fmu.setReal if self.two else self.fmu.setFloat64
        tell([self.references[name] for name in values], list(values.values()))

    def step(self, time, size):
        self.fmu.doStep(currentCommunicationPoint=time, communicationStepSize=size)

    def state(self):
        return self.fmu.getFMUstate() if self.two else self.fmu.getFMUState()

    def back(self, state):
        return self.fmu.setFMUstate(state) if self.two else self.fmu.setFMUState(state)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", ["simulation", "observer", "platform"])
def test_an_fmu_is_valid_and_moves_as_python_does(cases, kind, version, tmp_path):
    paths, inputs, times, wanted = cases[kind]
    assert validate_fmu(str(paths[version])) == []
    slave = Slave(paths[version], tmp_path / "x")
    rows = [slave.get(*wanted)]
    for k, (time, after) in enumerate(itertools.pairwise(times)):
        slave.set(**{name: values[k] for name, values in inputs.items()})
        slave.step(time, after - time)
        rows.append(slave.get(*wanted))
    got = np.array(rows)
    for k, (name, values) in enumerate(wanted.items()):
        assert np.abs(got[:, k] - values).max() < 1e-10, name
    assert slave.messages == []
    slave.fmu.terminate()
    slave.fmu.freeInstance()


@pytest.mark.parametrize("version", VERSIONS)
def test_fmpy_simulates_with_other_parameters_and_starts(cases, version):
    path = cases["simulation"][0][version]
    found = fmpy.simulate_fmu(
        str(path), stop_time=0.2, step_size=DT, output_interval=0.01, start_values={"l": 1.5, "angle": 0.4}
    )
    model = pendulum()
    p = model.p.copy()
    p[[one.name for one in model.parameters].index("l")] = 1.5
    start = bl.assemble(model, angle=0.4, p=p)
    assert np.abs(found["angle"] - bl.Simulation(model, dt=DT).run(start, 0.2)["angle"][::10]).max() < 1e-10


@pytest.mark.parametrize("version", VERSIONS)
def test_states_are_kept_set_and_serialised(cases, version, tmp_path):
    slave = Slave(cases["simulation"][0][version], tmp_path / "x")
    slave.step(0.0, 0.01)
    state, here = slave.state(), slave.get("angle", "angle'")
    slave.step(0.01, 0.02)
    there = slave.get("angle", "angle'")
    two = slave.two
    data = slave.fmu.serializeFMUstate(state) if two else slave.fmu.serializeFMUState(state)
    slave.back(state)
    assert slave.get("angle", "angle'") == here
    slave.step(0.01, 0.02)
    assert slave.get("angle", "angle'") == there
    load = slave.fmu.deSerializeFMUstate if two else slave.fmu.deserializeFMUState
    slave.back(load(data))
    assert slave.get("angle", "angle'") == here
    other = b"?" + data[1:]
    for wrong, why in ((data[:-1], "bytes"), (other, "another model")):
        with pytest.raises(fmpy.fmi1.FMICallException):
            load(wrong)
        assert why in slave.messages[-1]


@pytest.mark.parametrize("version", VERSIONS)
def test_misuse_is_an_error_with_a_message_and_changes_nothing(cases, version, tmp_path):
    slave = Slave(cases["simulation"][0][version], tmp_path / "x", stop=1.0)
    slave.step(0.0, 0.5)
    here = slave.get("angle")
    wrong = [
        (lambda: slave.step(0.2, 0.1), "into the past"),
        (lambda: slave.step(0.7, 0.1), "not where the model is"),
        (lambda: slave.step(0.5, 0.0), "not positive"),
        (lambda: slave.step(0.5, -0.1), "not positive"),
        (lambda: slave.step(0.5, 0.6), "later than the stop time"),
        (lambda: slave.step(0.5, np.nan), "not positive"),
        (lambda: slave.set(acceleration=1.0), "calculated"),
        (lambda: slave.set(angle=1.0), "before the first step only"),
        (lambda: slave.fmu.exitInitializationMode(), "not allowed while the model is in step mode"),
        (lambda: slave.back(None), "no state"),
    ]  # fmt: skip
    for call, why in wrong:
        with pytest.raises(fmpy.fmi1.FMICallException):
            call()
        assert why in slave.messages[-1]
    slave.references["nothing"] = 99
    with pytest.raises(fmpy.fmi1.FMICallException):
        slave.get("nothing")
    assert "value reference 99" in slave.messages[-1]
    assert slave.get("angle") == here
    slave.set(torque=np.nan)
    with pytest.raises(fmpy.fmi1.FMICallException):
        slave.step(0.5, 0.1)
    assert "not finite" in slave.messages[-1]
    assert slave.get("angle") == here
    slave.fmu.reset()
    with pytest.raises(fmpy.fmi1.FMICallException):
        slave.step(0.0, 0.1)
    assert "instantiated" in slave.messages[-1]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_start_off_the_loops_and_a_foreign_token_are_refused(cases, version, tmp_path):
    path = cases["observer"][0][version]
    with pytest.raises(fmpy.fmi1.FMICallException):
        Slave(path, tmp_path / "x", prepare=lambda slave: slave.set(crank=2.5))
    slave = Slave(path, tmp_path / "y", enter=False)
    slave.fmu.guid = slave.fmu.instantiationToken = "another"
    with pytest.raises(Exception, match="instantiate"):
        slave.fmu.instantiate(**({"callbacks": slave.kept} if slave.two else {"logMessage": slave.log}))


def test_time_begins_where_the_importer_says(tmp_path):
    s = bl.System("swing")
    bob = s.body("bob", mass=1.0, com=[1.0, 0, 0])
    s.revolute(s.ground, bob, axis="z", coordinates="angle")
    s.force(bob, [0, bl.sin(3 * s.time), 0], at=[1, 0, 0])
    model = s.model()
    start = bl.assemble(model, angle=0.1, t=2.0)
    runner = bl.Simulation(model, dt=DT)
    path = bl.export_fmu(runner.block(start), tmp_path / "swing.fmu", "2.0")
    slave = Slave(path, tmp_path / "x", start=2.0)
    slave.step(2.0, 0.5)
    assert abs(slave.get("angle")[0] - runner.run(start, 0.5)["angle"][-1]) < 1e-12


def test_other_communication_steps_are_followed(cases, tmp_path):
    """2.5 steps are two and a half one; a sampled platform moves at its own moments."""
    model = pendulum()
    start = bl.assemble(model, angle=0.3)
    slave = Slave(cases["simulation"][0]["3.0"], tmp_path / "x")
    slave.step(0.0, 2.5 * DT)
    two = bl.Simulation(model, dt=DT).run(start, 2 * DT).state()
    half = bl.Simulation(model, dt=0.5 * DT).run(two, 0.5 * DT)
    assert abs(slave.get("angle")[0] - half["angle"][-1]) < 1e-15


def test_a_sampled_block_moves_at_its_own_moments(cases, tmp_path):
    """Every 0.02 s; with communication steps of 0.03 s, two samples and one by turns."""
    simulator = bl.cueing.Simulator.source_002()
    dof = simulator.platform.dofs[0]
    slave, stream = Slave(cases["platform"][0]["3.0"], tmp_path / "y"), simulator.stream()
    for k, samples in enumerate((2, 1, 2, 1)):
        demand = 0.01 * (k + 1)
        slave.set(**{f"{dof}.demand": demand})
        slave.step(0.03 * k, 0.03)
        for _ in range(samples):
            wanted = stream.push([demand, 0.0])
        assert abs(slave.get(dof)[0] - wanted[0]) < 1e-15


def test_an_observer_takes_readings_once_a_communication_step(cases, tmp_path):
    _, inputs, _, _ = cases["observer"]
    (channel,) = inputs
    coarse, fine = (Slave(cases["observer"][0]["2.0"], tmp_path / name) for name in "ab")
    coarse.set(**{channel: 0.2})
    coarse.step(0.0, 3 * DT)
    for k, reading in enumerate((np.nan, np.nan, 0.2)):
        fine.set(**{channel: reading})
        fine.step(k * DT, DT)
    assert coarse.get("crank", "sd(crank)") == fine.get("crank", "sd(crank)")


def test_sources_compile_without_a_warning(cases, tmp_path):
    gcc = tool("gcc", "cc", package="gcc")
    for kind in cases:
        for version in VERSIONS:
            folder = tmp_path / f"{kind}{version}"
            with zipfile.ZipFile(cases[kind][0][version]) as archive:
                archive.extractall(folder)
            sources = [str(p) for p in (folder / "sources").glob("*.c")]
            run(
                gcc, "-std=c99", "-O0", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", *sources
            )


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.skipif(not shutil.which("cmake"), reason="needs cmake")
def test_a_source_fmu_is_compiled_by_fmpy_and_runs(version, tmp_path):
    from fmpy.build import build_platform_binary

    model = pendulum()
    start = bl.assemble(model, angle=0.3)
    runner = bl.Simulation(model, dt=DT)
    path = bl.export_fmu(runner.block(start), tmp_path / "source.fmu", version, binary=False)
    assert not [name for name in zipfile.ZipFile(path).namelist() if name.startswith("binaries")]
    folder = tmp_path / "unzipped"
    fmpy.extract(str(path), str(folder))
    build_platform_binary(folder)
    found = fmpy.simulate_fmu(str(folder), stop_time=0.1, step_size=DT, output_interval=0.01)
    assert np.abs(found["angle"] - runner.run(start, 0.1)["angle"][::10]).max() < 1e-10


def test_the_same_block_gives_the_same_archive(tmp_path):
    block = bl.Simulation(pendulum()).block()
    one, two = (bl.export_fmu(block, tmp_path / name, binary=False) for name in ("a.fmu", "b.fmu"))
    assert one.read_bytes() == two.read_bytes()


def test_wrong_exports(tmp_path, monkeypatch):
    block = bl.Simulation(pendulum()).block()
    with pytest.raises(ValueError, match=r"no FMI version '1.0' here. Versions: 2.0, 3.0"):
        bl.export_fmu(block, tmp_path / "a.fmu", "1.0")
    with pytest.raises(ValueError, match=r"suffix .fmu"):
        bl.export_fmu(block, tmp_path / "a.zip")
    with pytest.raises(ValueError, match="chooses its steps itself"):
        bl.Simulation(pendulum(), integrator="dormand-prince").block()
    monkeypatch.setattr("biela.compile.fmu.archive.found_compiler", lambda: None)
    with pytest.warns(NoCompiler, match="has sources only"):
        path = bl.export_fmu(block, tmp_path / "a.fmu")
    assert not [name for name in zipfile.ZipFile(path).namelist() if name.startswith("binaries")]
    with pytest.raises(RuntimeError, match="Install one"):
        bl.export_fmu(block, tmp_path / "b.fmu", binary=True)
    assert not (tmp_path / "b.fmu").exists()


@pytest.mark.skipif(not shutil.which("cmake"), reason="needs cmake")
def test_a_package_builds_with_cmake_and_its_example_runs(tmp_path):
    model = bl.mechanisms.four_bar().model()
    runner = bl.Simulation(model, dt=DT)
    start = bl.assemble(model, crank=1.5)
    folder = tmp_path / "package"
    names = {path.name for path in bl.export_package(runner.block(start), folder)}
    assert {"CMakeLists.txt", "main.c", "four_bar_block.h", "four_bar_block.c", "four_bar_step.c"} <= names
    run("cmake", "-S", str(folder), "-B", str(folder / "build"))
    run("cmake", "--build", str(folder / "build"))
    text = run(str(folder / "build" / "four_bar_example"), "0.2", "0.01")
    header, *lines = text.splitlines()
    rows = np.array([[float(v) for v in line.split(",")] for line in lines])
    record = runner.run(start, 0.2)
    assert header.split(",")[:4] == ["t", "crank", "coupler", "rocker"]
    assert np.abs(rows[:, 2] - record["coupler"][::10]).max() < 1e-10
    done = subprocess.run([folder / "build" / "four_bar_example", "0"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "usage" in done.stderr
