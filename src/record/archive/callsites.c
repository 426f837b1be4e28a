/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/archive/callsites.h"

#include "base/library_function.h"
#include "record/stack/support_function.h"

#include <stdlib.h>
#include <string.h>

static bool put(struct fm_definitions *all, enum fm_define_kind kind, uint32_t *words, size_t count,
                struct fm_define_map *map)
{
    uint32_t number = fm_define(all, kind, words, count);
    map->numbers[kind][map->counts[kind]++] = number;
    return number != FM_DEFINE_NONE;
}

/* Copies a region of one set to another. @return its number there */
static uint32_t copy_region(struct fm_definitions *to, const struct fm_definitions *from,
                            uint32_t number)
{
    const uint32_t *words = fm_defined(from, FM_DEFINE_REGION, number, NULL);
    const char *file = words[4] != FM_DEFINE_NONE ? fm_defined_string(from, words[4]) : NULL;
    return fm_define_region(to, fm_defined_string(from, words[0]), words[1], words[2], words[3],
                            file, words[5]);
}

bool fm_callsites_merge(struct fm_definitions *all, const struct fm_definitions *own,
                        struct fm_define_map *map)
{
    static const enum fm_define_kind kinds[] = {FM_DEFINE_STRING, FM_DEFINE_REGION,
                                                FM_DEFINE_BINARY, FM_DEFINE_SITE};
    bool good = true;
    memset(map, 0, sizeof *map);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        enum fm_define_kind kind = kinds[k];
        map->numbers[kind] = malloc((own->tables[kind].count + 1) * sizeof *map->numbers[kind]);
        good = good && map->numbers[kind] != NULL;
        for (uint32_t i = 0; good && i < own->tables[kind].count; i++) {
            size_t count;
            const uint32_t *words = fm_defined(own, kind, i, &count);
            if (kind == FM_DEFINE_STRING) {
                uint32_t number = fm_define(all, kind, words, count);
                map->numbers[kind][map->counts[kind]++] = number;
                good = number != FM_DEFINE_NONE;
            } else if (kind == FM_DEFINE_REGION) {
                uint32_t number = copy_region(all, own, i);
                map->numbers[kind][map->counts[kind]++] = number;
                good = number != FM_DEFINE_NONE;
            } else if (kind == FM_DEFINE_BINARY) {
                const uint32_t *strings = map->numbers[FM_DEFINE_STRING];
                uint32_t binary[FM_BINARY_WORDS];
                memcpy(binary, words, sizeof binary);
                binary[FM_BINARY_PATH] = strings[words[FM_BINARY_PATH]];
                binary[FM_BINARY_ID] = strings[words[FM_BINARY_ID]];
                binary[FM_BINARY_SERIAL] = 0;
                good = put(all, kind, binary, FM_BINARY_WORDS, map);
            } else {
                const uint32_t *binaries = map->numbers[FM_DEFINE_BINARY];
                uint32_t site[FM_SITE_FRAMES];
                memcpy(site, words, sizeof site);
                if (words[FM_SITE_BINARY] != FM_DEFINE_NONE) {
                    site[FM_SITE_BINARY] = binaries[words[FM_SITE_BINARY]];
                } else {
                    site[FM_SITE_FUNCTION] =
                        map->numbers[FM_DEFINE_REGION][words[FM_SITE_FUNCTION]];
                }
                if (words[FM_SITE_TARGET_BINARY] != FM_DEFINE_NONE) {
                    site[FM_SITE_TARGET_BINARY] = binaries[words[FM_SITE_TARGET_BINARY]];
                }
                site[FM_SITE_SERIAL] = 0;
                good = put(all, kind, site, FM_SITE_FRAMES, map);
            }
        }
    }
    return good;
}

static uint32_t copy_line(struct fm_definitions *to, const struct fm_definitions *from,
                          uint32_t number)
{
    if (number == FM_DEFINE_NONE) {
        return FM_DEFINE_NONE;
    }
    const uint32_t *words = fm_defined(from, FM_DEFINE_LINE, number, NULL);
    return fm_define_line(to, fm_defined_string(from, words[0]), words[1]);
}

