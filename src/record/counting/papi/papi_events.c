/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of PAPI's interface that are used, and their constants, are those of papi.h 5.7 to
 * 7.2. */
#include "record/counting/papi/papi_events.h"

#include "counters/catalogue.h"
#include "counters/counter_layout.h"
#include "record/counting/counter_file.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { COMPONENTS_MOST = 64, EVENTS_MOST = 64, EVENTS_IN_SET = 32 };

/* Of papi.h. */
enum { PAPI_OK = 0, PAPI_NULL = -1, PAPI_INHERIT = 28, PAPI_INHERIT_ALL = 1 };

/* Begin of the names of software-defined events. */
#define SOFTWARE_DEFINED "sde:::"

struct inherit_option {
    int eventset, inherit;
    char rest[1024]; /* of the union of all options */
};

static struct {
    int (*library_init)(int version);
    int (*thread_init)(unsigned long (*identity)(void));
    int (*event_name_to_code)(const char *name, int *code);
    int (*get_event_component)(int code);
    int (*create_eventset)(int *set);
    int (*assign_eventset_component)(int set, int component);
    int (*set_opt)(int option, void *value);
    int (*add_event)(int set, int code);
    int (*start)(int set);
    int (*read)(int set, long long *values);
    const char *(*strerror)(int code);
} papi;

static const struct {
    const char *name;
    void *place;
} functions[] = {
    {"PAPI_library_init", &papi.library_init},
    {"PAPI_thread_init", &papi.thread_init},
    {"PAPI_event_name_to_code", &papi.event_name_to_code},
    {"PAPI_get_event_component", &papi.get_event_component},
    {"PAPI_create_eventset", &papi.create_eventset},
    {"PAPI_assign_eventset_component", &papi.assign_eventset_component},
    {"PAPI_set_opt", &papi.set_opt},
    {"PAPI_add_event", &papi.add_event},
    {"PAPI_start", &papi.start},
    {"PAPI_read", &papi.read},
    {"PAPI_strerror", &papi.strerror},
};

/* The events of a component: PAPI counts one set of each at a time. */
static struct set {
    int number; /* PAPI_NULL: none */
    bool inherits;
    size_t count;
    uint32_t slots[EVENTS_IN_SET];
    char names[EVENTS_IN_SET][FM_COUNTER_NAME];
} sets[COMPONENTS_MOST];

static void add_counter(const char *name, uint32_t tier, const char *meaning, uint32_t *slot)
{
    uint32_t made = fm_counter_file_add(&(struct fm_added_counter){.name = name,
                                                                   .unit = "",
                                                                   .kind = FM_COUNTER_COUNT,
                                                                   .tier = tier,
                                                                   .bins = 1,
                                                                   .meaning = meaning});
    if (slot != NULL) {
        *slot = made;
    }
}

static void add_lack(const char *name, const char *what, int code)
{
    char reason[FM_COUNTER_MEANING];
    const char *text = code != PAPI_OK ? papi.strerror(code) : NULL;
    snprintf(reason, sizeof reason, "%s%s%s", what, text != NULL ? ": " : "",
             text != NULL ? text : "");
    add_counter(name, FM_TIER_UNAVAILABLE, reason, NULL);
}

/* ---- the library ---- */

/* @return NULL; or why there is no PAPI */
static const char *load(void)
{
    static const char *const names[] = {"libpapi.so.7.2", "libpapi.so.7.1", "libpapi.so.7.0",
                                        "libpapi.so.7",   "libpapi.so.6.0", "libpapi.so.6",
                                        "libpapi.so.5.7", "libpapi.so.5",   "libpapi.so"};
    static const int versions[] = {7 << 24 | 2 << 16, 7 << 24 | 1 << 16, 7 << 24, 6 << 24,
                                   5 << 24 | 7 << 16};
    void *library = NULL;
    for (size_t i = 0; library == NULL && i < sizeof names / sizeof names[0]; i++) {
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    if (library == NULL) {
        return "there is no library of PAPI (libpapi.so) on this machine";
    }
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *function = dlsym(library, functions[i].name);
        if (function == NULL) {
            return "the library of PAPI lacks a function";
        }
        memcpy(functions[i].place, &function, sizeof function);
    }
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        if (papi.library_init(versions[i]) == versions[i]) {
            return papi.thread_init(pthread_self) == PAPI_OK ? NULL
                                                             : "PAPI refuses programs with threads";
        }
    }
    return "the library of PAPI is of a version that fermata does not know, or does not begin";
}

