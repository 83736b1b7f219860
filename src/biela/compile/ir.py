"""LLVM IR as text, one instruction a call, the same for one double and for a vector of doubles.

Everything the `llvm` target writes goes through a `Block`, so a routine written once serves the scalar
kernel and every lane count, with the same operations in the same order: that is why a lane of a
batch equals the scalar run bit for bit. A fused multiply-add is only ever written on purpose; no
fast-math flag is used.
"""

from __future__ import annotations

import struct

INTRINSICS = {"fma": 3, "sqrt": 1, "floor": 1, "rint": 1, "fabs": 1, "copysign": 2}


class Block:
    """A straight-line stretch of IR over ``lanes`` doubles at once (1: plain scalars).

    Values are the texts that name them (``%12``, a literal), and every method returns one.
    """

    def __init__(self, lanes: int = 1, prefix: str = "v") -> None:
        self.lanes = lanes
        self.lines: list[str] = []
        self.declarations: set[str] = set()  # of intrinsics used
        self.constants: dict[str, str] = {}  # module-level tables: name -> definition
        self.type = self.vector("double")
        self._prefix = prefix
        self._called: dict[str, str] = {}  # how a call of each intrinsic begins

    def vector(self, scalar: str) -> str:
        """The type of one ``scalar`` a lane: 'i64' -> '<8 x i64>'."""
        return scalar if self.lanes == 1 else f"<{self.lanes} x {scalar}>"

    def emit(self, text: str) -> str:
        """Append an instruction that has a value, and name it."""
        name = f"%{self._prefix}{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name

    def number(self, value: float) -> str:
        """A constant in every lane, exact to the bit."""
        return self.splat("double", "0x" + struct.pack(">d", value).hex().upper())

    def integer(self, value: int, scalar: str = "i64") -> str:
        """A whole constant in every lane."""
        return self.splat(scalar, str(value))

    def splat(self, scalar: str, literal: str) -> str:
        """A literal in every lane."""
        return literal if self.lanes == 1 else f"splat ({scalar} {literal})"

    def add(self, a: str, b: str) -> str:
        """a + b."""
        return self.emit(f"fadd {self.type} {a}, {b}")

    def sub(self, a: str, b: str) -> str:
        """a - b."""
        return self.emit(f"fsub {self.type} {a}, {b}")

    def mul(self, a: str, b: str) -> str:
        """a * b."""
        return self.emit(f"fmul {self.type} {a}, {b}")

    def div(self, a: str, b: str) -> str:
        """a / b."""
        return self.emit(f"fdiv {self.type} {a}, {b}")

    def neg(self, a: str) -> str:
        """-a."""
        return self.emit(f"fneg {self.type} {a}")

    def intrinsic(self, name: str, *operands: str) -> str:
        """One of `INTRINSICS` on doubles: fma(a, b, c) = a b + c rounded once."""
        head = self._called.get(name) or self._declare(name)
        return self.emit(head + f", {self.type} ".join(operands) + ")")

    def _declare(self, name: str) -> str:
        """How a call begins, up to the name of its first operand."""
        suffix = "f64" if self.lanes == 1 else f"v{self.lanes}f64"
        types = ", ".join([self.type] * INTRINSICS[name])
        self.declarations.add(f"declare {self.type} @llvm.{name}.{suffix}({types})")
        head = self._called[name] = f"call {self.type} @llvm.{name}.{suffix}({self.type} "
        return head

    def fma(self, a: str, b: str, c: str) -> str:
        """a b + c, rounded once."""
        return self.intrinsic("fma", a, b, c)

    def fms(self, a: str, b: str, c: str) -> str:
        """a b - c, rounded once."""
        return self.fma(a, b, self.neg(c))

    def fnma(self, a: str, b: str, c: str) -> str:
        """c - a b, rounded once."""
        return self.fma(self.neg(a), b, c)

    def compare(self, predicate: str, a: str, b: str) -> str:
        """A truth value a lane from an ordered or unordered comparison of doubles ('olt', 'une' ...)."""
        return self.emit(f"fcmp {predicate} {self.type} {a}, {b}")

    def select(self, condition: str, a: str, b: str, scalar: str = "double") -> str:
        """``a`` where the condition holds, else ``b``."""
        kind = self.vector(scalar)
        return self.emit(f"select {self.vector('i1')} {condition}, {kind} {a}, {kind} {b}")

    def convert(self, instruction: str, a: str, source: str, target: str) -> str:
        """A conversion between scalar types, lane by lane: convert('fptosi', a, 'double', 'i64')."""
        return self.emit(f"{instruction} {self.vector(source)} {a} to {self.vector(target)}")

    def whole(self, instruction: str, a: str, b: str, scalar: str = "i64") -> str:
        """An instruction on whole numbers: whole('and', a, b)."""
        return self.emit(f"{instruction} {self.vector(scalar)} {a}, {b}")
