/* SPDX-License-Identifier: BSD-3-Clause */
#include "steps.h"

#include <math.h>
#include <stddef.h>

double steps_inner(double x)
{
    return exp(-x) + sin(x);
}

double steps_outer(double x)
{
    volatile double room[20];
    room[3] = x;
    return steps_inner(room[3]) + steps_inner(x + 1);
}

double steps_tail(double x)
{
    return steps_inner(x + 2);
}

double steps_aligned(int n)
{
    volatile char room[64] __attribute__((aligned(64)));
    volatile char *more = __builtin_alloca((size_t)n);
    room[n % 64] = 1;
    more[n / 2] = room[3];
    return steps_inner(more[n / 2]);
}

/* No directive describes these functions to unwinders. */
__asm__(".text\n"
        ".globl steps_bare\n"
        ".type steps_bare, @function\n"
        "steps_bare:\n"
        "  addsd %xmm0, %xmm0\n"
        "  movsd %xmm0, -8(%rsp)\n"
        "  addsd -8(%rsp), %xmm0\n"
        "  ret\n"
        ".size steps_bare, . - steps_bare\n"
        ".globl steps_bare_frame\n"
        ".type steps_bare_frame, @function\n"
        "steps_bare_frame:\n"
        "  push %rbp\n"
        "  mov %rsp, %rbp\n"
        "  sub $64, %rsp\n"
        "  movsd %xmm0, -64(%rbp)\n"
        "  addsd -64(%rbp), %xmm0\n"
        "  leave\n"
        "  ret\n"
        ".size steps_bare_frame, . - steps_bare_frame\n");
