/* SPDX-License-Identifier: BSD-3-Clause */
/* Each section of a table is an array of functions sorted by name, which binary search finds, and
 * an array of rules that are tried in their order. */
#include "functions/function_kind.h"

#include "functions/tables.h"

#include <ctype.h>
#include <otf2/OTF2_Definitions.h>
#include <string.h>
#include <strings.h>

/* Without the underscores that Fortran compilers append. */
static const char *end_of(const char *name)
{
    const char *end = name + strlen(name);
    while (end > name && end[-1] == '_') {
        end--;
    }
    return end;
}

static bool has_prefix(const char *name, const char *prefix)
{
    return strncasecmp(name, prefix, strlen(prefix)) == 0;
}

/* @return the section whose prefix the name has; NULL: there is none */
static const struct fm_function_section *section_named(fm_paradigm_t paradigm, const char *name)
{
    for (size_t i = 0; i < fm_function_section_count; i++) {
        const struct fm_function_section *section = &fm_function_sections[i];
        if (section->paradigm == paradigm && has_prefix(name, section->prefix)) {
            return section;
        }
    }
    return NULL;
}

/* @return the paradigm's first section; NULL: no table */
static const struct fm_function_section *first_section(fm_paradigm_t paradigm)
{
    for (size_t i = 0; i < fm_function_section_count; i++) {
        if (fm_function_sections[i].paradigm == paradigm) {
            return &fm_function_sections[i];
        }
    }
    return NULL;
}

static int compare(const char *name, size_t length, const char *with)
{
    int order = strncasecmp(name, with, length);
    return order != 0 || with[length] == '\0' ? order : -1;
}

static const struct fm_function_row *find_function(const struct fm_function_section *section,
                                                   const char *name, const char *end)
{
    size_t low = 0, high = section->function_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare(name, (size_t)(end - name), section->functions[middle].name);
        if (order == 0) {
            return &section->functions[middle];
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

static bool matches(const char *pattern, const char *name, const char *end)
{
    for (;; pattern++, name++) {
        if (*pattern == '*') {
            do {
                if (matches(pattern + 1, name, end)) {
                    return true;
                }
            } while (name++ < end);
            return false;
        }
        if (*pattern == '\0' || name == end) {
            return *pattern == '\0' && name == end;
        }
        if (*pattern != tolower((unsigned char)*name)) {
            return false;
        }
    }
}

/* Adds the facts of a row that are not stated yet. @return whether all are */
static bool add_facts(struct fm_function_row *all, const struct fm_function_row *row)
{
    all->metric = all->metric == NULL ? row->metric : all->metric;
    all->role = all->role == FM_UNSTATED ? row->role : all->role;
    all->call = all->call == FM_UNSTATED ? row->call : all->call;
    all->facts = all->facts == FM_UNSTATED ? row->facts : all->facts;
    all->progresses = all->progresses == FM_UNSTATED ? row->progresses : all->progresses;
    return all->metric != NULL && all->role != FM_UNSTATED && all->call != FM_UNSTATED &&
           all->facts != FM_UNSTATED && all->progresses != FM_UNSTATED;
}

static struct fm_function_row find(const struct fm_function_section *section, const char *name)
{
    const char *end = end_of(name);
    const struct fm_function_row *function = find_function(section, name, end);
    if (function != NULL) {
        return *function;
    }
    struct fm_function_row all = {NULL, NULL, FM_UNSTATED, FM_UNSTATED, FM_UNSTATED, FM_UNSTATED};
    for (const struct fm_function_row *rule = section->rules;; rule++) {
        if (matches(rule->name, name, end) && add_facts(&all, rule)) {
            return all;
        }
    }
}

const char *fm_function_without_prefix(fm_paradigm_t paradigm, const char *name)
{
    const struct fm_function_section *section = section_named(paradigm, name);
    return section != NULL ? name + strlen(section->prefix) : name;
}

bool fm_function_is_listed(fm_paradigm_t paradigm, const char *name)
{
    const struct fm_function_section *section = section_named(paradigm, name);
    return section != NULL &&
           find_function(section, name + strlen(section->prefix), end_of(name)) != NULL;
}

struct fm_function_kind fm_function_kind(fm_paradigm_t paradigm, const char *name)
{
    const struct fm_function_section *section = section_named(paradigm, name);
    const size_t skipped = section != NULL ? strlen(section->prefix) : 0;
    section = section != NULL ? section : first_section(paradigm);
    if (section == NULL) {
        return (struct fm_function_kind){.call = FM_CALL_USER, .role = OTF2_REGION_ROLE_FUNCTION};
    }
    struct fm_function_row row = find(section, name + skipped);
    return (struct fm_function_kind){
        .own_metric = row.metric,
        .call = (fm_call_t)row.call,
        .role = row.role,
        .progresses = row.progresses,
        .completes_requests = (row.facts & FM_FACT_COMPLETES) != 0,
        .reads_file = (row.facts & FM_FACT_READS) != 0,
        .writes_file = (row.facts & FM_FACT_WRITES) != 0,
    };
}

static fm_call_t classify_role(uint8_t role)
{
    switch (role) {
    case OTF2_REGION_ROLE_BARRIER:
        return FM_CALL_BARRIER;
    case OTF2_REGION_ROLE_COLL_ONE2ALL:
        return FM_CALL_ONE_TO_ALL;
    case OTF2_REGION_ROLE_COLL_ALL2ONE:
        return FM_CALL_ALL_TO_ONE;
    case OTF2_REGION_ROLE_COLL_ALL2ALL:
        return FM_CALL_ALL_TO_ALL;
    default:
        return FM_CALL_OTHER;
    }
}

fm_call_t fm_call_classify(fm_paradigm_t paradigm, const char *name, uint8_t otf2_role)
{
    if (paradigm == FM_PARADIGM_MPI && section_named(paradigm, name) == NULL) {
        return classify_role(otf2_role);
    }
    return fm_function_kind(paradigm, name).call;
}

bool fm_call_completes_requests(const char *name)
{
    return section_named(FM_PARADIGM_MPI, name) != NULL &&
           fm_function_kind(FM_PARADIGM_MPI, name).completes_requests;
}

bool fm_function_only_begins(const char *name)
{
    return strcasestr(name, "_nbi") != NULL || strncasecmp(name, "ARMCI_Nb", 8) == 0;
}

bool fm_function_launches(fm_paradigm_t paradigm, const char *name)
{
    if (!fm_paradigm_is_of_accelerators(paradigm)) {
        return false;
    }
    const struct fm_function_kind kind = fm_function_kind(paradigm, name);
    return kind.call != FM_CALL_USER && (strcmp(kind.own_metric, "cuda_launch") == 0 ||
                                         strcmp(kind.own_metric, "cuda_copy") == 0);
}

bool fm_function_fetches(const char *name)
{
    static const char *const parts[] = {"fetch", "swap",       "fadd",      "finc",
                                        "Rmw",   "atomic_ref", "atomic_cas"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strcasestr(name, parts[i]) != NULL) {
            return true;
        }
    }
    return false;
}

bool fm_is_mpi_function(const char *name)
{
    if (strncmp(name, "MPI", 3) != 0) {
        return false;
    }
    const char *rest = fm_function_without_prefix(FM_PARADIGM_MPI, name);
    return rest != name && isupper((unsigned char)rest[0]) && islower((unsigned char)rest[1]);
}
