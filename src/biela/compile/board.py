"""The board of a `Crew`, and the native code that reads and writes it.

In whole numbers of 64 bits, each that several write to in a line of a cache of its own:

    0   ticket: odd while there is a job        8  the next part        16  helpers that are inside
    24  parts, blocks, where the first block of a part stands among the arguments, where the workspace does,
        the address of the loop, and its arguments
    48  and every 8 from there, for each thread: whether it is asleep, and the address of its workspace;
        the first is the one that has the job

Native loops differ in how many arguments they take. All are whole numbers or addresses, and every one is
called with as many as any has: where C is spoken the caller clears up, so those too many are not noticed.

A helper that joins says that it is inside, and looks at the ticket again: if it is another by now the helper
leaves. The one with the job closes the ticket, then waits until nobody is inside; only then is the
board written to again. One that goes to sleep says so, and looks at the ticket again.
"""

from __future__ import annotations

from ctypes import CFUNCTYPE, c_int64, c_void_p
from functools import lru_cache
from platform import machine
from typing import Any

from biela.compile import engine

ARGUMENTS = 12  # more than any loop has
JOB, HELPERS, LINE = 24, 48, 8
_FUNCTIONS = (("publish", c_int64, 1), ("lead", None, 0), ("wait", c_int64, 1), ("help", c_int64, 3))

