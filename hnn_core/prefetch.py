"""Ask memory for what a compiled loop will read a little later, so that it need not wait for it then.

A product with a sparse matrix reads rows of a dense one in no order: a processor cannot foresee the next, but the
matrix's own indices tell. Where no cache holds the rows this is worth a third of the time.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils as untyped
from numba.extending import intrinsic

cgutils: Any = untyped
_READ, _KEEP, _DATA = 0, 3, 1


def _prefetch(typing_context: Any, array: Any, place: Any) -> Any:
    signature = types.void(array, place)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind, declared = signature.args
        view = context.make_array(kind)(context, builder, arguments[0])
        several = isinstance(declared, types.BaseTuple)
        numbers = cgutils.unpack_tuple(builder, arguments[1]) if several else [arguments[1]]
        kinds = list(declared) if several else [declared]
        index = [context.cast(builder, one, its, types.intp) for one, its in zip(numbers, kinds, strict=True)]
        pointer = cgutils.get_item_pointer(context, builder, kind, view, index, wraparound=False)
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(ir.VoidType(), [byte, number, number, number]), "llvm.prefetch.p0i8"
        )
        hints = [ir.Constant(number, hint) for hint in (_READ, _KEEP, _DATA)]
        builder.call(function, [builder.bitcast(pointer, byte), *hints])
        return context.get_dummy_value()

    return signature, generate


#: ``prefetch(array, place)`` begins to load the cache line of ``array[place]``; no bounds need hold.
prefetch: Any = intrinsic(_prefetch)
