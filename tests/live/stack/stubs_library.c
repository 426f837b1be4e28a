/* SPDX-License-Identifier: BSD-3-Clause */
/* A library without symbols except those that it exports (stubs.c). */
#include <math.h>

double exported_solve(double x);
double exported_tiny(double x);
double exported_chosen(double x);
double exported_jump(double x);
double (*exported_pointer(void))(double);

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

/* Chosen by the dynamic linker: without a name. */
static double chosen(double x)
{
    return nameless_inner(x) + 3;
}

static __attribute__((used)) double (*choose(void))(double) /* clang does not see it in ifunc */
{
    return chosen;
}
double exported_chosen(double x) __attribute__((ifunc("choose")));

static __attribute__((noinline)) double jumped_to(double x)
{
    return nameless_inner(x) + 4;
}

double exported_jump(double x)
{
    return jumped_to(x);
}

static double pointed_to(double x)
{
    return nameless_inner(x) + 5;
}

double (*exported_pointer(void))(double)
{
    return pointed_to;
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
