"""From IR to machine code in this process: the processor, the passes, the linking.

The passes are few, because the graph already shares and folds: inlining of what the target marks,
memory to registers, instruction combining. Nothing vectorises automatically (lanes are
explicit) and nothing may reorder arithmetic.
"""

from __future__ import annotations

import itertools
from functools import lru_cache
from importlib import import_module, metadata
from typing import Any, NamedTuple

from biela.compile import cache

llvm: Any = import_module("llvmlite.binding")  # it has no types
_serial = itertools.count()


class Processor(NamedTuple):
    """What the native code may use."""

    name: str
    features: str
    lanes: int  # doubles in one vector register
    registers: int  # vector registers
    fused: bool  # has fused multiply-add


@lru_cache(maxsize=1)
def processor() -> Processor:
    """The processor this runs on."""
    features = llvm.get_host_cpu_features()
    if features.get("avx512f"):
        lanes, registers = 8, 32
    elif features.get("avx"):
        lanes, registers = 4, 16
    else:
        lanes, registers = 2, 32 if features.get("neon") else 16
    fused = bool(features.get("fma") or features.get("neon"))
    return Processor(llvm.get_host_cpu_name(), features.flatten(), lanes, registers, fused)


@lru_cache(maxsize=1)
def _machine() -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    cpu = processor()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(cpu=cpu.name, features=cpu.features, opt=2, reloc="pic", jit=True)


@lru_cache(maxsize=1)
def _jit() -> Any:
    return llvm.create_lljit_compiler(_machine())


def object_code(ir: str, *, use_cache: bool = True) -> bytes:
    """The object file of a module of IR, from the cache when it was compiled before."""
    cpu = processor()
    key = cache.digest(ir, metadata.version("llvmlite"), str(llvm.llvm_version_info), cpu.name, cpu.features)
    found = cache.load(key) if use_cache else None
    if found is None:
        found = _machine().emit_object(optimised(ir))
        if use_cache:
            cache.store(key, found)
    return found


def optimised(ir: str) -> Any:
    """The module of some IR after the passes."""
    machine = _machine()
    module = llvm.parse_assembly(ir)
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_sroa_pass()
    passes.add_new_gvn_pass()
    passes.add_simplify_cfg_pass()
    passes.add_dead_code_elimination_pass()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, llvm.create_pass_builder(machine, llvm.PipelineTuningOptions(speed_level=2)))
    return module


def assembly(ir: str) -> str:
    """The assembly that some IR becomes, to be looked at."""
    return _machine().emit_assembly(optimised(ir))


class Library:
    """Loaded object code; the address of ``symbol`` is valid as long as this lives."""

    def __init__(self, code: bytes, symbol: str) -> None:
        _machine()
        builder = llvm.JITLibraryBuilder().add_object_img(code).add_current_process().export_symbol(symbol)
        self._tracker = builder.link(_jit(), f"biela{next(_serial)}")
        self.address: int = self._tracker[symbol]
