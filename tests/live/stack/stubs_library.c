/* SPDX-License-Identifier: BSD-3-Clause */
/* A library without symbols except those that it exports (stubs.c). */
#include <math.h>

double exported_solve(double x);
double exported_tiny(double x);

static __attribute__((noinline)) double nameless_inner(double x)
{
    double sum = 0;
    for (int i = 0; i < 20; i++) {
        sum += x * i;
    }
    return sum + cos(sum);
}

static __attribute__((noinline)) double nameless_middle(double x)
{
    return nameless_inner(x) + nameless_inner(x + 1);
}

double exported_solve(double x)
{
    return nameless_middle(x) + 1;
}

double exported_tiny(double x)
{
    return x + 1;
}

#if defined(__x86_64__)
/* Without unwind information and size. */
__asm__(".text\n"
        ".globl in_assembly\n"
        ".type in_assembly, @function\n"
        "in_assembly:\n"
        "  addsd %xmm0, %xmm0\n"
        "  mulsd %xmm0, %xmm0\n"
        "  ret\n");
#else
double in_assembly(double x)
{
    return 4 * x * x;
}
#endif
