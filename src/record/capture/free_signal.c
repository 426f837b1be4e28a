/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/capture/free_signal.h"

#include <signal.h>
#include <stddef.h>

int fm_free_signal(void)
{
    for (int number = SIGRTMAX; number >= SIGRTMIN; number--) {
        struct sigaction before;
        if (sigaction(number, NULL, &before) == 0 && (before.sa_flags & SA_SIGINFO) == 0 &&
            before.sa_handler == SIG_DFL) {
            return number;
        }
    }
    return 0;
}
