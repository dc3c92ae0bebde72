"""Loading an object file into memory, so that its machine code can be called: what a linker does, for kernels.

1. The sections that running needs are copied into one piece of memory; room for variables follows them.
2. Each symbol gets its address: a place in that memory, or one that the caller knows by its name.
3. Each place where the code refers to a symbol is filled in. LLVM makes code for the large memory model, which refers
   to symbols in two ways only: by an address and by a distance, both of 64 bits.
4. From then on, what was copied can be executed and no longer be written.

The layout is ELF's, and the numbers are those of its supplement for AMD64 (System V Application Binary Interface).
"""

from __future__ import annotations

import ctypes
import mmap
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

HEADER = struct.Struct("<4s12xHHIQQQIHHHHHH")
SECTION = np.dtype(
    {
        "names": ["name", "type", "flags", "address", "start", "size", "link", "target", "align", "entry_size"],
        "formats": ["u4", "u4", "u8", "u8", "u8", "u8", "u4", "u4", "u8", "u8"],
    }
)
SYMBOL = np.dtype(
    {
        "names": ["name", "info", "other", "section", "value", "size"],
        "formats": ["u4", "u1", "u1", "u2", "u8", "u8"],
    }
)
REFERENCE = np.dtype({"names": ["place", "type", "symbol", "addend"], "formats": ["u8", "u4", "u4", "i8"]})

MAGIC, RELOCATABLE, X86_64 = b"\x7fELF", 1, 62
SYMBOLS, REFERENCES, EMPTY, CONSTRUCTORS = 2, 4, 8, 14  # types of sections
LOADED, WRITABLE, THREAD = 2, 1, 0x400  # flags of sections
UNDEFINED, COMMON, SPECIAL = 0, 0xFFF2, 0xFF00  # "sections" of symbols that are in none
ADDRESS, DISTANCE = 1, 24  # ways to refer to a symbol: R_X86_64_64, R_X86_64_PC64
READ, EXECUTE = 1, 4  # rights of memory, for mprotect


class UnknownObjectError(Exception):
    """An object file with parts that are not known here."""


class LoadedObject:
    """Machine code in memory, which stays there for as long as this object does; `names` has its global symbols."""

    def __init__(self, code: bytes, address_of: Callable[[str], int], protect: Callable[[int, int, int], None]) -> None:
        self._code = code
        self._sections, symbols = self._read()
        self._places, constant_size = self._arrange_sections()
        variables, size = self._arrange_variables(symbols, constant_size)
        self._memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self._bytes = np.frombuffer(self._memory, np.uint8)
        self._base = int(self._bytes.ctypes.data)
        self._copy_sections()
        self.names: dict[str, int] = {}
        self._fill_in(self._addresses(symbols, variables, address_of))
        protect(self._base, constant_size, READ | EXECUTE)

    def set_pointer(self, name: str, value: int) -> None:
        """Set a variable of the object, which is a pointer."""
        ctypes.c_void_p.from_address(self.names[name]).value = value

    def _read(self) -> tuple[Any, Any]:
        """The tables of sections and of symbols."""
        magic, kind, machine, _, _, _, start, *_, count, _ = HEADER.unpack_from(self._code)
        if (magic, kind, machine) != (MAGIC, RELOCATABLE, X86_64):
            raise UnknownObjectError("this is not an object file for x86-64")
        sections = np.frombuffer(self._code, SECTION, count, start)
        loaded = sections[(sections["flags"] & LOADED > 0) & (sections["size"] > 0)]
        if (loaded["flags"] & (WRITABLE | THREAD)).any() or np.isin(loaded["type"], (EMPTY, CONSTRUCTORS)).any():
            raise UnknownObjectError("it has variables of a kind that LLVM did not use for kernels so far")
        (table,) = sections[sections["type"] == SYMBOLS]
        self._names_start = int(sections[table["link"]]["start"])
        return sections, self._table(table, SYMBOL)

    def _table(self, section: Any, kind: Any) -> Any:
        return np.frombuffer(self._code, kind, int(section["size"]) // kind.itemsize, int(section["start"]))

    def _arrange_sections(self) -> tuple[dict[int, int], int]:
        """Where in memory each section goes that running needs, and how much they take: whole pages."""
        places, size = {}, 0
        for number, section in enumerate(self._sections):
            if section["flags"] & LOADED:
                places[number] = size = _aligned(size, int(section["align"]))
                size += int(section["size"])
        return places, _aligned(max(size, 1), mmap.PAGESIZE)

    @staticmethod
    def _arrange_variables(symbols: Any, size: int) -> tuple[dict[int, int], int]:
        """Where in memory each variable goes, and where the last one ends; of a variable, `value` is its alignment."""
        places = {}
        for number in np.flatnonzero(symbols["section"] == COMMON).tolist():
            places[number] = size = _aligned(size, int(symbols["value"][number]))
            size += int(symbols["size"][number])
        return places, size

    def _copy_sections(self) -> None:
        for number, place in self._places.items():
            start, size = (int(self._sections[number][name]) for name in ("start", "size"))
            self._bytes[place : place + size] = np.frombuffer(self._code, np.uint8, size, start)

    def _addresses(self, symbols: Any, variables: dict[int, int], address_of: Callable[[str], int]) -> Any:
        """The address of each symbol; notes those that have a name for others."""
        found = np.zeros(len(symbols), np.uint64)
        for number, symbol in enumerate(symbols[1:].tolist(), start=1):  # the first one is none
            start, info, _, section, value, _ = symbol
            if section == UNDEFINED:
                found[number] = address_of(self._name(start))
                continue
            if section == COMMON:
                found[number] = self._base + variables[number]
            elif section < SPECIAL and section in self._places:
                found[number] = self._base + self._places[section] + value
            if info >> 4:  # it is not local
                self.names[self._name(start)] = int(found[number])
        return found

    def _name(self, start: int) -> str:
        begin = self._names_start + start
        return self._code[begin : self._code.index(b"\0", begin)].decode()

    def _fill_in(self, addresses: Any) -> None:
        for section in self._sections[self._sections["type"] == REFERENCES]:
            place = self._places.get(int(section["target"]))
            if place is None:  # in a section that running does not need
                continue
            references = self._table(section, REFERENCE)
            distance = references["type"] == DISTANCE
            if not (distance | (references["type"] == ADDRESS)).all():
                raise UnknownObjectError("it refers to symbols in a way that is not known here")
            places = references["place"] + np.uint64(place)
            values = addresses[references["symbol"]] + references["addend"].view(np.uint64)
            values[distance] -= places[distance] + np.uint64(self._base)
            self._bytes[places[:, None] + np.arange(8, dtype=np.uint64)] = values.view(np.uint8).reshape(-1, 8)


def _aligned(place: int, alignment: int) -> int:
    return -(-place // max(alignment, 1)) * max(alignment, 1)
