/* SPDX-License-Identifier: BSD-3-Clause */
#include "cube/model/metric.h"

#include "cube/model/confidence.h"
#include "cube/model/metric_id.h"

#include <ctype.h>
#include <fnmatch.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Prefix that the names of Open MPI's counters may have, and that files of counters leave out. */
#define OF_OPEN_MPI "OMPI_SPC_"

static const struct fm_metric_info metric_table[] = {
#define FM_METRIC(symbol, id, parent, name, unit, kind, description, formula, advice)              \
    {id,                                                                                           \
     FM_METRIC_##parent,                                                                           \
     name,                                                                                         \
     FM_UNIT_##unit,                                                                               \
     FM_DELAY_##kind != FM_DELAY_NONE,                                                             \
     FM_DELAY_##kind,                                                                              \
     description FM_CONFIDENCE_##kind,                                                             \
     formula,                                                                                      \
     advice},
#include "cube/model/metrics.def"
#undef FM_METRIC
};

/* The declared metrics. A row is complete before the number of rows includes it. */
static struct fm_metric_info declared[FM_USER_METRICS];
static atomic_uint declared_count;
static pthread_mutex_t declaring = PTHREAD_MUTEX_INITIALIZER;

static const struct fm_metric_info undeclared = {.id = "",
                                                 .parent = FM_METRIC_NONE,
                                                 .name = "",
                                                 .unit = FM_UNIT_OCCURRENCES,
                                                 .delay_kind = FM_DELAY_NONE,
                                                 .description = "",
                                                 .formula = "",
                                                 .advice = ""};

unsigned fm_metric_end(void)
{
    return FM_METRIC_USER + atomic_load_explicit(&declared_count, memory_order_acquire);
}

const struct fm_metric_info *fm_metric_info(fm_metric_t metric)
{
    if (metric < FM_METRIC_USER)
        return &metric_table[metric];
    return metric < fm_metric_end() ? &declared[metric - FM_METRIC_USER] : &undeclared;
}

fm_metric_t fm_metric_by_id(const char *id)
{
    unsigned end = fm_metric_end();
    for (unsigned i = 0; i < end; i++) {
        if (strcmp(fm_metric_info((fm_metric_t)i)->id, id) == 0)
            return (fm_metric_t)i;
    }
    return FM_METRIC_NONE;
}

static bool is_id(const char *id)
{
    static const char characters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    static const char of_counters[] = "abcdefghijklmnopqrstuvwxyz0123456789_.:";
    bool is_counter = strncmp(id, FM_METRIC_OF_COUNTER, strlen(FM_METRIC_OF_COUNTER)) == 0;
    return id[0] >= 'a' && id[0] <= 'z' &&
           id[strspn(id, is_counter ? of_counters : characters)] == '\0' &&
           strlen(id) <= (is_counter ? 80 : 64);
}

void fm_metric_counter_id(char id[FM_METRIC_ID_SIZE], const char *name)
{
    snprintf(id, FM_METRIC_ID_SIZE, FM_METRIC_OF_COUNTER "%s", name);
    for (char *c = id; *c != '\0'; c++) {
        int lower = tolower((unsigned char)*c);
        bool is_allowed = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9') ||
                          lower == '.' || lower == ':';
        *c = is_allowed ? (char)lower : '_';
    }
}

/** @return what follows a prefix in any case; NULL: the text does not begin with it. */
static const char *behind(const char *text, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncasecmp(text, prefix, length) == 0 ? text + length : NULL;
}

fm_metric_t fm_metric_named(const char *text)
{
    char id[FM_METRIC_ID_SIZE];
    fm_metric_t metric = fm_metric_by_id(text);
    const char *name = behind(text, FM_METRIC_OF_COUNTER);
    while (metric == FM_METRIC_NONE && name != NULL) {
        fm_metric_counter_id(id, name);
        metric = fm_metric_by_id(id);
        name = behind(name, OF_OPEN_MPI);
    }
    return metric;
}

