/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops of one operation each, less the same loop without it. An operation reads from and writes to
 * memory, as in a library that counts: the compiler must not keep anything in registers across
 * iterations, nor leave anything out (the asm statements). Nor must the processor execute an
 * operation while others are in flight (ALONE): in a library no second update is next to the first
 * one, and costs add up only where nothing overlaps. */
#include "counters/costs/counter_costs.h"

#include "counters/costs/library_updates.h"

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#define ALONE __asm__ volatile("lfence" ::: "memory")
#elif defined(__aarch64__)
#define ALONE __asm__ volatile("isb" ::: "memory")
#else
#define ALONE FM_KEEP_MEMORY
#endif

/* Operations in an iteration of a loop: its own cost becomes small. */
enum { UNROLLED = 8, BINS = 4 };

#define EIGHT(operation)                                                                           \
    operation ALONE;                                                                               \
    operation ALONE;                                                                               \
    operation ALONE;                                                                               \
    operation ALONE;                                                                               \
    operation ALONE;                                                                               \
    operation ALONE;                                                                               \
    operation ALONE;                                                                               \
    operation ALONE;

/* The memory of counters, and operands of elementary operations. */
static struct fm_library_counters counters;
static struct {
    _Alignas(64) uint64_t begin;
    uint64_t end;
    uint32_t number, sentinel, other;
    int64_t left, right;
} memory;

/* ---- elementary operations ---- */

static __attribute__((noinline)) void function(uint32_t number, int64_t value)
{
    __asm__ volatile("" ::"r"(number), "r"(value) : "memory");
}

static void loop_nothing(size_t turns)
{
    for (size_t i = 0; i < turns; i++) {
        EIGHT(;)
    }
}

/* A comparison and its branch: the branch takes what is longer than the comparison, which each
 * formula counts apart. */
static void loop_if(size_t turns)
{
    for (size_t i = 0; i < turns; i++) {
        EIGHT(if (memory.left < memory.right) { function(0, 0); })
    }
}

static void loop_func(size_t turns)
{
    for (size_t i = 0; i < turns; i++) {
        EIGHT(function(memory.number, 1);)
    }
}

static void loop_bitmap(size_t turns)
{
    for (size_t i = 0; i < turns; i++) {
        EIGHT({
            bool on = fm_library_is_on(&counters, memory.number);
            __asm__ volatile("" ::"r"(on));
        })
    }
}

static void loop_comp(size_t turns)
{
    for (size_t i = 0; i < turns; i++) {
        EIGHT({
            bool is_less = memory.left < memory.right;
            __asm__ volatile("" ::"r"(is_less));
        })
    }
}

static void loop_assign(size_t turns)
{
    for (size_t i = 0; i < turns; i++) {
        EIGHT(counters.values[1] = (int64_t)i;)
    }
}

static void loop_atomic(size_t turns)
{
    for (size_t i = 0; i < turns; i++) {
        EIGHT(__atomic_fetch_add(&counters.values[2], 1, __ATOMIC_RELAXED);)
    }
}

static void loop_sub(size_t turns)
{
    for (size_t i = 0; i < turns; i++) {
        EIGHT({
            uint64_t difference = memory.end - memory.begin;
            __asm__ volatile("" ::"r"(difference));
        })
    }
}

static void loop_cyc(size_t turns)
{
    for (size_t i = 0; i < turns; i++) {
        EIGHT({
            uint64_t now = fm_library_ticks();
            __asm__ volatile("" ::"r"(now));
        })
    }
}

/* ---- updates ---- */

static void loop_off(size_t turns)
{
    for (size_t i = 0; i < turns; i++) {
        EIGHT(fm_library_pass(&counters, memory.other);)
    }
}

static void loop_on(size_t turns)
{
    for (size_t i = 0; i < turns; i++) {
        EIGHT(fm_library_update(&counters, memory.number, 1);)
    }
}

