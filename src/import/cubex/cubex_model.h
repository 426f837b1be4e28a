/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the anchor of a Cube 4 file (anchor.xml) defines: metrics, regions, call paths, locations.
 */
#ifndef FERMATA_IMPORT_CUBEX_CUBEX_MODEL_H
#define FERMATA_IMPORT_CUBEX_CUBEX_MODEL_H

#include "base/containers/vector.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

#define FM_CUBEX_NONE UINT32_MAX

enum fm_cubex_type {
    FM_CUBEX_EXCLUSIVE, /**< values without those of the call paths below */
    FM_CUBEX_INCLUSIVE, /**< values with them */
    FM_CUBEX_DERIVED    /**< no values: an expression */
};

struct fm_cubex_metric {
    uint32_t id;
    uint32_t parent; /**< in the order of the file; FM_CUBEX_NONE: none */
    enum fm_cubex_type type;
    char *unique_name, *title, *data_type, *unit, *description; /**< never NULL */
};

struct fm_cubex_region {
    uint32_t id;
    int64_t line; /**< not above 0: unknown */
    char *name, *file, *paradigm;
};

struct fm_cubex_callpath {
    uint32_t parent;    /**< in the order of the file; FM_CUBEX_NONE: a root */
    uint32_t region;    /**< id; of the anchor that was read: in the order of the file */
    char *parameter;    /**< NAME=VALUE; "": none */
    uint32_t child_end; /**< the call paths from this one on to before it are this one and all
                             below */
};

struct fm_cubex_location {
    uint64_t id;
    int64_t process, thread; /**< rank of its process; its own there */
    bool is_metric;          /**< of values, not of execution */
    bool is_stream;          /**< of an accelerator */
    char *node, *name;
};

struct fm_cubex_model {
    FM_VECTOR(struct fm_cubex_metric) metrics; /**< parents precede their children */
    FM_VECTOR(struct fm_cubex_region) regions;
    FM_VECTOR(struct fm_cubex_callpath) callpaths; /**< likewise, depth first */
    FM_VECTOR(struct fm_cubex_location) locations; /**< in the order of rows: ascending by id */
    char *creator, *machine;                       /**< NULL: unknown */
};

/** Reads an anchor.
 * @param name  of the file, for messages
 * @param model  out: to be freed with fm_cubex_model_free() after FM_OK */
fm_status_t fm_cubex_model_read(const char *text, size_t size, const char *name,
                                struct fm_cubex_model *model, struct fm_error *error);

void fm_cubex_model_free(struct fm_cubex_model *model);

#endif
