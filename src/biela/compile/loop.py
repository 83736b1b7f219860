"""The native loops around a body: IR of nested counted loops that move tiles in and out of memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

UNROLL = 256  # components of a port moved without a loop

# {address, stride of components, stride of blocks, stride of steps}, in doubles
PORT = "{ ptr, i64, i64, i64 }"


class Loop:
    """IR of nested counted loops that move tiles in and out of memory."""

    def __init__(self, lanes: int, width: int) -> None:
        self.width = width
        self.streams = lanes // width  # vector registers a block
        self.type = "double" if width == 1 else f"<{width} x double>"
        self.tiles: list[str] = []
        self.lines: list[str] = []
        self.open: list[tuple[str, str]] = []
        self.serial = 0
        self.label = "entry"

    def line(self, *texts: str) -> None:
        """Append instructions that have no value, or name their own."""
        self.lines.extend(f"  {text}" for text in texts)

    def emit(self, text: str) -> str:
        """Append an instruction that has a value, and name it."""
        self.serial += 1
        self.line(f"%t{self.serial} = {text}")
        return f"%t{self.serial}"

    def tile(self, name: str, vectors: int) -> None:
        """Set aside memory for so many components of a block."""
        size = vectors * self.streams
        self.tiles.append(f"  %{name} = alloca [{size} x {self.type}], align {min(64, 8 * self.width)}")

    def begin(self, name: str, first: str, last: str) -> None:
        """Open ``for name in first .. last``; nothing runs when there is nothing to do."""
        self.line(f"br label %{name}.head")
        self.lines.append(f"{name}.head:")
        # the increment is filled in by `end`; its block is always called NAME.next
        self.line(
            f"%{name} = phi i64 [ {first}, %{self.label} ], [ %{name}.plus, %{name}.next ]",
            f"%{name}.more = icmp slt i64 %{name}, {last}",
            f"br i1 %{name}.more, label %{name}.body, label %{name}.exit",
        )
        self.lines.append(f"{name}.body:")
        self.label = f"{name}.body"
        self.open.append((name, self.label))

    def end(self) -> None:
        """Close the innermost loop."""
        name, _ = self.open.pop()
        self.line(f"br label %{name}.next")
        self.lines.append(f"{name}.next:")
        self.line(f"%{name}.plus = add i64 %{name}, 1", f"br label %{name}.head")
        self.lines.append(f"{name}.exit:")
        self.label = f"{name}.exit"

    def move_ports(
        self,
        table: str,
        sizes: Sequence[int],
        tile: str,
        *,
        load: bool,
        only: Sequence[int] | None = None,
        step: str | None = None,
    ) -> None:
        """Move every component of the ports of ``table`` into the tile, or out of it."""
        offset = 0
        for port, size in enumerate(sizes):
            if only is None or port in only:
                self.move_port(table, port, size, tile, offset, load=load, step=step)
            offset += size

    def move_port(
        self,
        table: str,
        port: int,
        size: int,
        tile: str,
        offset: int,
        *,
        load: bool,
        step: str | None = None,
    ) -> None:
        """Move the components of one row of ``table`` into the tile from ``offset`` on, or out of it."""
        base, row = self._port(table, port, step)
        self._move(base, row, offset, size, tile, load)

    def copy(self, source: str, start: int, target: str, place: int, vectors: int) -> None:
        """Copy ``vectors`` components of one tile, from ``start`` on, to ``place`` in another."""
        self._repeat(vectors * self.streams, partial(self._copy_one, source, start, target, place))

    def function(self, head: str) -> str:
        """The whole function, for its head."""
        return "\n".join([f"{head} {{", "entry:", *self.tiles, *self.lines, "  ret void", "}", ""])

    def _copy_one(self, source: str, start: int, target: str, place: int, k: str) -> None:
        inside = self._in_tile(source, self._sum(k, start * self.streams))
        value = self.emit(f"load {self.type}, ptr {inside}, align 8")
        inside = self._in_tile(target, self._sum(k, place * self.streams))
        self.line(f"store {self.type} {value}, ptr {inside}, align 8")

    def _sum(self, k: str, offset: int) -> str:
        return str(int(k) + offset) if k.isdigit() else self.emit(f"add i64 {k}, {offset}")

    def _port(self, table: str, port: int, step: str | None) -> tuple[str, str]:
        """The address of a port at this block (and step), and the stride of its components."""
        fields: list[str] = []
        for field, kind in enumerate(("ptr", "i64", "i64", "i64")):
            place = self.emit(f"getelementptr {PORT}, ptr {table}, i64 {port}, i32 {field}")
            fields.append(self.emit(f"load {kind}, ptr {place}, align 8"))
        address, row, blocks, steps = fields
        offset = self.emit(f"mul i64 %b, {blocks}")
        if step is not None:
            offset = self.emit(f"add i64 {offset}, {self.emit(f'mul i64 {step}, {steps}')}")
        return self.emit(f"getelementptr double, ptr {address}, i64 {offset}"), row

    def _move(self, base: str, row: str, offset: int, size: int, tile: str, load: bool) -> None:
        def one(k: str) -> None:
            first = self.emit(f"mul i64 {self._sum(k, offset)}, {self.streams}")
            component = self.emit(f"getelementptr double, ptr {base}, i64 {self.emit(f'mul i64 {row}, {k}')}")
            for stream in range(self.streams):
                outside = self.emit(f"getelementptr {self.type}, ptr {component}, i64 {stream}")
                inside = self._in_tile(tile, self.emit(f"add i64 {first}, {stream}"))
                source, target = (outside, inside) if load else (inside, outside)
                value = self.emit(f"load {self.type}, ptr {source}, align 8")
                self.line(f"store {self.type} {value}, ptr {target}, align 8")

        self._repeat(size, one)

    def _repeat(self, times: int, one: Callable[[str], None]) -> None:
        if times <= UNROLL:
            for k in range(times):
                one(str(k))
            return
        self.serial += 1
        name = f"k{self.serial}"
        self.begin(name, "0", str(times))
        one(f"%{name}")
        self.end()

    def _in_tile(self, tile: str, k: str) -> str:
        return self.emit(f"getelementptr {self.type}, ptr %{tile}, i64 {k}")