uint32_t fm_callsite_function(const struct fm_callsites *sites, uint32_t site)
{
    uint32_t count, tail = fm_callsite_called(sites, site);
    const struct fm_callsite_frame *frames = fm_callsite_frames(sites, site, &count);
    if (tail != FM_DEFINE_NONE) {
        return tail;
    }
    while (count > 1 && frames[count - 1].supports) {
        count--;
    }
    return site == 0 || count == 0 || frames[count - 1].region == FM_CALLSITE_UNKNOWN
               ? FM_DEFINE_NONE
               : frames[count - 1].region;
}

bool fm_callsite_is_outlined(const char *function)
{
    /* GCC: f._omp_fn.0; clang: .omp_outlined., f.omp_outlined, .omp_task_entry. and the like */
    return strstr(function, "._omp_fn.") != NULL || strstr(function, "._omp_cpyfn.") != NULL ||
           strstr(function, ".omp_outlined") != NULL || strncmp(function, ".omp_task", 9) == 0;
}

static bool is_outlined(const struct fm_definitions *definitions, uint32_t region)
{
    if (region == FM_CALLSITE_UNKNOWN) {
        return false;
    }
    const uint32_t *words = fm_defined(definitions, FM_DEFINE_REGION, region, NULL);
    return fm_callsite_is_outlined(fm_defined_string(definitions, words[0]));
}

/* Whether the first function at a call site of `sites` is outlined. */
static bool begins_outlined(const struct fm_definitions *definitions,
                            const struct fm_callsites *sites, uint32_t site)
{
    uint32_t levels;
    const struct fm_callsite_frame *frames = fm_callsite_frames(sites, site, &levels);
    return levels != 0 && is_outlined(definitions, frames[0].region);
}

/* Whether a function in a binary is a support function. */
static bool supports(const struct fm_definitions *resolved, uint32_t number, uint32_t region)
{
    const uint32_t *words = fm_defined(resolved, FM_DEFINE_REGION, region, NULL);
    if (number == FM_DEFINE_NONE) {
        return false; /* a function in Python */
    }
    const uint32_t *binary = fm_defined(resolved, FM_DEFINE_BINARY, number, NULL);
    return fm_is_support_function(
        fm_defined_string(resolved, words[0]), fm_defined_string(resolved, binary[FM_BINARY_PATH]),
        words[4] != FM_DEFINE_NONE ? fm_defined_string(resolved, words[4]) : NULL);
}

