"""Work for sweeps: in a module of its own, so that other processes find it."""

import biela as bl
from biela.simulate import Simulation, assemble


def drawn(case, rng):
    """Something random, to see whose seed is whose."""
    return {"twice": 2 * case["a"], "draw": rng.normal(size=2)}


def fragile(case, rng):
    """It fails for odd cases."""
    if case["a"] % 2:
        raise ArithmeticError(f"odd {case['a']}")
    return {"half": case["a"] // 2}


class Swing:
    """The final angle of a pendulum by its length; it carries a compiled simulation to the workers."""

    def __init__(self):
        model = bl.mechanisms.pendulum().model()
        self.simulation = Simulation(model, dt=1e-3)
        self.start = assemble(model)

    def __call__(self, case, rng):
        p = self.start.p * 1.0
        p[[q.name for q in self.simulation.model.parameters].index("g")] = case["g"]
        run = self.simulation.run(self.start.changed(p=p), 0.2)
        return {"angle": run.q[-1, 0]}
