/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/process/interrupt.h"

#include <signal.h>

static volatile sig_atomic_t noted;

static void note(int number)
{
    noted = number;
}

void fm_interrupt_catch(void)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool fm_interrupt_is_noted(void)
{
    return noted != 0;
}

void fm_interrupt_follow(void)
{
    if (noted != 0) {
        signal(noted, SIG_DFL);
        raise(noted);
    }
}
