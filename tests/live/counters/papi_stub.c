/* SPDX-License-Identifier: BSD-3-Clause */
/* A library of PAPI 7.0 with five events: of the processor (component 0), whose values rise by 1000
 * with each reading; of a network (component 1), which does not inherit; one that conflicts with
 * others; one whose component does not start; and a software-defined one (component 3) that no
 * library has registered. It aborts where PAPI is used wrongly. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 0, EINVAL = -1, ECNFLCT = -8, ENOEVNT = -7, ESYS = -3, INHERIT = 28 };

static struct {
    int is_open, component, is_started, count, codes[8];
} sets[4];

static int set_count, readings, has_begun;

static void demand(int condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "papi_stub: %s\n", what);
        abort();
    }
}

int PAPI_library_init(int version)
{
    has_begun = version == 7 << 24;
    return has_begun ? version : EINVAL;
}

int PAPI_thread_init(unsigned long (*identity)(void))
{
    demand(has_begun && identity() != 0, "threads before the library");
    return OK;
}

int PAPI_event_name_to_code(const char *name, int *code)
{
    static const char *const names[] = {"STUB_CYCLES", "net:::lo:bytes", "STUB_CONFLICT",
                                        "STUB_DEAD", "sde:::library::event"};
    for (int i = 0; i < 5; i++) {
        if (strcmp(names[i], name) == 0) {
            *code = i;
            return OK;
        }
    }
    return ENOEVNT;
}

int PAPI_get_event_component(int code)
{
    return code == 1 ? 1 : code == 3 ? 2 : code == 4 ? 3 : 0;
}

int PAPI_create_eventset(int *set)
{
    demand(*set == -1, "a set is created twice");
    *set = set_count;
    sets[set_count].component = -1;
    sets[set_count++].is_open = 1;
    return OK;
}

int PAPI_assign_eventset_component(int set, int component)
{
    for (int i = 0; i < set_count; i++) {
        demand(sets[i].component != component, "two sets of a component");
    }
    sets[set].component = component;
    return OK;
}

int PAPI_set_opt(int option, const int *value)
{
    demand(option == INHERIT && sets[value[0]].component >= 0 && value[1] == 1, "a wrong option");
    return sets[value[0]].component == 0 ? OK : EINVAL;
}

int PAPI_add_event(int set, int code)
{
    demand(!sets[set].is_started && sets[set].component == PAPI_get_event_component(code),
           "an event of another component");
    if (code == 2) {
        return ECNFLCT;
    }
    sets[set].codes[sets[set].count++] = code;
    return OK;
}

int PAPI_start(int set)
{
    demand(!sets[set].is_started && sets[set].count > 0, "an empty set is started");
    sets[set].is_started = sets[set].component != 2;
    return sets[set].is_started ? OK : ESYS;
}

int PAPI_read(int set, long long *values)
{
    demand(sets[set].is_started, "a set is read that is not started");
    readings += sets[set].component == 0;
    for (int i = 0; i < sets[set].count; i++) {
        int code = sets[set].codes[i];
        values[i] = code == 0 ? 1000ll * readings : code == 4 ? -1 : 77;
    }
    return OK;
}

const char *PAPI_strerror(int code)
{
    return code == ECNFLCT ? "conflict" : code == ENOEVNT ? "no such event" : "system error";
}
