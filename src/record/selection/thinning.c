/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/selection/thinning.h"

#include "base/quantity.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fm_thinning_begin(struct fm_thinning *table)
{
    memset(table, 0xff, sizeof *table);
}

bool fm_thinning_has_ended(const struct fm_thinning *table)
{
    for (uint32_t b = 0; b < FM_THINNING_BUCKETS; b++) {
        if (table->first[b][FM_THINNING_END] != UINT64_MAX) {
            return true;
        }
    }
    return false;
}

void fm_thinning_combine(struct fm_thinning *table, const struct fm_thinning *other)
{
    for (uint32_t b = 0; b < FM_THINNING_BUCKETS; b++) {
        for (int stage = 0; stage <= FM_THINNING_END; stage++) {
            uint64_t first = other->first[b][stage];
            table->first[b][stage] =
                first < table->first[b][stage] ? first : table->first[b][stage];
        }
    }
}

/* FNV-1a. */
uint32_t fm_thinning_bucket(const char *name, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    }
    return (hash ^ hash >> 16) % FM_THINNING_BUCKETS;
}

/* Number of the stage of a visit. */
static unsigned stage_of(const uint64_t *first, uint64_t number)
{
    unsigned stage = 0;
    while (stage < FM_THINNING_STAGES && number >= first[stage]) {
        stage++;
    }
    return stage;
}

bool fm_thinning_keeps(const struct fm_thinning *table, uint32_t bucket, uint64_t number)
{
    const uint64_t *first = table->first[bucket];
    uint64_t divisor = (uint64_t)1 << 2 * stage_of(first, number);
    return number < first[FM_THINNING_END] && number % divisor == 0;
}

bool fm_thinning_describe(const struct fm_thinning *table, const char *phase, uint64_t visits,
                          char *text, size_t size)
{
    const uint64_t *first = table->first[fm_thinning_bucket(phase, strlen(phase))];
    uint64_t end = first[FM_THINNING_END];
    size_t length = strlen(text);
    char part[1024];
    int used = snprintf(part, sizeof part, "%sof the phase %.200s, visits", length != 0 ? ", " : "",
                        phase);
    bool any = false;
    for (unsigned stage = 0; stage < FM_THINNING_STAGES && first[stage] < visits; stage++) {
        bool is_last = stage + 1 == FM_THINNING_STAGES;
        if (first[stage] >= end || (!is_last && first[stage + 1] <= first[stage])) {
            continue; /* the stage has no visits */
        }
        used += snprintf(part + used, sizeof part - (size_t)used,
                         any ? ", from %" PRIu64 " on by %" PRIu64
                             : " from number %" PRIu64 " on only if divisible by %" PRIu64,
                         first[stage], (uint64_t)1 << 2 * (stage + 1));
        any = true;
    }
    if (end < visits) {
        snprintf(part + used, sizeof part - (size_t)used,
                 any ? ", none from %" PRIu64 " on" : " up to number %" PRIu64 " only",
                 any || end == 0 ? end : end - 1);
        any = true;
    }
    if (any) {
        snprintf(text + length, size - length, "%s", part);
    }
    return any;
}

bool fm_max_size_read(const char *text, uint64_t *bytes)
{
    *bytes = FM_MAX_SIZE_DEFAULT;
    if (text == NULL || text[0] == '\0') {
        return true;
    }
    if (strcmp(text, "none") == 0 || strcmp(text, "0") == 0) {
        *bytes = UINT64_MAX;
        return true;
    }
    uint64_t size;
    if (!fm_size_read(text, &size) || size < FM_MAX_SIZE_LEAST) {
        return false;
    }
    *bytes = size;
    return true;
}

uint64_t fm_max_size_share(uint64_t limit, uint32_t processes)
{
    return limit == UINT64_MAX ? UINT64_MAX : limit / (processes != 0 ? processes : 1) / 8 * 7;
}

const char *fm_max_size_text(uint64_t limit, char *text, size_t size)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    while (unit < 4 && limit % 1024 == 0) {
        limit /= 1024;
        unit++;
    }
    snprintf(text, size, "%" PRIu64 " %s", limit, units[unit]);
    return text;
}
