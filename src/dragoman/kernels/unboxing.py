"""How the arguments of a kernel get from Python to machine code, in little code.

Numba writes out the unpacking of every array in every argument, and a kernel that takes tuples of dozens of arrays has
more code for this than for its work. Here each type of array and tuple has one function that unpacks it, which is
called for all arguments, and members of tuples, of that type.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils
from numba.core.extending import NativeValue
from numba.core.pythonapi import PythonAPI
from numba.core.types import Array
from numba.core.types.containers import BaseTuple

FAILED = ir.IntType(1)


class SharedUnboxing(PythonAPI):  # type: ignore[misc]
    """What Numba asks for code that deals with Python's objects; unpacking calls functions of the same module."""

    def to_native_value(self, typ: Any, obj: Any) -> Any:
        """Code that unpacks an object; whether it failed is part of the result."""
        if not isinstance(typ, Array | BaseTuple):
            return super().to_native_value(typ, obj)
        place = cgutils.alloca_once(self.builder, self.context.get_value_type(typ))
        failed = self._unbox(typ, obj, place)
        return NativeValue(self.builder.load(place), is_error=failed)

    def _unbox(self, typ: Any, obj: Any, place: Any) -> Any:
        """Code that unpacks an object to a place; whether it failed."""
        if isinstance(typ, Array | BaseTuple):
            return self.builder.call(self._unboxer(typ), [obj, place])
        value = super().to_native_value(typ, obj)
        self.builder.store(value.value, place)
        return value.is_error

    def _unboxer(self, typ: Any) -> Any:
        """The function that unpacks objects of a type: takes the object and a place; returns whether it failed."""
        name = f"unbox.{typ}"
        if name not in self.module.globals:
            place = self.context.get_value_type(typ).as_pointer()
            function = ir.Function(self.module, ir.FunctionType(FAILED, [self.pyobj, place]), name)
            function.linkage = "internal"
            function.attributes.add("noinline")
            inside = type(self)(self.context, ir.IRBuilder(function.append_basic_block("entry")))
            if isinstance(typ, BaseTuple):
                inside._unbox_members(typ, *function.args)
            else:
                value = PythonAPI.to_native_value(inside, typ, function.args[0])
                inside.builder.store(value.value, function.args[1])
                inside.builder.ret(value.is_error)
        return self.module.globals[name]

    def _unbox_members(self, typ: Any, obj: Any, place: Any) -> None:
        """The body of a function that unpacks a tuple."""
        size = self.tuple_size(obj)
        with self.builder.if_then(self.builder.icmp_unsigned("!=", size, size.type(len(typ))), likely=False):
            self.err_format("PyExc_ValueError", f"a tuple of {len(typ)} was expected, not one of %zd", size)
            self.builder.ret(FAILED(1))
        for i, member in enumerate(typ):
            target = cgutils.gep_inbounds(self.builder, place, 0, i)
            failed = self._unbox(member, self.tuple_getitem(obj, i), target)
            with self.builder.if_then(failed, likely=False):
                self.builder.ret(FAILED(1))
        self.builder.ret(FAILED(0))
