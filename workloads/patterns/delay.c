/* SPDX-License-Identifier: BSD-3-Clause */
#include "pattern.h"

#include <errno.h>
#include <math.h>
#include <time.h>

void delay(const context *c)
{
    const double whole = floor(c->delay);
    struct timespec left = {.tv_sec = (time_t)whole, .tv_nsec = (long)((c->delay - whole) * 1e9)};
    MPI_Pcontrol(c->number);
    while (nanosleep(&left, &left) == -1 && errno == EINTR)
        ;
    MPI_Pcontrol(c->number);
}
