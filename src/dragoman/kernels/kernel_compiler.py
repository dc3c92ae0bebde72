"""How a kernel becomes machine code: typed and lowered once, optimised only where Python calls it.

Numba makes machine code of every function, and optimises a function together with all that it calls, again for each
caller. Most kernels are only called by other kernels, into which they are inlined anyway. So here

1. `KernelDispatcher.lower` types a kernel and lowers it to LLVM code, which is all that a calling kernel needs;
2. `KernelDispatcher.compile`, when Python calls a kernel, links its code with that of all kernels it calls, optimises
   the whole once, and makes machine code of it.

Both results are kept in the cache; a process that finds machine code there does not need the first. This takes parts of
Numba that are not public, see `dragoman.kernels`.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import sys
from collections.abc import Callable, Iterator
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from numba import typeof
from numba.core import caching, compiler, event, sigutils, typing
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import lookup_environment
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys
from numba.core.targetconfig import ConfigStack
from numba.core.types import Array
from numba.core.types.containers import BaseTuple
from numba.core.types.misc import unliteral
from numba.np.numpy_support import from_dtype

from dragoman.kernels.unboxing import SharedUnboxing

ENVIRONMENT = "_ZN08NumbaEnv"  # begins the names of variables that point to the constants of a function


class LoweredLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The LLVM code of one kernel, which knows the kernels it calls; it has no machine code."""

    def __init__(self, codegen: Any, kernel: tuple[str, str, Any]) -> None:
        super().__init__(codegen, kernel[1])
        self.kernel = kernel  # module, name and types of the arguments
        self.called: list[LoweredLibrary] = []  # kernels that it calls

    def finalize(self) -> None:
        """Link what is not a kernel, such as functions of NumPy; leave the rest to `MachineLibrary`."""
        for library in dict.fromkeys(self._linking_libraries):
            if isinstance(library, LoweredLibrary):
                self.called.append(library)
            else:
                self._reload_init.update(library._reload_init)
                self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True

    @property
    def module(self) -> Any:
        """The LLVM code of this kernel alone, to be linked."""
        self._ensure_finalized()
        for function in self._final_module.functions:  # as Numba does, but in place: nothing else needs this code
            if not function.is_declaration and function.linkage == llvm.Linkage.external:
                function.linkage = "linkonce_odr"
        return self._final_module

    def _get_module_for_linking(self) -> Any:
        """The code of this kernel and all that it calls, for functions that Numba compiles without us."""
        whole = self.module.clone()
        for each in self.with_called()[1:]:
            whole.link_in(each.module, preserve=True)
        return whole

    def with_called(self) -> list[LoweredLibrary]:
        """This one and all that it calls, directly or through others; each after one that calls it."""
        found = {self: None}
        waiting = [self]
        while waiting:
            new = [each for each in waiting.pop().called if each not in found]
            found |= dict.fromkeys(new)
            waiting += new
        return list(found)


class MachineLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Machine code for Python to call; other libraries cannot link it."""

    def _optimize_functions(self, module: Any) -> None:
        """Leave this to the optimisation of the whole; only what Python calls is added here: long, but plain."""
        module.data_layout = self._codegen._data_layout

    def get_pointer_to_function(self, name: str) -> int:
        """The address of a function of this library."""
        self._ensure_finalized()
        return int(self._codegen._engine.get_function_address(name))

    @property
    def machine_code(self) -> bytes:
        """The object file."""
        return bytes(self._get_compiled_object())

    @classmethod
    def from_machine_code(cls, codegen: Any, name: str, code: bytes) -> MachineLibrary:
        """The library of an object file."""
        library = cls(codegen, name)
        library.enable_object_caching()
        library._set_compiled_object(code)
        library._finalize_final_module()
        return library


class KernelDispatcher(CPUDispatcher):  # type: ignore[misc]
    """A function that is compiled when it is called, by Python or by another kernel, with new types."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function, targetoptions={"nopython": True, "boundscheck": None, **options})
        self.lowered: dict[tuple[Any, ...], Any] = {}  # types of the arguments -> what calling kernels need
        self.lowered_cache: Any = caching.NullCache()

    def compile(self, signature: Any) -> Any:
        """Make it callable from Python with these types."""
        types, _ = sigutils.normalize_signature(signature)
        with global_compiler_lock, self._compiling_counter, _not_collecting():
            if types not in self.overloads:
                result = self._cache.load_overload(types, self.targetctx)
                if result is None:
                    self._cache_misses[types] = 1
                    with event.trigger_event("numba:compile", data={"dispatcher": self}):
                        result = self._make_callable(self.lower(types))
                    self._cache.save_overload(types, result)
                else:
                    self._cache_hits[types] = 1
                self.add_overload(result)
            return self.overloads[types].entry_point

    def lower(self, types: tuple[Any, ...]) -> Any:
        """Make it callable from kernels with these types."""
        if types not in self.lowered:
            result = self.lowered_cache.load_overload(types, self.targetctx)
            if result is None:
                self._cache_misses[types] = 1
                kernel = (self.py_func.__module__, self.py_func.__qualname__, types)
                library = LoweredLibrary(self.targetctx.codegen(), kernel)
                contexts = (self.typingctx, self.targetctx)
                result = compiler.compile_extra(*contexts, self.py_func, types, None, self._flags(), {}, library)
                library._ensure_finalized()
                self.lowered_cache.save_overload(types, result)
            self.lowered[types] = result = result._replace(entry_point=object())
            self.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        return self.lowered[types]

    def _flags(self) -> Any:
        flags = compiler.Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        return flags

    def _make_callable(self, lowered: Any) -> Any:
        """Add what Python calls to the LLVM code of a kernel, and make machine code of it."""
        self.targetctx.refresh()  # what compiling needs is not loaded if the LLVM code came from the cache
        library = MachineLibrary(self.targetctx.codegen(), lowered.library.name)
        library.enable_object_caching()
        flags = self._flags()
        with ConfigStack().enter(flags):
            context = compiler._make_subtarget(self.targetctx, flags)
            context.get_python_api = functools.partial(SharedUnboxing, context)
            about = lowered.fndesc, lowered.environment, lowered.call_helper
            context.create_cpython_wrapper(library, *about, release_gil=flags.release_gil)
        for each in lowered.library.with_called():  # callers first: what nobody has called so far is not linked
            library._reload_init.update(each._reload_init)
            library._final_module.link_in(each.module, preserve=True)
        if flags.nrt:  # what Python calls counts references even where nothing that it calls does
            library._final_module.link_in(rtsys.library._get_module_for_linking(), preserve=True)
        function = self.targetctx.get_executable(library, lowered.fndesc, lowered.environment)
        result = lowered._replace(entry_point=function, library=library, referenced_envs=_environments(library))
        for each in result.referenced_envs:
            library.codegen.set_env(each.env_name, each)
        return result

    def typeof_pyval(self, val: Any) -> Any:
        """The Numba type of an argument."""
        found = _type_of(val)
        if found is None:
            return super().typeof_pyval(val)
        self._types_active_call.add(found)
        return found

    def _compilation_chain_init_hook(self) -> None:
        """Do not look for Numba's extensions before anything is compiled: that reads about every installed package."""

    # What Numba asks while it compiles a kernel that calls this one

    @property
    def nopython_signatures(self) -> list[Any]:
        """The signatures that kernels can call."""
        return [result.signature for result in self.lowered.values()]

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """How a call is typed, with the parameters and arguments."""
        parameters, folded = self._compiler.fold_argument_types(args, kws)
        types = tuple(map(unliteral, folded))  # LLVM knows constants anyway, and need not see a kernel for each of them
        with global_compiler_lock, self._compiling_counter:
            if types not in self.lowered:
                with event.trigger_event("numba:compile", data={"dispatcher": self}):
                    self.lower(types)
        name = self.py_func.__name__
        template = typing.make_concrete_template(f"CallTemplate({name})", name, self.nopython_signatures)
        return template, parameters, types, {}

    def get_overload(self, sig: Any) -> Any:
        """The key under which Numba finds the lowered code."""
        types, _ = sigutils.normalize_signature(sig)
        return self.lowered[types].entry_point


def _type_of(value: Any) -> Any:
    """The Numba type of a value, if it is of arrays; as Numba's own, but without loading `numpy.ma` to compare."""
    kind = type(value)
    if kind is np.ndarray or kind is np.memmap:
        layout = "C" if value.flags.c_contiguous else "F" if value.flags.f_contiguous else "A"
        return _array_type(value.dtype, value.ndim, layout, not value.flags.writeable)
    if isinstance(value, tuple):
        members = [_type_of(each) or typeof(each) for each in value]
        return None if None in members else BaseTuple.from_types(members, kind)
    return None


