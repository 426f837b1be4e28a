/* SPDX-License-Identifier: BSD-3-Clause */
#include "counters/costs/call_updates.h"

#include "filter/name_pattern.h"

#include <stdio.h>
#include <string.h>

static const char send_call[] = "MPI_Send", receive_call[] = "MPI_Recv";

/* ---- formulas ---- */

double fm_updates_predicted(const struct fm_counter_costs *costs, struct fm_updates updates)
{
    const double *c = costs->costs;
    double on = fm_update_predicted(costs, FM_UPDATE_ON);
    double watermark = fm_update_predicted(costs, FM_UPDATE_WATERMARK_HIT) - on;
    double timer = fm_update_predicted(costs, FM_UPDATE_TIMER) - on;
    return updates.on * on + updates.off * fm_update_predicted(costs, FM_UPDATE_OFF) +
           updates.timers * timer + updates.watermarks * watermark +
           updates.comparisons * (c[FM_COST_IF] + c[FM_COST_COMP]);
}

const char *fm_updates_formula(char text[FM_UPDATES_FORMULA], struct fm_updates updates)
{
    const struct {
        unsigned count;
        const char *name;
    } terms[] = {{updates.on, "O_On"},
                 {updates.timers, "O_Timer"},
                 {updates.watermarks, "O_Watermark"},
                 {updates.binned, "O_Bin"},
                 {updates.off, "O_Off"}};
    size_t length = 0;
    strcpy(text, "0");
    for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++) {
        const char *plus = length > 0 ? " + " : "";
        int added = 0;
        if (terms[i].count == 1) {
            added =
                snprintf(text + length, FM_UPDATES_FORMULA - length, "%s%s", plus, terms[i].name);
        } else if (terms[i].count > 1) {
            added = snprintf(text + length, FM_UPDATES_FORMULA - length, "%s%u*%s", plus,
                             terms[i].count, terms[i].name);
        }
        length += (size_t)added;
    }
    return text;
}

struct fm_updates fm_updates_sum(struct fm_updates a, struct fm_updates b)
{
    return (struct fm_updates){.on = a.on + b.on,
                               .off = a.off + b.off,
                               .timers = a.timers + b.timers,
                               .watermarks = a.watermarks + b.watermarks,
                               .binned = a.binned + b.binned,
                               .comparisons = a.comparisons + b.comparisons};
}

/* ---- counters ---- */

/* The counter of the recorder that has the values of an entry, which knows moment and bins. */
static const struct fm_counter_entry *own_of(const struct fm_counter_entry *entry)
{
    const struct fm_counter_entry *own =
        entry->source != NULL ? fm_counter_named(entry->source) : NULL;
    return own != NULL ? own : entry;
}

static struct fm_updates updates_of(const struct fm_counter_entry *entry)
{
    unsigned bins = own_of(entry)->bins;
    switch (entry->kind) {
    case FM_COUNTER_TIMER:
        return (struct fm_updates){.on = 1, .timers = 1};
    case FM_COUNTER_HIGH_WATERMARK:
    case FM_COUNTER_LOW_WATERMARK:
        return (struct fm_updates){.watermarks = 1};
    case FM_COUNTER_BINS:
        return (struct fm_updates){.on = 1, .binned = 1, .comparisons = bins > 1 ? bins - 1 : 0};
    case FM_COUNTER_COLLECTIVE_BINS: /* small or large message, small or large communicator */
        return (struct fm_updates){.on = 1, .binned = 1, .comparisons = 2};
    default:
        return (struct fm_updates){.on = 1};
    }
}

/* The function of a counter of calls or times, by its name in files. NULL: it is another one. */
static const char *function_of(const char *source)
{
    static const char *const prefixes[] = {FM_COUNTER_CALLS, FM_COUNTER_TIME};
    for (size_t i = 0; i < 2; i++) {
        if (strncmp(source, prefixes[i], strlen(prefixes[i])) == 0) {
            return source + strlen(prefixes[i]);
        }
    }
    return NULL;
}

static const char *when_of(enum fm_counter_moment moment)
{
    static const char *const moments[FM_MOMENTS] = {
        [FM_AT_OTHER] = "not for messages",
        [FM_AT_SEND] = "each message sent",
        [FM_AT_RECEIVE] = "each message received",
        [FM_AT_UNEXPECTED] = "only messages that come before their receive",
        [FM_AT_DISORDER] = "only messages out of sequence",
        [FM_AT_LARGE] = "only messages that are not sent eagerly"};
    return moments[moment];
}