static void loop_watermark(size_t turns)
{
    for (size_t i = 0; i < turns; i++) {
        EIGHT({
            fm_library_update(&counters, memory.number, 1);
            fm_library_watermark(&counters, memory.sentinel, memory.other);
        })
    }
}

static void loop_timer(size_t turns)
{
    for (size_t i = 0; i < turns; i++) {
        EIGHT({
            uint64_t begin = fm_library_timer_start(&counters, memory.number);
            FM_KEEP_MEMORY;
            fm_library_timer_stop(&counters, memory.number, begin);
        })
    }
}

static void loop_bin(size_t turns)
{
    for (size_t i = 0; i < turns; i++) {
        EIGHT({
            fm_library_update(&counters, memory.number, 1);
            fm_library_bin(&counters, BINS, memory.left);
        })
    }
}

/* ---- measurement ---- */

/* Numbers of counters: the one that is updated, its sentinel, and another one. */
enum { NUMBER = 40, SENTINEL = 41, OTHER = 80 };

static void set_up(enum fm_update update)
{
    memory.number = NUMBER;
    memory.sentinel = SENTINEL;
    memory.other = OTHER;
    counters.bits[NUMBER / 32] = UINT32_MAX;
    counters.bits[OTHER / 32] = update == FM_UPDATE_OFF ? 0 : UINT32_MAX;
    counters.values[SENTINEL] = 0;
    counters.values[OTHER] = update == FM_UPDATE_WATERMARK_MISS ? INT64_MAX : -1;
    memory.left = 1000;
    memory.right = 10;
    for (int i = 0; i < BINS; i++) {
        counters.rules[i] = i;
    }
}

/* The loops that are measured: elementary costs, updates, and one with nothing. */
enum { NOTHING = FM_COSTS + FM_UPDATES, LOOPS };

static void (*const loops[LOOPS])(size_t) = {
    [FM_COST_IF] = loop_if,
    [FM_COST_FUNC] = loop_func,
    [FM_COST_BITMAP] = loop_bitmap,
    [FM_COST_COMP] = loop_comp,
    [FM_COST_ASSIGN] = loop_assign,
    [FM_COST_ATOMIC] = loop_atomic,
    [FM_COST_SUB] = loop_sub,
    [FM_COST_CYC] = loop_cyc,
    [FM_COSTS + FM_UPDATE_OFF] = loop_off,
    [FM_COSTS + FM_UPDATE_ON] = loop_on,
    [FM_COSTS + FM_UPDATE_WATERMARK_MISS] = loop_watermark,
    [FM_COSTS + FM_UPDATE_WATERMARK_HIT] = loop_watermark,
    [FM_COSTS + FM_UPDATE_TIMER] = loop_timer,
    [FM_COSTS + FM_UPDATE_BIN] = loop_bin,
    [NOTHING] = loop_nothing,
};

/* Nanoseconds of one of the operations of a loop. */
static double time_of(int loop, size_t operations)
{
    size_t turns = operations / UNROLLED + 1;
    set_up(loop < FM_COSTS || loop == NOTHING ? FM_UPDATE_ON : (enum fm_update)(loop - FM_COSTS));
    loops[loop](1 + turns / 100);
    uint64_t begin = fm_library_nanoseconds();
    loops[loop](turns);
    return (double)(fm_library_nanoseconds() - begin) / (double)(turns * UNROLLED);
}

struct fm_counter_costs fm_counter_costs_measure(size_t repeats, size_t updates)
{
    double least[LOOPS];
    struct fm_counter_costs result;
    /* In turn: what disturbs the machine for a while disturbs all of them. */
    for (size_t i = 0; i < repeats; i++) {
        for (int loop = 0; loop < LOOPS; loop++) {
            double time = time_of(loop, updates);
            least[loop] = i == 0 || time < least[loop] ? time : least[loop];
        }
    }
    for (int loop = 0; loop < NOTHING; loop++) {
        double without = least[loop == FM_COST_IF ? FM_COST_COMP : NOTHING];
        double time = least[loop] > without ? least[loop] - without : 0;
        *(loop < FM_COSTS ? &result.costs[loop] : &result.measured[loop - FM_COSTS]) = time;
    }
    return result;
}

