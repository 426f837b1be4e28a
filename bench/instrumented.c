/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiled with instrumentation of functions. */
void instrumented(void);

void instrumented(void)
{
    __asm__ volatile("");
}
