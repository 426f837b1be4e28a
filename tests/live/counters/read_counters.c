/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints a counter of a process: read_counters FILE COUNTER */
#include <fermata/counters.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    char why[512];
    if (argc != 3) {
        fprintf(stderr, "usage: read_counters FILE COUNTER\n");
        return 2;
    }
    fermata_counters_t *counters = fermata_counters_open(argv[1], why, sizeof why);
    if (counters == NULL) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    int number = fermata_counters_find(counters, argv[2]);
    if (number < 0) {
        fprintf(stderr, "%s does not have %s\n", argv[1], argv[2]);
        return 1;
    }
    const fermata_counter_info_t *info = fermata_counters_info(counters, (size_t)number);
    if (info->kind == FERMATA_KIND_TIMER) {
        printf("%.9f s\n", fermata_counters_seconds(counters, (size_t)number));
    } else {
        printf("%lld %s\n", (long long)fermata_counters_value(counters, (size_t)number),
               info->unit);
    }
    fermata_counters_close(counters);
    return 0;
}
