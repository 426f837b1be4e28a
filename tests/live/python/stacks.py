# SPDX-License-Identifier: BSD-3-Clause
"""Calls MPI from Python functions of all shapes, and writes the stack of each call as the interpreter
itself reports it.

usage: stacks.py FOLDER mpi4py|ctypes

The file FOLDER/THREAD has a line for each call: the functions, outermost first, as a list of [name,
file, first line], in JSON. With ctypes MPI is initialized here, by the function that the
preloaded recorder defines.
"""
import asyncio
import ctypes
import functools
import json
import pathlib
import sys
import threading

folder = pathlib.Path(sys.argv[1])
log = threading.local()

if sys.argv[2] == "mpi4py":
    from mpi4py import MPI
    initialized, finish = MPI.Is_initialized, MPI.Finalize
else:
    ctypes.CDLL("libmpi.so.40", mode=ctypes.RTLD_GLOBAL)
    program = ctypes.CDLL(None)
    program.MPI_Init_thread(None, None, 3, ctypes.byref(ctypes.c_int()))
    initialized = functools.partial(program.MPI_Initialized, ctypes.byref(ctypes.c_int()))
    finish = program.MPI_Finalize


def call():
    stack, frame = [], sys._getframe()
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith("<frozen importlib._bootstrap"):
            stack.insert(0, [getattr(code, "co_qualname", code.co_name), code.co_filename, code.co_firstlineno])
        frame = frame.f_back
    if not hasattr(log, "file"):
        log.file = open(folder / threading.current_thread().name, "w", encoding="utf-8")
    print(json.dumps(stack), file=log.file, flush=True)
    initialized()


class Grid:
    def method(self):
        call()

    @classmethod
    def of_class(cls):
        call()

    @staticmethod
    def static():
        call()

    @property
    def attribute(self):
        call()
        return 1

    def __add__(self, other):
        call()
        return self

    def __iter__(self):
        call()
        return iter(())

    def __del__(self):
        call()


def recursive(depth):
    return call() if depth == 0 else recursive(depth - 1)


def generator():
    for i in range(2):
        call()
        yield i
    yield from inner_generator()


def inner_generator():
    call()
    yield 3
    call()


async def coroutine(depth):
    call()
    await asyncio.sleep(0)
    if depth > 0:
        await coroutine(depth - 1)
    call()


def decorated(function):
    @functools.wraps(function)
    def wrapper(*arguments, **keywords):
        return function(*arguments, **keywords)
    return wrapper


@decorated
def with_keywords(*, first=1, **others):
    call()


def key(x):
    call()
    return -x


def raises():
    raise ValueError


def catches():
    try:
        raises()
    except ValueError:
        call()
    finally:
        call()


class Context:
    def __enter__(self):
        call()

    def __exit__(self, *reason):
        call()
        return True


def in_two_lines():
    call()
    call(); call()
    for _ in range(3):
        call()


def größe_名前_𝔾():
    call()


def names_in_turn():
    """Each function is freed before the next is made, often at the same address."""
    for i in range(20):
        exec(compile(f"def made_{i:02}():\n    call()\nmade_{i:02}()", f"made {i:02}", "exec"),
             {"call": call})


def c_recursion(depth):
    """Activations of the evaluation loop inside of each other, with several functions in each."""
    if depth == 0:
        call()
    else:
        list(map(c_recursion, [depth - 1]))


def everything():
    grid = Grid()
    grid.method()
    Grid.of_class()
    grid.static()
    grid + grid
    grid.attribute
    list(grid)
    recursive(5)
    recursive(200)
    list(generator())
    asyncio.run(coroutine(2))
    with_keywords(first=2, second=3)
    sorted([3, 1, 2], key=key)
    functools.partial(key, 1)()
    functools.reduce(lambda x, y: call(), [1, 2, 3])
    [call() for _ in range(2)]
    list(call() for _ in range(2))
    catches()
    with Context():
        raise KeyError
    in_two_lines()
    größe_名前_𝔾()
    names_in_turn()
    c_recursion(4)
    (lambda: (lambda: call())())()
    eval("call()", {"call": call})
    ctypes.CFUNCTYPE(None)(call)()


def deep():
    sys.setrecursionlimit(3000)
    recursive(1500)


def in_thread(barrier):
    everything()
    barrier.wait()  # a later thread would be recorded as the same location


def main():
    everything()
    barrier = threading.Barrier(2)
    threads = [threading.Thread(target=in_thread, name=f"thread {i}", args=[barrier])
               for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    everything()
    deep()


main()
finish()
