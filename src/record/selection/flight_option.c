/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/selection/flight_option.h"

#include "base/quantity.h"

#include <stdio.h>
#include <string.h>

bool fm_flight_option_read(struct fm_flight_option *option, const char *text)
{
    struct fm_flight_option found = {0};
    const char *rest = fm_size_part(text, &found.bytes);
    found.always = rest != NULL && strcmp(rest, ",always") == 0;
    bool good = rest != NULL && found.bytes != 0 && (*rest == '\0' || found.always);
    *option = good ? found : (struct fm_flight_option){0};
    return good;
}

void fm_flight_option_describe(const struct fm_flight_option *option, char *text, size_t size)
{
    bool whole = option->bytes >= 1 << 20 && option->bytes % (1 << 20) == 0;
    snprintf(text, size, "the last %llu %s of each process",
             (unsigned long long)(whole ? option->bytes >> 20 : (option->bytes + 1023) >> 10),
             whole ? "MiB" : "KiB");
}