/* The last part of the path of a binary. */
static const char *binary_name(const struct fm_definitions *resolved, uint32_t number)
{
    const uint32_t *words = fm_defined(resolved, FM_DEFINE_BINARY, number, NULL);
    const char *path = fm_defined_string(resolved, words[FM_BINARY_PATH]);
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* Whether a function in a binary has no name (resolve.c). */
static bool is_nameless(const struct fm_definitions *resolved, uint32_t number, uint32_t region)
{
    if (number == FM_DEFINE_NONE) {
        return false; /* a function in Python */
    }
    const uint32_t *words = fm_defined(resolved, FM_DEFINE_REGION, region, NULL);
    return fm_is_unnamed(fm_defined_string(resolved, words[0]), binary_name(resolved, number));
}

static bool is_library(const struct fm_definitions *resolved, uint32_t number)
{
    return number != FM_DEFINE_NONE && strstr(binary_name(resolved, number), ".so") != NULL;
}

static struct fm_callsite_function function_at(const struct fm_definitions *resolved,
                                               uint32_t binary, const uint32_t *address)
{
    const uint64_t begin = address[0] | (uint64_t)address[1] << 32;
    return binary == FM_DEFINE_NONE || begin == 0
               ? (struct fm_callsite_function){0}
               : (struct fm_callsite_function){
                     binary + 1, is_library(resolved, binary) ? binary + 1 : 0, begin};
}

bool fm_callsites_make(struct fm_definitions *definitions, const struct fm_definitions *resolved,
                       const uint32_t *numbers, uint32_t count, struct fm_callsites *sites)
{
    size_t frames = 1, words; /* call site 0 is unknown code */
    *sites =
        (struct fm_callsites){.count = count + 1, .deepest = sites->deepest, .whole = sites->whole};
    for (uint32_t i = 0; i < count; i++) {
        fm_defined(resolved, FM_DEFINE_SITE, numbers[i], &words);
        frames += (words - FM_SITE_FRAMES) / 2;
    }
    sites->first = calloc((size_t)count + 2, sizeof *sites->first);
    sites->called = malloc(((size_t)count + 1) * sizeof *sites->called);
    sites->frames = calloc(frames, sizeof *sites->frames);
    sites->addresses = calloc((size_t)count + 1, sizeof *sites->addresses);
    sites->outlined = calloc((size_t)count + 1, sizeof *sites->outlined);
    sites->calls_support = calloc((size_t)count + 1, sizeof *sites->calls_support);
    sites->inside = calloc((size_t)count + 1, sizeof *sites->inside);
    sites->targets = calloc((size_t)count + 1, sizeof *sites->targets);
    if (sites->first == NULL || sites->called == NULL || sites->frames == NULL ||
        sites->addresses == NULL || sites->outlined == NULL || sites->calls_support == NULL ||
        sites->inside == NULL || sites->targets == NULL) {
        fm_callsites_free(sites);
        return false;
    }
    uint32_t next = 0;
    sites->called[0] = FM_DEFINE_NONE;
    sites->frames[next++] =
        (struct fm_callsite_frame){.region = FM_CALLSITE_UNKNOWN, .line = FM_DEFINE_NONE};
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *site = fm_defined(resolved, FM_DEFINE_SITE, numbers[i], &words);
        sites->first[i + 1] = next;
        sites->addresses[i + 1] = site[FM_SITE_ADDRESS] | (uint64_t)site[FM_SITE_ADDRESS + 1] << 32;
        sites->inside[i + 1] = function_at(resolved, site[FM_SITE_BINARY], site + FM_SITE_FUNCTION);
        sites->targets[i + 1] =
            function_at(resolved, site[FM_SITE_TARGET_BINARY], site + FM_SITE_TARGET);
        for (size_t k = FM_SITE_FRAMES; k + 1 < words; k += 2) {
            struct fm_callsite_frame *frame = &sites->frames[next++];
            frame->region = copy_region(definitions, resolved, site[k]);
            frame->line = copy_line(definitions, resolved, site[k + 1]);
            frame->supports = supports(resolved, site[FM_SITE_BINARY], site[k]);
            frame->nameless = is_nameless(resolved, site[FM_SITE_BINARY], site[k]);
            frame->library =
                is_library(resolved, site[FM_SITE_BINARY]) ? site[FM_SITE_BINARY] + 1 : 0;
            if (frame->region == FM_DEFINE_NONE) {
                fm_callsites_free(sites);
                return false;
            }
            if (k != FM_SITE_FRAMES && is_outlined(definitions, frame->region)) {
                frame[-1].line = frame->line; /* inlined, by clang: not a function of the program */
                next--;
            }
        }
        bool is_known =
            (words - FM_SITE_FRAMES) % 2 == 1 &&
            !(site[FM_SITE_TARGET_BINARY] == site[FM_SITE_BINARY] &&
              is_library(resolved, site[FM_SITE_BINARY]) &&
              is_nameless(resolved, site[FM_SITE_TARGET_BINARY], site[words - 1]) && !sites->whole);
        sites->called[i + 1] =
            is_known ? copy_region(definitions, resolved, site[words - 1]) : FM_DEFINE_NONE;
        sites->calls_support[i + 1] =
            is_known && supports(resolved, site[FM_SITE_TARGET_BINARY], site[words - 1]);
    }
    sites->first[count + 1] = next;
    for (uint32_t site = 1; site <= count; site++) {
        sites->outlined[site] = begins_outlined(definitions, sites, site);
    }
    return true;
}

void fm_callsites_free(struct fm_callsites *sites)
{
    free(sites->first);
    free(sites->called);
    free(sites->addresses);
    free(sites->outlined);
    free(sites->calls_support);
    free(sites->inside);
    free(sites->targets);
    free(sites->frames);
    memset(sites, 0, sizeof *sites);
}
