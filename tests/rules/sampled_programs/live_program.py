# SPDX-License-Identifier: BSD-3-Clause
"""A planted program (planted_program.py) as an MPI program in C.

Work is a loop of arithmetic, or of sin() of the C library for the parts in functions of libraries. The number of
turns in a microsecond is measured at the begin of the run, in CPU time. Each function of the program is a function
without inlining that is called from one place; its last action is no call, so that no call is a tail call.
"""

PROLOGUE = """\
/* SPDX-License-Identifier: BSD-3-Clause */
/* %(title)s.
 * With the argument `0` the planted extra is left out. */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define APART __attribute__((noinline, noclone)) static
#define INSIDE __attribute__((always_inline)) static inline

static int rank, iteration, has_extra = 1;
static double turns, library_turns; /* in a microsecond */
static volatile double angle = 0.7;
static double sum;
static uint64_t noise_state, more_state;
static double factor = 1; /* of the random extra in this iteration */

INSIDE double uniform(uint64_t *state) /* xorshift64* [Vigna 2016] */
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return ((double)((*state * 2685821657736338717ULL) >> 11) + 0.5) / 9007199254740992.;
}

/* @return about 1, with a standard deviation of 0.05 */
INSIDE double noise(void)
{
    double total = -6;
    for (int i = 0; i < 12; i++) {
        total += uniform(&noise_state);
    }
    return 1 + %(noise)g * total;
}

INSIDE void turn(double count)
{
    double x = 1;
    for (long i = (long)count; i > 0; i--) {
        x = x * 0.999999 + 1e-6;
        __asm__ volatile("" : "+x"(x));
    }
    sum += x;
}

INSIDE void turn_in_library(double count)
{
    double x = 0;
    for (long i = (long)count; i > 0; i--) {
        x += sin(angle);
    }
    sum += x;
}

INSIDE void work(double microseconds)
{
    turn(microseconds * turns * noise());
}

INSIDE void library(double microseconds)
{
    turn_in_library(microseconds * library_turns * noise());
}

static double processor_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* Takes the fastest of ten measurements. */
APART void calibrate(void)
{
    for (int i = 0; i < 10; i++) {
        double begin = processor_time();
        turn(2e6);
        double middle = processor_time();
        turn_in_library(2e5);
        double end = processor_time();
        turns = fmax(turns, 2e6 / (middle - begin));
        library_turns = fmax(library_turns, 2e5 / (end - middle));
    }
}

/* @return additional microseconds of a visit of the planted function */
INSIDE double extra(void)
{
    if (!has_extra || rank != %(rank)d) {
        return 0;
    }
%(extra)s}
"""

EPILOGUE = """
int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != %(ranks)d) {
        fprintf(stderr, "the program needs %(ranks)d ranks\\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    has_extra = argc < 2 || atoi(argv[1]) != 0;
    noise_state = 88172645463325252ULL + 7919 * (uint64_t)rank;
    more_state = 1181783497276652981ULL;
    calibrate();
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
%(loop)s
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%%.4f s\\n", MPI_Wtime() - begin);
    }
    MPI_Finalize();
    return sum == 0.5;
}
"""

LOOP = """\
    for (iteration = 0; iteration < %(iterations)d; iteration++) {
        factor = -log(uniform(&more_state));
%(calls)s        exchange();
    }"""

MEETING = {
    "barrier": "    MPI_Barrier(MPI_COMM_WORLD);\n",
    "allreduce": "    double one = 1, all;\n"
                 "    MPI_Allreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);\n",
    "ring": "    static char sent[1024], received[1024];\n"
            "    MPI_Sendrecv(sent, 1024, MPI_CHAR, (rank + 1) % {0}, 0, received, 1024, MPI_CHAR,\n"
            "                 (rank + {0} - 1) % {0}, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n",
}
LAST = '    __asm__ volatile("" ::: "memory");\n'


def _microseconds(nanoseconds):
    return "%.3f" % (nanoseconds / 1000)


def _extra(program):
    """The last statements of extra()."""
    text = _microseconds(program.extra)
    if program.kind == "often":
        return "    return 0;\n"
    if program.kind == "random":
        return "    return %s * factor;\n" % text
    if program.kind == "sometimes":
        slow = "".join("1" if number in program.slow else "0" for number in range(program.iterations))
        lines = "\n".join('        "%s"' % slow[at:at + 80] for at in range(0, len(slow), 80))
        return ("    static const char slow[] =\n%s;\n    return slow[iteration] == '1' ? %s : 0;\n"
                % (lines, _microseconds(program.extra * program.iterations / len(program.slow))))
    return "    return %s;\n" % text


def _call(program, function, indent):
    calls = str(function.calls)
    if function is program.planted and program.kind == "often":
        calls += " + (has_extra && rank == %d ? %d : 0)" % (program.rank, program.more_calls)
    elif function.calls == 1:
        return "%s%s();\n" % (indent, function.name)
    return "%sfor (int i = 0; i < %s; i++) {\n%s    %s();\n%s}\n" % (indent, calls, indent, function.name, indent)


def _define(program, function):
    library = round(function.own * function.library[1]) if function.library else 0
    more = " + extra()" if function is program.planted and program.kind != "often" else ""
    text = "".join(_define(program, callee) for callee in function.callees)
    text += "\nAPART void %s(void)\n{\n    work(%s%s);\n" % (
        function.name, _microseconds(function.own - library), more)
    if library:
        text += "    library(%s);\n" % _microseconds(library)
    text += "".join(_call(program, callee, "    ") for callee in function.callees)
    return text + LAST + "}\n"


def source(program):
    names = {"title": program.describe(), "noise": 0.05, "rank": program.rank, "ranks": program.ranks,
             "extra": _extra(program), "iterations": program.iterations,
             "calls": "".join(_call(program, function, "        ") for function in program.outer)}
    text = PROLOGUE % names
    text += "".join(_define(program, function) for function in program.outer)
    text += "\nAPART void exchange(void)\n{\n" + MEETING[program.meeting].format(program.ranks) + LAST + "}\n"
    loop = LOOP % names
    if len(program.root) > 1:
        text += "\nAPART void solve(void)\n{\n" + loop + "\n" + LAST + "}\n"
        loop = "    solve();"
    return text + EPILOGUE % dict(names, loop=loop)
