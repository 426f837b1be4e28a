#include "duration.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

void sleep_for(double seconds)
{
    const double whole = floor(seconds);
    struct timespec left = {.tv_sec = (time_t)whole, .tv_nsec = (long)((seconds - whole) * 1e9)};
    while (nanosleep(&left, &left) == -1 && errno == EINTR)
        ;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void work_for(double seconds)
{
    static volatile double result; /* so that the computation is not left out */
    const double end = now() + seconds;
    while (now() < end)
        for (int i = 0; i < 1000; i++)
            result = sqrt(result + i);
}

bool read_seconds(const char *text, double *seconds)
{
    char *end;
    *seconds = strtod(text, &end);
    return end != text && *end == '\0' && *seconds >= 0.0 && *seconds <= 3600.0;
}

bool read_count(const char *text, int least, int most, int *count)
{
    char *end;
    errno = 0;
    const long number = strtol(text, &end, 10);
    *count = (int)number;
    return end != text && *end == '\0' && errno == 0 && number >= least && number <= most;
}