/* ---- events ---- */

static int open_set(struct set *set, int component)
{
    struct inherit_option inherit = {.inherit = PAPI_INHERIT_ALL};
    set->number = PAPI_NULL;
    int code = papi.create_eventset(&set->number);
    if (code == PAPI_OK) {
        code = papi.assign_eventset_component(set->number, component);
    }
    inherit.eventset = set->number;
    set->inherits = code == PAPI_OK && papi.set_opt(PAPI_INHERIT, &inherit) == PAPI_OK;
    return code;
}

static void add_event(const char *name)
{
    int event, component = -1;
    int code = papi.event_name_to_code(name + strlen(FM_COUNTER_PAPI), &event);
    if (code == PAPI_OK) {
        component = papi.get_event_component(event);
    }
    if (code != PAPI_OK || component < 0 || component >= COMPONENTS_MOST) {
        add_lack(name, "PAPI does not know it here", code);
        return;
    }
    struct set *set = &sets[component];
    code = set->count == 0 ? open_set(set, component) : PAPI_OK;
    if (code == PAPI_OK && set->count < EVENTS_IN_SET) {
        code = papi.add_event(set->number, event);
    }
    if (code != PAPI_OK || set->count == EVENTS_IN_SET) {
        add_lack(name, "PAPI cannot count it beside the others", code);
        return;
    }
    snprintf(set->names[set->count++], FM_COUNTER_NAME, "%.63s", name);
}

/* Whether PAPI has no value of an event: of a software-defined one it knows any name, as that of an
 * event that may be registered some day. */
static bool is_missing(const char *name, long long value)
{
    const char *component = name + strlen(FM_COUNTER_PAPI);
    return strncmp(component, SOFTWARE_DEFINED, strlen(SOFTWARE_DEFINED)) == 0 && value < 0;
}

static void start(struct set *set, int component)
{
    long long first[EVENTS_IN_SET] = {0};
    int code = papi.start(set->number);
    if (code == PAPI_OK) {
        code = papi.read(set->number, first);
    }
    for (size_t i = 0; i < set->count; i++) {
        if (code != PAPI_OK) {
            add_lack(set->names[i], "PAPI cannot start it", code);
        } else if (is_missing(set->names[i], first[i])) {
            add_lack(set->names[i], "no library has registered it when the run begins", PAPI_OK);
        } else {
            add_counter(set->names[i], FM_TIER_PERMITTED,
                        component != 0  ? "event of PAPI, as its component counts it"
                        : set->inherits ? "event of PAPI, in the first thread and those it creates"
                                        : "event of PAPI, in the first thread",
                        &set->slots[i]);
        }
    }
    set->count = code == PAPI_OK ? set->count : 0;
}

static void read_sets(uint64_t *values)
{
    for (int component = 0; component < COMPONENTS_MOST; component++) {
        struct set *set = &sets[component];
        long long now[EVENTS_IN_SET];
        if (set->count == 0 || papi.read(set->number, now) != PAPI_OK) {
            continue;
        }
        for (size_t i = 0; i < set->count; i++) {
            if (set->slots[i] != 0) {
                values[set->slots[i]] = (uint64_t)now[i];
            }
        }
    }
}

void fm_papi_events_begin(const char *list)
{
    char word[FM_COUNTER_WORD], names[EVENTS_MOST][FM_COUNTER_NAME];
    size_t count = 0;
    while ((list = fm_counter_list_next(list, word)) != NULL) {
        if (strncmp(word, FM_COUNTER_PAPI, strlen(FM_COUNTER_PAPI)) == 0 && count < EVENTS_MOST) {
            snprintf(names[count++], FM_COUNTER_NAME, "%.63s", word);
        }
    }
    const char *problem = count != 0 ? load() : NULL;
    for (size_t i = 0; i < count; i++) {
        if (problem != NULL) {
            add_lack(names[i], problem, PAPI_OK);
        } else {
            add_event(names[i]);
        }
    }
    bool any = false;
    for (int component = 0; problem == NULL && component < COMPONENTS_MOST; component++) {
        if (sets[component].count != 0) {
            start(&sets[component], component);
            any = any || sets[component].count != 0;
        }
    }
    if (any) {
        fm_counter_file_read_by(read_sets);
    }
}
