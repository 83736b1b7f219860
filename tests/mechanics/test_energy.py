"""Energy and momentum against particles, and the balances that hold whatever the mechanism."""

import hand_tree
import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from random_tree import evaluate, states, trees
from swarm import error

FEW = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=30)
SEEDS = st.integers(0, 2**32 - 1)


@given(hand_tree.swarms(), SEEDS)
@settings(FEW)
def test_energy_and_momentum_by_hand(swarm, seed):
    """1a-50: kinetic and potential energy, linear momentum, angular momentum about the origin."""
    q, dq, _ = states(np.random.default_rng(seed), swarm.n)
    system = hand_tree.system(swarm)
    for rule in ("up", "down", "extended"):
        with system.using(rule):
            model = system.model(rule=rule)
            assert error(evaluate(model, "energy", q, dq, t=0.3), swarm.energy(q, dq, 0.3)) < 1e-12
            got = evaluate(model, "momentum", q, dq, t=0.3)
        linear, angular = swarm.momentum(q, dq, 0.3)
        assert error(got.linear, linear) < 1e-12
        assert error(got.angular, angular) < 1e-12


@given(trees(), SEEDS)
@settings(FEW)
def test_energy_and_momentum_of_trees(tree, seed):
    """1a-50: the same for bodies on joints."""
    q, dq, _ = states(np.random.default_rng(seed), tree.n)
    model, swarm = tree.system().model(), tree.swarm()
    assert error(evaluate(model, "energy", q, dq), swarm.energy(q, dq)) < 1e-12
    got = evaluate(model, "momentum", q, dq)
    linear, angular = swarm.momentum(q, dq)
    assert error(got.linear, linear) < 1e-12
    assert error(got.angular, angular) < 1e-12


@given(trees(most=3), SEEDS)
@settings(FEW)
def test_energy_changes_by_the_power_of_what_does_not_store_it(tree, seed):
    """1a-46: d(T + V)/dt is the power of forces, dampers and motors, along the motion that follows."""
    rng = np.random.default_rng(seed)
    q, dq, _ = states(rng, tree.n)
    s, swarm = tree.system(), tree.swarm()
    last, end = s.bodies[f"b{len(tree.links) - 1}"], swarm.solids[-1]
    first = next(iter(s.coordinates_by_name.values())).symbols.position
    s.spring(s.ground.point([3.0, 1.0, -2.0]), last.point([0.1, 0.2, 0.3]), 2.0, 0.5, damping=0.8)
    s.torsion_spring(first, 3.0, 0.1, damping=0.3)
    s.force(last, [1.0, -2.0, 0.5], at=[0.3, 0.0, 0.2])
    model = s.model()
    real = swarm.motion(q, dq, np.zeros(tree.n))
    end_place, end_rate, _ = swarm.place((end.point, end.base, np.array([0.1, 0.2, 0.3])), real)
    line = end_place - [3.0, 1.0, -2.0]
    stretching = line @ end_rate / np.linalg.norm(line)
    pushed = swarm.place((end.point, end.base, np.array([0.3, 0.0, 0.2])), real)[1]
    power = -0.8 * stretching**2 - 0.3 * dq[0] ** 2 + np.array([1.0, -2.0, 0.5]) @ pushed
    assert abs(rate_of(model, "energy", q, dq).sum() - power) < 1e-12 * scale(model, q, dq)


@given(trees(most=3, grounded=False), SEEDS)
@settings(FEW)
def test_momentum_is_kept_in_free_flight(tree, seed):
    """1a-46: with any forces between the bodies, and none from outside."""
    rng = np.random.default_rng(seed)
    q, dq, _ = states(rng, tree.n)
    s = tree.system()
    first, last = s.bodies["b0"], s.bodies[f"b{len(tree.links) - 1}"]
    s.spring(first.point([2.0, 3.0, -1.0]), last.point([0.1, 0.2, 0.3]), 2.0, 0.5, damping=0.8)
    s.force(last, [1.0, -2.0, 0.5], at=[0.3, 0.0, 0.2], base=first, by=first)
    s.moment(first, [0.2, 0.4, -1.0], base=last, by=last)
    for placement in list(s.coordinates_by_name.values())[6:]:
        s.torsion_spring(placement.symbols.position, 3.0, 0.1, damping=0.3)
    model = s.model()
    assert np.max(np.abs(rate_of(model, "momentum", q, dq))) < 1e-12 * scale(model, q, dq)


def rate_of(model, name, q, dq):
    """The rates of a Function's outputs along the motion that the equations give."""
    M, delta = evaluate(model, "M|delta", q, dq)
    assume(np.linalg.cond(M) < 1e5)  # a free rod may spin about itself without inertia
    ddq = np.linalg.solve(M, delta)
    function = model.functions[name]
    outputs = [function.value(port) for port in function.outputs]
    rates = {f"rate{k}": value.dt() for k, value in enumerate(outputs)}
    made = model.function("rates", rates)
    known = {"q": q, "dq": dq, "ddq": ddq, "p": model.p if model.parameters else None}
    results = made.evaluate(**{port.name: known[port.name] for port in made.inputs})
    return np.hstack([np.ravel(result) for result in results])


def scale(model, q, dq):
    """The size of the terms that cancel."""
    M, delta = evaluate(model, "M|delta", q, dq)
    return 1.0 + np.max(np.abs(delta)) * np.linalg.cond(M)
