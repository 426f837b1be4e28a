#include "counters/size_bins.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* @return what follows the size; NULL: there is none */
static const char *read_size(const char *text, uint64_t *size)
{
    static const char units[] = "KMG";
    char *end;
    if (text[0] < '0' || text[0] > '9') {
        return NULL;
    }
    errno = 0;
    *size = strtoull(text, &end, 10);
    const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
    unsigned shift = unit != NULL ? 10 * (unsigned)(unit - units + 1) : 0;
    if (errno != 0 || *size > (uint64_t)INT64_MAX >> shift) {
        return NULL;
    }
    *size <<= shift;
    return end + (unit != NULL);
}

bool fm_size_bins_read(const char *text, struct fm_size_bins *bins)
{
    uint64_t size;
    bins->rules = 0;
    while (bins->rules < FM_SIZE_RULES_MOST && (text = read_size(text, &size)) != NULL) {
        if (bins->rules > 0 && size <= bins->largest[bins->rules - 1]) {
            return false;
        }
        bins->largest[bins->rules++] = size;
        if (*text == '\0') {
            return true;
        }
        if (*text++ != ',') {
            return false;
        }
    }
    return false;
}
