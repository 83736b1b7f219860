"""The tables of source 002, as printed, and its test signals.

S. Casas et al., Revista Iberoamericana de Automatica e Informatica Industrial 14 (2017). Angles in degrees,
frequencies in Hz, times in s, as there. Where its text is damaged, tables were read together with its
figures.
"""

from __future__ import annotations

from biela.cueing.signal import Signal, signal

# table 1: range of each degree of freedom
RANGES_DEG = {"pitch": (-30.27, 30.27), "roll": (-26.38, 26.38)}

# table 2: frequencies at which a chirp is attenuated by 3 and 6 dB, by amplitude
ATTENUATION_HZ: dict[str, dict[float, tuple[float, float]]] = {
    "pitch": {30: (1.59, 2.00), 25: (1.83, 2.28), 20: (2.00, 2.45), 15: (2.42, 2.76), 10: (2.86, 2.90)},
    "roll": {25: (1.59, 2.03), 20: (1.86, 2.10), 15: (2.21, 2.56), 10: (2.59, 2.76)},
}

# table 3: signals for one degree of freedom, (pitch, roll)
SINGLE: dict[str, dict[str, Signal]] = {
    "S1": {dof: signal("chirp", A, f0=0.01, r=1.1) for dof, A in (("pitch", 30.0), ("roll", 25.0))},
    "S2": {dof: signal("damped sine", A, f=1.0, c=0.06) for dof, A in (("pitch", 30.0), ("roll", 25.0))},
    "S3": {dof: signal("damped square", A, f=0.5, c=0.06) for dof, A in (("pitch", 30.0), ("roll", 25.0))},
    "S4": {dof: signal("triangle", A, f=0.125) for dof, A in (("pitch", 20.0), ("roll", 20.0))},
}

# table 4: what was fitted: delay, gain, damping, natural frequency
FITTED = {"pitch": (0.08, 1.0, 1.5, 2.8), "roll": (0.08, 1.0, 1.5, 2.7)}

# table 5: normalised root mean square fit
FITS: dict[str, dict[str, float]] = {
    "S1": {"pitch": 0.9398, "roll": 0.9402},
    "S2": {"pitch": 0.9216, "roll": 0.9077},
    "S3": {"pitch": 0.9157, "roll": 0.8814},
    "S4": {"pitch": 0.8674, "roll": 0.8573},
    "S5": {"both": 0.9336},
    "S6": {"both": 0.9249},
    "S7": {"both": 0.8579},
    "S8": {"both": 0.9088},
}

# table 6: signals for both together
JOINT: dict[str, dict[str, Signal]] = {
    "S5": {"pitch": signal("sine", 30.0, f=0.05), "roll": signal("sine", 30.0, f=0.03)},
    "S6": {"pitch": signal("sine", 30.0, f=0.05), "roll": signal("damped square", 30.0, f=0.03, c=0.04)},
    "S7": {
        "pitch": signal("chirp", 30.0, f0=0.01, r=1.08),
        "roll": signal("damped sine", 30.0, f=0.1, c=0.05),
    },
    "S8": {"pitch": signal("damped sine", 30.0, f=0.1, c=0.05), "roll": signal("sawtooth", 30.0, f=0.03)},
}

# table 7: time for 100 s with a classical washout in the loop, on a Pentium G840 of 2.6 GHz
SPEED_S = {"digital filters": 0.462, "Newton-Lagrange": 3.345}

# section 3: full excursion takes a little over 1 s, half of it a little under 0.8 s, the delay is about 80 ms
EXCURSION_S = {"full": 1.0, "half": 0.8, "delay": 0.08}
