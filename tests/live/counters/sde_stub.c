/* SPDX-License-Identifier: BSD-3-Clause */
/* PAPI's library of software-defined events, as far as fermata uses it, and as PAPI reads it: rank
 * 0 of a program that ends prints "event NAME MODE TYPE VALUE MEANING" for each event. The library
 * is there when the program begins, or it aborts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1024, DOUBLE = 2 };

static struct {
    char name[128], meaning[256];
    int mode, type;
    long long (*read)(void *);
    void *counter;
} events[MOST];

static int count;

static void demand(int condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "sde_stub: %s\n", what);
        abort();
    }
}

void *papi_sde_init(const char *library)
{
    demand(strcmp(library, "fermata") == 0, "the name of the library");
    return events;
}

int papi_sde_register_counter_cb(void *handle, const char *name, int mode, int type,
                                 long long (*read)(void *), void *counter)
{
    demand(handle == events && count < MOST, "the handle");
    for (int i = 0; i < count; i++) {
        demand(strcmp(events[i].name, name) != 0, "an event is registered twice");
    }
    snprintf(events[count].name, sizeof events[count].name, "%s", name);
    events[count].mode = mode;
    events[count].type = type;
    events[count].read = read;
    events[count++].counter = counter;
    return 0;
}

int papi_sde_describe_counter(void *handle, const char *name, const char *meaning)
{
    demand(handle == events && strcmp(events[count - 1].name, name) == 0, "an event's meaning");
    snprintf(events[count - 1].meaning, sizeof events[count - 1].meaning, "%s", meaning);
    return 0;
}

/* Called by the program, as a tool would by way of PAPI. */
void sde_print(void);

void sde_print(void)
{
    for (int i = 0; i < count; i++) {
        long long whole = events[i].read(events[i].counter);
        double value = (double)whole;
        if (events[i].type == DOUBLE) {
            memcpy(&value, &whole, sizeof value);
        }
        printf("event %s %d %d %.9g %s\n", events[i].name, events[i].mode, events[i].type, value,
               events[i].meaning);
    }
}