/* ---- the model ---- */

double fm_update_predicted(const struct fm_counter_costs *costs, enum fm_update update)
{
    const double *c = costs->costs;
    double off = c[FM_COST_IF] + c[FM_COST_BITMAP];
    double on = off + c[FM_COST_FUNC] + c[FM_COST_ATOMIC];
    double miss = c[FM_COST_ATOMIC] + off + c[FM_COST_IF] + c[FM_COST_COMP];
    switch (update) {
    case FM_UPDATE_OFF:
        return off;
    case FM_UPDATE_WATERMARK_MISS:
        return on + miss;
    case FM_UPDATE_WATERMARK_HIT:
        return on + miss + c[FM_COST_ASSIGN];
    case FM_UPDATE_TIMER:
        return on + off + 2 * c[FM_COST_CYC] + c[FM_COST_SUB];
    case FM_UPDATE_BIN:
        return on + (BINS - 1) * (c[FM_COST_IF] + c[FM_COST_COMP]);
    default:
        return on;
    }
}

const char *fm_cost_name(enum fm_cost cost)
{
    static const char *const names[FM_COSTS] = {
        [FM_COST_IF] = "T_if",     [FM_COST_FUNC] = "T_func",     [FM_COST_BITMAP] = "T_bitmap",
        [FM_COST_COMP] = "T_comp", [FM_COST_ASSIGN] = "T_assign", [FM_COST_ATOMIC] = "T_atomic",
        [FM_COST_SUB] = "T_sub",   [FM_COST_CYC] = "T_cyc"};
    return names[cost];
}

const char *fm_cost_meaning(enum fm_cost cost)
{
    static const char *const meanings[FM_COSTS] = {
        [FM_COST_IF] = "a branch that is predicted, behind its test",
        [FM_COST_FUNC] = "a call of a function",
        [FM_COST_BITMAP] = "a test of a bit by its number",
        [FM_COST_COMP] = "a comparison of two numbers",
        [FM_COST_ASSIGN] = "a store",
        [FM_COST_ATOMIC] = "an atomic addition",
        [FM_COST_SUB] = "a subtraction of two numbers",
        [FM_COST_CYC] = "a reading of the clock"};
    return meanings[cost];
}

const char *fm_update_name(enum fm_update update)
{
    static const char *const names[FM_UPDATES] = {
        [FM_UPDATE_OFF] = "switched off",
        [FM_UPDATE_ON] = "switched on",
        [FM_UPDATE_WATERMARK_MISS] = "with a watermark that stays",
        [FM_UPDATE_WATERMARK_HIT] = "with a watermark that rises",
        [FM_UPDATE_TIMER] = "timer, begin and end",
        [FM_UPDATE_BIN] = "with four bins, the last one"};
    return names[update];
}

const char *fm_update_formula(enum fm_update update)
{
    static const char *const formulas[FM_UPDATES] = {
        [FM_UPDATE_OFF] = "O_Off = T_if + T_bitmap",
        [FM_UPDATE_ON] = "O_On = O_Off + T_func + T_atomic",
        [FM_UPDATE_WATERMARK_MISS] = "O_On + T_atomic + O_Off + T_if + T_comp",
        [FM_UPDATE_WATERMARK_HIT] = "O_On + T_atomic + O_Off + T_if + T_comp + T_assign",
        [FM_UPDATE_TIMER] = "O_On + O_Off + 2 T_cyc + T_sub",
        [FM_UPDATE_BIN] = "O_On + 3 (T_if + T_comp)"};
    return formulas[update];
}