bool fm_metric_matches(fm_metric_t metric, const char *pattern)
{
    const char *id = fm_metric_info(metric)->id;
    bool matches = fnmatch(pattern, id, 0) == 0;
    const char *rest = behind(pattern, FM_METRIC_OF_COUNTER);
    const char *name = rest != NULL ? behind(id, FM_METRIC_OF_COUNTER) : NULL;
    while (!matches && name != NULL && rest != NULL) {
        matches = fnmatch(rest, name, FNM_CASEFOLD) == 0;
        rest = behind(rest, OF_OPEN_MPI);
    }
    return matches;
}

/** Copies a text, which may come from anywhere: control characters would act on terminals. */
static char *copy_text(const char *text)
{
    char *copy = strdup(text);
    for (char *c = copy; c != NULL && *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = ' ';
    }
    return copy;
}

/** Copies the texts of a row. @return false without memory */
static bool copy_texts(struct fm_metric_info *row, const struct fm_metric_info *info)
{
    row->id = strdup(info->id);
    row->name = copy_text(info->name);
    row->description = copy_text(info->description);
    row->formula = copy_text(info->formula);
    row->advice = copy_text(info->advice);
    return row->id != NULL && row->name != NULL && row->description != NULL &&
           row->formula != NULL && row->advice != NULL;
}

fm_metric_t fm_metric_declare(const struct fm_metric_info *info)
{
    pthread_mutex_lock(&declaring);
    fm_metric_t metric = fm_metric_by_id(info->id);
    unsigned end = fm_metric_end();
    if (metric != FM_METRIC_NONE) {
        const struct fm_metric_info *known = fm_metric_info(metric);
        if (metric < FM_METRIC_USER || known->unit != info->unit || known->parent != info->parent)
            metric = FM_METRIC_NONE;
    } else if (is_id(info->id) && end < FM_METRIC_COUNT &&
               (info->parent == FM_METRIC_NONE ||
                (info->parent < end && fm_metric_info(info->parent)->unit == info->unit))) {
        struct fm_metric_info *row = &declared[end - FM_METRIC_USER];
        *row = undeclared;
        row->parent = info->parent;
        row->unit = info->unit;
        if (info->parent != FM_METRIC_NONE) {
            row->is_wait_state = fm_metric_info(info->parent)->is_wait_state;
            row->delay_kind = fm_metric_info(info->parent)->delay_kind;
        }
        if (copy_texts(row, info)) {
            metric = (fm_metric_t)end;
            atomic_fetch_add_explicit(&declared_count, 1, memory_order_release);
        }
    }
    pthread_mutex_unlock(&declaring);
    return metric;
}

/** @return whether `metric` is `ancestor` or a part of it. */
static bool is_part(fm_metric_t metric, fm_metric_t ancestor)
{
    while (metric != FM_METRIC_NONE && metric != ancestor)
        metric = fm_metric_info(metric)->parent;
    return metric == ancestor;
}

unsigned fm_metrics_in_order(fm_metric_t order[FM_METRIC_COUNT])
{
    unsigned count = 0, end = fm_metric_end();
    for (unsigned i = 0; i < end; i++) {
        fm_metric_t metric = (fm_metric_t)i, parent = fm_metric_info(metric)->parent;
        unsigned at = count;
        if (i >= FM_METRIC_USER && parent != FM_METRIC_NONE) {
            while (!is_part(order[at - 1], parent))
                at--;
        }
        memmove(&order[at + 1], &order[at], (count - at) * sizeof *order);
        order[at] = metric;
        count++;
    }
    return count;
}

fm_metric_t fm_metric_root(fm_metric_t metric)
{
    fm_metric_t parent;
    while ((parent = fm_metric_info(metric)->parent) != FM_METRIC_NONE)
        metric = parent;
    return metric;
}

const char *fm_unit_name(fm_unit_t unit)
{
    switch (unit) {
    case FM_UNIT_TICKS:
    case FM_UNIT_COST:
        return "sec";
    case FM_UNIT_OCCURRENCES:
        return "occ";
    case FM_UNIT_BYTES:
        return "bytes";
    }
    return "";
}
