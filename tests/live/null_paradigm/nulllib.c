/* SPDX-License-Identifier: BSD-3-Clause */
#include "nulllib.h"

#include <time.h>

void null_init(void)
{
}

int null_work(int microseconds)
{
    const struct timespec time = {.tv_nsec = 1000L * microseconds};
    nanosleep(&time, NULL);
    return microseconds;
}

void null_finalize(void)
{
}