@functools.cache
def _array_type(dtype: Any, dimensions: int, layout: Any, read_only: bool) -> Any:
    return Array(from_dtype(dtype), dimensions, layout, readonly=read_only)


@contextlib.contextmanager
def _not_collecting() -> Iterator[None]:
    """Spare Python's garbage collector the many objects of the compiler: it takes a fifth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _environments(library: Any) -> list[Any]:
    """The environments of the functions in a library, of those that have constants."""
    names = (variable.name for variable in library._final_module.global_variables)
    found = (lookup_environment(name) for name in names if name.startswith(ENVIRONMENT))
    return [each for each in found if each is not None and each.consts]


def _keep(environments: list[Any]) -> list[tuple[Any, list[Any]]]:
    """Environments with their constants."""
    return [(each, list(each.consts)) for each in environments]


def _restore(kept: list[tuple[Any, list[Any]]]) -> list[Any]:
    """The environments of these names in this process, with at least these constants.

    If there is one already, Numba takes it as it is. But it may be that of a kernel that was only lowered here, and
    lack the constants of what Python calls, which come after those of the kernel.
    """
    for environment, constants in kept:
        here = environment.consts
        if here[: len(constants)] != constants[: len(here)]:
            raise ValueError("the constants of a kernel in the cache are not those of the same kernel here")
        here.extend(constants[len(here) :])
    return [environment for environment, _ in kept]


class MachineCodeCache(caching.CompileResultCacheImpl):  # type: ignore[misc]
    """What the cache keeps of a kernel that Python calls."""

    def reduce(self, result: Any) -> tuple[Any, ...]:
        """The parts of a result that can be pickled."""
        result.fndesc.typemap = result.fndesc.calltypes = None  # as Numba does: large, and not needed any more
        environments = _keep([result.environment, *result.referenced_envs])
        library = result.library
        return library.name, library.machine_code, result.fndesc, result.signature, environments

    def rebuild(self, context: Any, kept: tuple[Any, ...]) -> Any:
        """The result that these are the parts of."""
        name, code, description, signature, environments = kept
        environment, *referenced = _restore(environments)
        library = MachineLibrary.from_machine_code(context.codegen(), name, code)
        function = context.get_executable(library, description, environment)
        for each in referenced:
            library.codegen.set_env(each.env_name, each)
        return _result(context, library, description, signature, environment, referenced, function)


class LoweredCache(caching.CompileResultCacheImpl):  # type: ignore[misc]
    """What the cache keeps of a kernel that kernels call."""

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        """The name of the files."""
        return f"{super().get_filename_base(fullname, abiflags)}-lowered"

    def reduce(self, result: Any) -> tuple[Any, ...]:
        """The parts of a result that can be pickled; kernels that it calls are named, and have files of their own."""
        result.fndesc.typemap = result.fndesc.calltypes = None
        library = result.library
        code = (library.kernel, library._final_module.as_bitcode(), [each.kernel for each in library.called])
        return code, result.fndesc, result.signature, _keep([result.environment, *_environments(library)])

    def rebuild(self, context: Any, kept: tuple[Any, ...]) -> Any:
        """The result that these are the parts of."""
        (kernel, code, called), description, signature, environments = kept
        environment, *referenced = _restore(environments)
        library = LoweredLibrary(context.codegen(), kernel)
        library._final_module = llvm.parse_bitcode(code)
        for module, name, types in called:
            dispatcher = getattr(sys.modules[module], name)
            library.called.append(dispatcher.lower(types).library)
        library._finalized = True
        return _result(context, library, description, signature, environment, referenced, None)


def _result(
    context: Any, library: Any, description: Any, signature: Any, environment: Any, referenced: Any, function: Any
) -> Any:
    return compiler.compile_result(
        target_context=context,
        typing_context=context.typing_context,
        entry_point=function,
        library=library,
        fndesc=description,
        signature=signature,
        environment=environment,
        referenced_envs=referenced,
        objectmode=False,
        lifted=(),
    )
