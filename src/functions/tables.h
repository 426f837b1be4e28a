/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The tables of functions (*.tbl) as generate.py writes them. Within this layer only.
 */
#ifndef FERMATA_FUNCTIONS_TABLES_H
#define FERMATA_FUNCTIONS_TABLES_H

#include "functions/paradigm_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Stands in a rule for a fact that the rule leaves to later ones (the metric: NULL). */
enum { FM_UNSTATED = UINT8_MAX };

/** Bits of struct fm_function_row.facts. */
enum { FM_FACT_COMPLETES = 1, FM_FACT_READS = 2, FM_FACT_WRITES = 4 };

/** A function, or a rule: a pattern in which `*` stands for any characters. */
struct fm_function_row {
    const char *name; /**< in lower case, without the prefix */
    const char *metric;
    uint8_t role, call, facts;
    uint8_t progresses; /**< whether the call drives the progress of the library */
};

/** The part of a table whose names have one prefix. */
struct fm_function_section {
    fm_paradigm_t paradigm;
    const char *prefix;
    const struct fm_function_row *functions; /**< sorted by name */
    size_t function_count;
    const struct fm_function_row *rules; /**< the last one matches every name, states every fact */
};

/** A table's sections stand together, in their order. */
extern const struct fm_function_section fm_function_sections[];
extern const size_t fm_function_section_count;

#endif
