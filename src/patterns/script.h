/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the file of a pattern, a script or a shared object, declares.
 */
#ifndef FERMATA_PATTERNS_SCRIPT_H
#define FERMATA_PATTERNS_SCRIPT_H

#include "base/containers/vector.h"
#include "base/error.h"
#include "cube/model/metric.h"

#include <stdbool.h>
#include <stdint.h>

/** Kinds of events that a script may subscribe to. */
typedef enum {
    FM_EVENT_CALL,       /**< a call of communication */
    FM_EVENT_SEND,       /**< a matched message, in the call that starts to send it */
    FM_EVENT_RECEIVE,    /**< a matched message, in the call that completes its receive */
    FM_EVENT_OPERATION,  /**< a one-sided operation, in the call that begins it */
    FM_EVENT_COLLECTIVE, /**< the location's part in a complete collective operation */
    FM_EVENT_LOCK,       /**< a hold of a lock by the location */
    FM_EVENT_THREAD,     /**< an event of a thread: fork, task, ... */
    FM_EVENT_PHASE,      /**< an instance of a region that is a phase */
    FM_EVENT_SAMPLE,     /**< a value of a counter */
    FM_EVENT_KINDS
} fm_event_kind_t;

/** A value of a parameter: a number or a text. */
struct fm_script_parameter {
    char *name;
    char *text;
};

/** A subscription to instances: of a wait state, or of another script. */
struct fm_script_instances {
    char *id;
    fm_metric_t metric; /**< wait state; FM_METRIC_NONE: of a script */
    uint32_t script;    /**< number of the script; FM_SCRIPT_NONE: of a wait state */
};

#define FM_SCRIPT_NONE UINT32_MAX

struct fm_language;

struct fm_script {
    char *path;
    const struct fm_language *language;
    void *declared; /**< of the language */
    char *text;     /**< the whole file, if it is one in Lua */
    size_t size;
    FM_VECTOR(struct fm_script_parameter) parameters; /**< given by the user */

    char *id, *name, *description, *formula, *advice, *confidence;
    char *parent_id; /**< NULL: none */
    fm_unit_t unit;
    fm_metric_t metric; /**< once it is declared to the cube */
    bool takes[FM_EVENT_KINDS];
    bool combines; /**< it has a function `combine` */
    FM_VECTOR(struct fm_script_instances) instances;
};

/** @return the name of a kind of events in scripts: "call", "send", ... */
const char *fm_event_name(fm_event_kind_t kind);

/** Reads the whole file. @return FM_ERR_SYSTEM: not possible; FM_ERR_DATA: it is too long */
fm_status_t fm_script_read(struct fm_script *script, struct fm_error *error);

/** Takes a unit or a confidence over, by its name in patterns.
 * @return whether there is this one */
bool fm_script_set_unit(struct fm_script *script, const char *name);
bool fm_script_set_confidence(struct fm_script *script, const char *name);

/** Adds a subscription to a kind of events, or to instances. */
void fm_script_subscribe(struct fm_script *script, const char *name);

/** Reads a number with an optional K, M or G (times 1024 each). @return whether it is one */
bool fm_script_number(const char *text, double *number);

/** Reads a file and the parameters given with it, and what the script declares.
 * @param argument  FILE[:NAME=VALUE,...]
 * @param script    out: to be freed with fm_script_free(), also after a failure */
fm_status_t fm_script_load(struct fm_script *script, const char *argument, struct fm_error *error);

/** Frees what a script owns. */
void fm_script_free(struct fm_script *script);

#endif
