/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of libsde that are used, and their constants, are those of sde_lib.h 1.0, which
 * PAPI has had since 7.0. */
#include "record/counting/papi/sde_counters.h"

#include "counters/catalogue.h"
#include "counters/counter_layout.h"
#include "record/capture/clock.h"
#include "record/counting/counter_descriptions.h"
#include "record/counting/counter_file.h"
#include "record/counting/counter_values.h"
#include "record/experiment/kept_variables.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Of sde_lib.h: modes and types. */
enum { SDE_OK = 0, SDE_READ_ONLY = 0, SDE_DELTA = 0, SDE_INSTANT = 0x10 };
enum { SDE_WHOLE = 0, SDE_DOUBLE = 2 };

static struct {
    void *(*init)(const char *name);
    int (*register_counter)(void *handle, const char *name, int mode, int type,
                            long long (*read)(void *), void *counter);
    int (*describe_counter)(void *handle, const char *name, const char *meaning);
} sde;

static const struct {
    const char *name;
    void *place;
} functions[] = {
    {"papi_sde_init", &sde.init},
    {"papi_sde_register_counter_cb", &sde.register_counter},
    {"papi_sde_describe_counter", &sde.describe_counter},
};

static struct {
    void *handle;
    bool has_failed;
    size_t seen; /* descriptions */
    struct offered {
        uint32_t kind, slot, bins;
        bool is_whole;
    } counters[FM_DESCRIPTIONS + FM_ADDED_MOST];
} offered;

static bool is_asked(void)
{
    const char *wish = fm_variable(FM_COUNTERS_SDE_VARIABLE);
    return wish != NULL && strcmp(wish, "1") == 0 && fm_counters_are_asked();
}

/* @return NULL; or why there is no libsde */
static const char *begin(void)
{
    void *library = dlopen(FM_SDE_LIBRARY, RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL) {
        return "there is no library of PAPI's software-defined events (" FM_SDE_LIBRARY
               ") on this machine";
    }
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *function = dlsym(library, functions[i].name);
        if (function == NULL) {
            return "the library of PAPI's software-defined events lacks a function";
        }
        memcpy(functions[i].place, &function, sizeof function);
    }
    offered.handle = sde.init("fermata");
    return offered.handle != NULL ? NULL
                                  : "the library of PAPI's software-defined events does not begin";
}

/* The value now; PAPI expects that of a double as its bits. */
static long long read_counter(void *place)
{
    const struct offered *counter = place;
    uint64_t whole = 0;
    for (uint32_t bin = 0; bin < counter->bins; bin++) {
        whole += fm_counter_total(counter->slot + bin, counter->kind);
    }
    if (!counter->is_whole) {
        double rate = counter->kind == FM_COUNTER_TIMER ? (double)fm_clock_resolution() : 1;
        double real = fm_counter_in_unit(whole, counter->kind, rate);
        memcpy(&whole, &real, sizeof whole);
    }
    return (long long)whole;
}

static void offer(const struct fm_counter_description *description, struct offered *counter)
{
    enum fm_counter_kind kind = (enum fm_counter_kind)description->kind;
    const struct fm_counter_entry *entry = fm_counter_named(description->name);
    const char *meaning =
        description->meaning[0] == '\0' && entry != NULL ? entry->meaning : description->meaning;
    *counter = (struct offered){.kind = kind,
                                .slot = description->slot,
                                .bins = description->bins,
                                .is_whole = !fm_counter_is_real(kind) && !fm_counter_is_time(kind)};
    int mode = SDE_READ_ONLY | (fm_counter_is_level(kind) ? SDE_INSTANT : SDE_DELTA);
    if (sde.register_counter(offered.handle, description->name, mode,
                             counter->is_whole ? SDE_WHOLE : SDE_DOUBLE, read_counter,
                             counter) == SDE_OK) {
        sde.describe_counter(offered.handle, description->name, meaning);
    }
}

const char *fm_sde_counters_offer(void)
{
    size_t count;
    const struct fm_counter_description *each = fm_counter_file_descriptions(&count);
    if (count == 0 || offered.has_failed || !is_asked()) {
        return NULL;
    }
    const char *problem = offered.handle == NULL ? begin() : NULL;
    offered.has_failed = problem != NULL;
    for (; problem == NULL && offered.seen < count; offered.seen++) {
        const struct fm_counter_description *description = &each[offered.seen];
        if (description->bins != 0 && description->is_selected &&
            strncmp(description->name, FM_COUNTER_MPIT, strlen(FM_COUNTER_MPIT)) != 0) {
            offer(description, &offered.counters[offered.seen]);
        }
    }
    return problem;
}