static struct fm_counter_update describe(const char *name, const char *source,
                                         const struct fm_counter_entry *entry)
{
    struct fm_counter_update update = {.updates = {.on = 1}};
    if (entry != NULL && entry->summands[0] != NULL) {
        source = entry->summands[0]; /* a library has one function, by either name */
    }
    const char *function = source != NULL ? function_of(source) : NULL;
    enum fm_counter_moment moment = entry != NULL ? own_of(entry)->moment : FM_AT_OTHER;
    snprintf(update.name, sizeof update.name, "%s", name);
    if (function != NULL) {
        update.when = "each call";
        update.updates.timers = strncmp(source, FM_COUNTER_TIME, strlen(FM_COUNTER_TIME)) == 0;
    } else {
        function = moment == FM_AT_SEND ? send_call : moment == FM_AT_RECEIVE ? receive_call : "";
        update.when = when_of(moment);
        if (entry != NULL) {
            update.updates = updates_of(entry);
        }
    }
    snprintf(update.function, sizeof update.function, "%s", function);
    return update;
}

static bool are_the_same(const char *a, const char *b)
{
    const char *sources[] = {fm_counter_source(a), fm_counter_source(b)};
    return strcmp(a, b) == 0 ||
           (sources[0] != NULL && sources[1] != NULL && strcmp(sources[0], sources[1]) == 0);
}

static bool has(const struct fm_call_updates *found, const char *name)
{
    for (size_t i = 0; i < found->counters.count; i++) {
        if (are_the_same(found->counters.items[i].name, name)) {
            return true;
        }
    }
    return false;
}

static struct fm_call_cost *call_named(struct fm_call_updates *found, const char *function)
{
    for (size_t i = 0; i < found->calls.count; i++) {
        if (strcmp(found->calls.items[i].function, function) == 0) {
            return &found->calls.items[i];
        }
    }
    struct fm_call_cost call = {.function = ""};
    snprintf(call.function, sizeof call.function, "%s", function);
    fm_vector_push(&found->calls, call);
    return &found->calls.items[found->calls.count - 1];
}

static void add(struct fm_call_updates *found, const char *name,
                const struct fm_counter_entry *entry)
{
    if (has(found, name)) {
        return;
    }
    struct fm_counter_update update = describe(name, fm_counter_source(name), entry);
    fm_vector_push(&found->counters, update);
    if (update.function[0] != '\0') {
        struct fm_call_cost *call = call_named(found, update.function);
        call->updates = fm_updates_sum(call->updates, update.updates);
    }
}

/* Also by the counter of calls that has the values of one of Open MPI's. */
static bool is_meant(const char *word, const struct fm_counter_entry *entry)
{
    return fm_counter_list_names_spc(word, entry->name) ||
           (entry->is_spc && entry->source != NULL && fm_pattern_matches(word, entry->source));
}

/* A word: the counters of the catalogue that it means, else one of a function or of the run. */
static void add_word(struct fm_call_updates *found, const char *word)
{
    bool is_all = fm_counter_list_is_all(word), matches = false;
    for (size_t i = 0; i < fm_counter_count(); i++) {
        const struct fm_counter_entry *entry = fm_counter_at(i);
        if (is_all ? entry->is_spc : is_meant(word, entry)) {
            add(found, entry->name, entry);
            matches = true;
        }
    }
    bool is_pattern = strpbrk(word, "*?[\\") != NULL;
    if (!matches && !is_pattern && fm_counter_source(word) != NULL) {
        add(found, word, NULL);
    }
}

/* What the library of the model has to look at in MPI_Send and MPI_Recv and finds switched off. */
static void add_those_off(struct fm_call_updates *found)
{
    for (size_t i = 0; i < fm_counter_count(); i++) {
        const struct fm_counter_entry *entry = fm_counter_at(i);
        struct fm_counter_update update = describe(entry->name, entry->source, entry);
        if (entry->is_spc && !has(found, entry->name) &&
            (strcmp(update.function, send_call) == 0 ||
             strcmp(update.function, receive_call) == 0)) {
            call_named(found, update.function)->updates.off++;
        }
    }
}

struct fm_call_updates fm_call_updates_find(char *const *patterns)
{
    char word[FM_COUNTER_WORD];
    struct fm_call_updates found = {0};
    call_named(&found, send_call);
    call_named(&found, receive_call);
    for (; *patterns != NULL; patterns++) {
        for (const char *list = *patterns; (list = fm_counter_list_next(list, word)) != NULL;) {
            add_word(&found, word);
        }
    }
    add_those_off(&found);
    return found;
}

void fm_call_updates_free(struct fm_call_updates *found)
{
    fm_vector_free(&found->counters);
    fm_vector_free(&found->calls);
}
