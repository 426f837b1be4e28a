/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of all shapes, compiled in several ways: the call stack in each must be what the
 * compiler's own unwinder finds. */
#include "stack_check.h"

#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define NOINLINE __attribute__((noinline))

/* ---- sizes and kinds of frames ---- */

static NOINLINE int leaf(int n)
{
    stack_probe(true);
    return n + 1;
}

static NOINLINE int leaf_with_room(int n)
{
    volatile char room[40];
    room[0] = (char)n;
    stack_probe(true);
    stack_probe(true); /* another call, same function */
    return room[0];
}

static NOINLINE int recursive(int depth)
{
    return depth == 0 ? leaf(depth) : recursive(depth - 1) + 1;
}

static NOINLINE int with_alloca(int n)
{
    char *room = alloca((size_t)n);
    memset(room, 0, (size_t)n);
    stack_probe(true);
    return room[n / 2] + leaf(n);
}

static NOINLINE int with_array(int n)
{
    char room[n];
    memset(room, 0, (size_t)n);
    int sum = with_alloca(n / 2 + 1);
    stack_probe(true);
    return room[n / 2] + sum;
}

static NOINLINE int aligned(int n)
{
    char room[64] __attribute__((aligned(64)));
    memset(room, n, sizeof room);
    int sum = with_array(n);
    stack_probe(true);
    return room[3] + sum;
}

static NOINLINE int many_arguments(int a, int b, int c, int d, int e, int f, int g, int h, int i)
{
    stack_probe(true);
    return leaf(a + b + c + d + e + f + g + h + i) + a;
}

/* Two chains of functions with frames of the same sizes, called from the same function. */
static NOINLINE int chain_a(int depth);
static NOINLINE int chain_b(int depth)
{
    return depth == 0 ? leaf(depth) : chain_a(depth - 1) + 2;
}

static NOINLINE int chain_a(int depth)
{
    return depth == 0 ? leaf(depth) : chain_b(depth - 1) + 1;
}

/* Ways to the same call that differ in nothing but the caller: more than are remembered. */
#define WAY(number)                                                                                \
    static NOINLINE int way##number(int n)                                                         \
    {                                                                                              \
        return leaf(n) + (number);                                                                 \
    }
WAY(1)
WAY(2)
WAY(3)
WAY(4)
WAY(5)
WAY(6)

/* @return whether stacks are remembered */
static bool ways(void)
{
    int (*const all[])(int) = {way1, way2, way3, way4, way5, way6};
    bool remembered = true;
    for (int count = 1; count <= 6; count++) {
        for (int turn = 0; turn < 50; turn++) {
            all[turn % count](turn);
            const struct fm_stack *stack = stack_check_stack();
            remembered = remembered && (count > 4 || turn < 20 || stack->shown != stack->sites);
            if (turn % 7 == 0) {
                stack_check_forget();
            }
        }
    }
    return remembered;
}

static int through_pointer(int (*function)(int), int n)
{
    return function(n) + 1;
}

static int compare_numbers(const void *a, const void *b)
{
    stack_probe(true); /* called by the C library, whose functions are not shown */
    return *(const int *)a - *(const int *)b;
}

static int shapes(void)
{
    int sum = 0, numbers[20];
    for (int round = 0; round < 3; round++) {
        sum += leaf(1) + leaf_with_room(1);
        for (int depth = 0; depth < 30; depth++) {
            sum += recursive(depth) + chain_a(depth) + chain_b(depth);
        }
        for (int n = 1; n < 300; n += 17) {
            sum += with_alloca(n) + with_array(n) + aligned(n);
            sum += many_arguments(n, 2, 3, 4, 5, 6, 7, 8, 9);
        }
        sum += through_pointer(leaf, 1) + through_pointer(leaf_with_room, 1);
        for (int i = 0; i < 20; i++) {
            numbers[i] = i * 7 % 20;
        }
        qsort(numbers, 20, sizeof *numbers, compare_numbers);
    }
    return sum;
}

/* ---- leaving functions without returning ---- */

static jmp_buf place;

static NOINLINE void jump(int depth)
{
    if (depth == 0) {
        stack_probe(true);
        longjmp(place, 1);
    }
    jump(depth - 1);
    stack_probe(true); /* never reached */
}

static NOINLINE void jumps(void)
{
    for (volatile int depth = 0; depth < 20; depth++) {
        if (setjmp(place) == 0) {
            jump(depth);
        }
        stack_probe(true);
    }
}

/* ---- threads, other stacks ---- */

static void *in_thread(void *nothing)
{
    stack_check_begin(1000);
    shapes();
    return nothing;
}

static void threads(void)
{
    pthread_t ids[4];
    for (int i = 0; i < 4; i++) {
        pthread_create(&ids[i], NULL, in_thread, NULL);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(ids[i], NULL);
    }
}

static ucontext_t main_context, coroutine_context;

static void coroutine(void)
{
    for (int i = 0; i < 3; i++) {
        recursive(i);
        aligned(20);
        swapcontext(&coroutine_context, &main_context);
    }
}

/* The stack of a coroutine vanishes between its calls and the next one's. */
static void coroutines(void)
{
    enum { BYTES = 256 * 1024 };
    for (int round = 0; round < 3; round++) {
        void *memory =
            mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        getcontext(&coroutine_context);
        coroutine_context.uc_stack.ss_sp = memory;
        coroutine_context.uc_stack.ss_size = BYTES;
        coroutine_context.uc_link = &main_context;
        makecontext(&coroutine_context, coroutine, 0);
        for (int i = 0; i < 4; i++) {
            swapcontext(&main_context, &coroutine_context);
            recursive(3);
        }
        munmap(memory, BYTES);
        recursive(4);
    }
}

/* On an alternate stack the functions outside the signal may not be found; emulators of other
 * processors have no unwind information for what they add to the stack. */
static void handler(int number)
{
#if defined(__x86_64__)
    stack_probe(number == SIGUSR1);
    if (number == SIGUSR1) {
        leaf_with_room(3);
    }
#else
    (void)number;
    stack_probe(false);
#endif
}

static NOINLINE void signals(void)
{
    static char memory[64 * 1024];
    stack_t other = {.ss_sp = memory, .ss_size = sizeof memory};
    struct sigaction action = {.sa_handler = handler}, before;
    sigaction(SIGUSR1, &action, &before);
    raise(SIGUSR1);
    sigaltstack(&other, NULL);
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR2, &action, NULL);
    raise(SIGUSR2);
    leaf(1);
    sigaction(SIGUSR1, &before, NULL);
}

/* ---- limits ---- */

static NOINLINE int deep(int depth)
{
    volatile int n = depth;
    if (depth % 500 == 0) {
        stack_probe(false);
    }
    return depth == 0 ? n : deep(depth - 1) + n;
}

static bool depth_is_limited(void)
{
    deep(5000);
    leaf(0);
    deep(5000);
    const struct fm_stack *stack = stack_check_stack();
    bool good = stack->count <= FM_STACK_DEEPEST;
    stack_check_begin(3);
    recursive(20);
    stack = stack_check_stack();
    good = good && stack->shown_count <= 3;
    stack_check_begin(1000);
    return good;
}

int main(void)
{
    stack_check_begin(1000);
    shapes();
    jumps();
    signals();
    threads();
    coroutines();
    shapes();
    bool limited = depth_is_limited();
    bool remembered = ways();
    shapes();
    printf("%u compared, %u failed\n", stack_compared, stack_failed);
    return stack_failed == 0 && stack_compared > 5000 && limited && remembered ? 0 : 1;
}