_IR = """
PAUSE_DECLARATION
define internal void @parts(ptr %board, i64 %who) {
entry:
  %next = getelementptr i64, ptr %board, i64 8
  %count.at = getelementptr i64, ptr %board, i64 24
  %count = load i64, ptr %count.at
  %blocks.at = getelementptr i64, ptr %board, i64 25
  %blocks = load i64, ptr %blocks.at
  %first.at = getelementptr i64, ptr %board, i64 26
  %first = load i64, ptr %first.at
  %space.at = getelementptr i64, ptr %board, i64 27
  %space = load i64, ptr %space.at
  %loop.at = getelementptr i64, ptr %board, i64 28
  %loop = load ptr, ptr %loop.at
  %given = getelementptr i64, ptr %board, i64 29
  %mine = mul i64 %who, 8
  %mine.place = add i64 %mine, 49
  %mine.at = getelementptr i64, ptr %board, i64 %mine.place
  %workspace = load i64, ptr %mine.at
  %own = alloca [ARGUMENTS x i64]
  call void @llvm.memcpy.p0.p0.i64(ptr %own, ptr %given, i64 ARGUMENT_BYTES, i1 false)
  %space.own = getelementptr i64, ptr %own, i64 %space
  store i64 %workspace, ptr %space.own
  %begin.at = getelementptr i64, ptr %own, i64 %first
  %last = add i64 %first, 1
  %end.at = getelementptr i64, ptr %own, i64 %last
  br label %take
take:
  %part = atomicrmw add ptr %next, i64 1 seq_cst
  %more = icmp slt i64 %part, %count
  br i1 %more, label %work, label %done
work:
  %up = mul i64 %part, %blocks
  %begin = udiv i64 %up, %count
  %plus = add i64 %up, %blocks
  %end = udiv i64 %plus, %count
  store i64 %begin, ptr %begin.at
  store i64 %end, ptr %end.at
LOAD_ARGUMENTS
  call void %loop(PASS_ARGUMENTS)
  br label %take
done:
  ret void
}

define i64 @biela_publish(ptr %board, i64 %helpers) {       ; returns a bit for each helper to be woken
entry:
  %next = getelementptr i64, ptr %board, i64 8
  store atomic i64 0, ptr %next seq_cst, align 8
  %ticket = atomicrmw add ptr %board, i64 1 seq_cst
  br label %look
look:
  %k = phi i64 [ 1, %entry ], [ %k.next, %body ]
  %wake = phi i64 [ 0, %entry ], [ %wake.next, %body ]
  %inside = icmp sle i64 %k, %helpers
  br i1 %inside, label %body, label %done
body:
  %line = mul i64 %k, 8
  %place = add i64 %line, 48
  %at = getelementptr i64, ptr %board, i64 %place
  %asleep = atomicrmw xchg ptr %at, i64 0 seq_cst
  %bit = shl i64 %asleep, %k
  %wake.next = or i64 %wake, %bit
  %k.next = add i64 %k, 1
  br label %look
done:
  ret i64 %wake
}

define void @biela_lead(ptr %board) {
  call void @parts(ptr %board, i64 0)
  %closed = atomicrmw add ptr %board, i64 1 seq_cst
  ret void
}

define i64 @biela_wait(ptr %board, i64 %patience) {         ; returns how many are still inside
entry:
  %at = getelementptr i64, ptr %board, i64 16
  br label %look
look:
  %left = phi i64 [ %patience, %entry ], [ %left.next, %again ]
  %inside = load atomic i64, ptr %at seq_cst, align 8
  %none = icmp eq i64 %inside, 0
  %bored = icmp eq i64 %left, 0
  %leave = or i1 %none, %bored
  br i1 %leave, label %done, label %again
again:
  PAUSE
  %left.next = sub i64 %left, 1
  br label %look
done:
  ret i64 %inside
}

define i64 @biela_help(ptr %board, i64 %who, i64 %start, i64 %patience) {  ; returns the last ticket it saw
entry:
  %inside.at = getelementptr i64, ptr %board, i64 16
  %line = mul i64 %who, 8
  %place = add i64 %line, 48
  %asleep.at = getelementptr i64, ptr %board, i64 %place
  br label %look
look:
  %seen = phi i64 [ %start, %entry ], [ %seen, %again ], [ %ticket, %leave ], [ %seen, %late ]
  %left = phi i64 [ %patience, %entry ], [ %left.next, %again ], [ %patience, %leave ], [ %patience, %late ]
  %ticket = load atomic i64, ptr %board seq_cst, align 8
  %odd = and i64 %ticket, 1
  %open = icmp eq i64 %odd, 1
  %other = icmp ne i64 %ticket, %seen
  %job = and i1 %open, %other
  br i1 %job, label %enter, label %wait
wait:
  %bored = icmp eq i64 %left, 0
  br i1 %bored, label %tired, label %again
again:
  PAUSE
  %left.next = sub i64 %left, 1
  br label %look
enter:                                                     ; it may be closed by now: look again from inside
  %before = atomicrmw add ptr %inside.at, i64 1 seq_cst
  %now = load atomic i64, ptr %board seq_cst, align 8
  %still = icmp eq i64 %now, %ticket
  br i1 %still, label %work, label %leave
work:
  call void @parts(ptr %board, i64 %who)
  br label %leave
leave:
  %after = atomicrmw sub ptr %inside.at, i64 1 seq_cst
  br label %look
tired:                                                     ; say so first, then look once more
  %was = atomicrmw xchg ptr %asleep.at, i64 1 seq_cst
  %last = load atomic i64, ptr %board seq_cst, align 8
  %last.odd = and i64 %last, 1
  %last.open = icmp eq i64 %last.odd, 1
  %last.other = icmp ne i64 %last, %seen
  %missed = and i1 %last.open, %last.other
  br i1 %missed, label %late, label %sleep
late:
  %awake = atomicrmw xchg ptr %asleep.at, i64 0 seq_cst
  br label %look
sleep:
  ret i64 %seen
}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""


@lru_cache(maxsize=1)
def native() -> tuple[Any, ...]:
    """The four functions of the board: publish, lead, wait, help."""
    ir = _IR
    for name, text in _texts().items():
        ir = ir.replace(name, text)
    code = engine.object_code(ir)
    return tuple(_function(code, *row) for row in _FUNCTIONS)


def _function(code: bytes, name: str, result: Any, numbers: int) -> Any:
    library = engine.Library(code, f"biela_{name}")
    function: Any = CFUNCTYPE(result, c_void_p, *([c_int64] * numbers))(library.address)
    function.library = library  # lives as long as it can be called
    return function


def _texts() -> dict[str, str]:
    """What is filled into the code: arguments by their number, and the wait of this processor."""
    pause, declared = {
        "x86_64": ("call void @llvm.x86.sse2.pause()", "declare void @llvm.x86.sse2.pause()"),
        "amd64": ("call void @llvm.x86.sse2.pause()", "declare void @llvm.x86.sse2.pause()"),
        "aarch64": ("call void @llvm.aarch64.hint(i32 1)", "declare void @llvm.aarch64.hint(i32)"),
        "arm64": ("call void @llvm.aarch64.hint(i32 1)", "declare void @llvm.aarch64.hint(i32)"),
    }.get(machine().lower(), ("", ""))
    loads = [
        f"  %a{k}.at = getelementptr i64, ptr %own, i64 {k}\n  %a{k} = load i64, ptr %a{k}.at"
        for k in range(ARGUMENTS)
    ]
    return {
        "PAUSE_DECLARATION": declared,
        "PAUSE": pause,
        "LOAD_ARGUMENTS": "\n".join(loads),
        "PASS_ARGUMENTS": ", ".join(f"i64 %a{k}" for k in range(ARGUMENTS)),
        "ARGUMENT_BYTES": str(8 * ARGUMENTS),
        "ARGUMENTS": str(ARGUMENTS),
    }
