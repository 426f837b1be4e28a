/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/counting/offered_counters.h"

#include "counters/catalogue.h"
#include "counters/counter_layout.h"
#include "record/capture/clock.h"
#include "record/counting/counter_descriptions.h"
#include "record/counting/counter_file.h"
#include "record/counting/counter_values.h"
#include "record/experiment/kept_variables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "fermata_"

static struct {
    size_t count;
    struct fm_offered_counter counters[FM_DESCRIPTIONS + FM_ADDED_MOST];
} offered;

bool fm_counters_are_offered(void)
{
    const char *wish = fm_variable(FM_COUNTERS_MPIT_VARIABLE);
    return wish != NULL && strcmp(wish, "1") == 0 && fm_counters_are_asked();
}

static bool is_taken(const char *name)
{
    bool found = false;
    for (size_t i = 0; !found && i < offered.count; i++) {
        found = strcmp(offered.counters[i].name, name) == 0;
    }
    return found;
}

static bool is_of_a_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Names that differ in other characters only get further underscores. */
static void set_name(char name[FM_OFFERED_NAME], const char *own)
{
    snprintf(name, FM_OFFERED_NAME, PREFIX "%s", own);
    for (char *c = name; *c != '\0'; c++) {
        *c = is_of_a_name(*c) ? *c : '_';
    }
    for (size_t length = strlen(name); is_taken(name) && length + 1 < FM_OFFERED_NAME;) {
        name[length++] = '_';
        name[length] = '\0';
    }
}

static void set_meaning(struct fm_offered_counter *counter,
                        const struct fm_counter_description *description)
{
    const struct fm_counter_entry *entry = fm_counter_named(description->name);
    const char *meaning =
        description->meaning[0] == '\0' && entry != NULL ? entry->meaning : description->meaning;
    snprintf(counter->meaning, sizeof counter->meaning, "%s%s%s%s%s%s", description->name,
             description->unit[0] != '\0' ? " (" : "", description->unit,
             description->unit[0] != '\0' ? ")" : "", meaning[0] != '\0' ? ": " : "", meaning);
}

static bool is_to_be_offered(const struct fm_counter_description *description)
{
    return description->bins != 0 && description->is_selected &&
           strncmp(description->name, FM_COUNTER_MPIT, strlen(FM_COUNTER_MPIT)) != 0;
}

size_t fm_offered_counters_take(void)
{
    size_t count;
    const struct fm_counter_description *each = fm_counter_file_descriptions(&count);
    for (size_t i = 0; i < count; i++) {
        if (!is_to_be_offered(&each[i])) {
            continue;
        }
        struct fm_offered_counter *counter = &offered.counters[offered.count];
        enum fm_counter_kind kind = (enum fm_counter_kind)each[i].kind;
        set_name(counter->name, each[i].name);
        set_meaning(counter, &each[i]);
        counter->kind = kind;
        counter->slot = each[i].slot;
        counter->bins = each[i].bins;
        counter->is_whole =
            !fm_counter_is_real(kind) && !fm_counter_is_level(kind) && !fm_counter_is_time(kind);
        offered.count++;
    }
    return offered.count;
}

const struct fm_offered_counter *fm_offered_counter_at(size_t number)
{
    return &offered.counters[number];
}

void fm_offered_counter_read(const struct fm_offered_counter *counter, void *values)
{
    double rate = counter->kind == FM_COUNTER_TIMER ? (double)fm_clock_resolution() : 1;
    for (uint32_t bin = 0; bin < counter->bins; bin++) {
        uint64_t value = fm_counter_total(counter->slot + bin, counter->kind);
        double real = fm_counter_in_unit(value, counter->kind, rate);
        memcpy((char *)values + bin * sizeof value,
               counter->is_whole ? (const void *)&value : (const void *)&real, sizeof value);
    }
}
