#include "record/selection/flight_option.h"

#include <stdio.h>
#include <string.h>

/* Reads a size; K, M, G are powers of 1024 as in all options. @return the text behind the size;
 * NULL: there is none */
static const char *read_size(const char *text, uint64_t *size)
{
    static const char units[] = "KMG";
    uint64_t value = 0;
    const char *c = text;
    for (; *c >= '0' && *c <= '9'; c++) {
        if (value >> 32 != 0) {
            return NULL;
        }
        value = 10 * value + (uint64_t)(*c - '0');
    }
    const char *unit = *c != '\0' ? strchr(units, *c >= 'a' ? *c - 'a' + 'A' : *c) : NULL;
    if (unit != NULL) {
        value <<= 10 * (unit - units + 1);
        c++;
    }
    *size = value;
    return value != 0 ? c : NULL;
}

bool fm_flight_option_read(struct fm_flight_option *option, const char *text)
{
    struct fm_flight_option found = {0};
    const char *rest = read_size(text, &found.bytes);
    found.always = rest != NULL && strcmp(rest, ",always") == 0;
    bool good = rest != NULL && (*rest == '\0' || found.always);
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
