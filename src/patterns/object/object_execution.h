/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A pattern of a shared object in execution at a location. Private to this folder.
 */
#ifndef FERMATA_PATTERNS_OBJECT_OBJECT_EXECUTION_H
#define FERMATA_PATTERNS_OBJECT_OBJECT_EXECUTION_H

#include "base/containers/vector.h"
#include "patterns/language.h"

#include <fermata/pattern.h>

/** A loaded object: `declared` of a script. */
struct fm_shared_object {
    void *handle;
    const fermata_pattern_t *pattern;
    fermata_take_t *events[FM_EVENT_KINDS]; /**< NULL: no subscription */
    FM_VECTOR(fermata_take_t *) instances;  /**< as `instances` of the script */
};

struct fm_object_execution {
    struct fm_execution base; /**< first */
    fermata_location_t at;
    const struct fm_shared_object *object;
    FM_VECTOR(char *) texts; /**< that events given to the current call point to */
    bool reports;            /**< whether `report` may be called now */
    fm_status_t status;      /**< of the current call */
    struct fm_error error;
};

/** @return the execution that a function of the object calls. */
static inline struct fm_object_execution *fm_object_execution_at(fermata_location_t *at)
{
    return (struct fm_object_execution *)(void *)((char *)at -
                                                  offsetof(struct fm_object_execution, at));
}

/** Reads what an object declares. */
fm_status_t fm_object_declare(struct fm_script *script, struct fm_error *error);

/** Frees a loaded object. */
void fm_object_release(struct fm_script *script);

/** Fills an event for the object. */
void fm_object_event(struct fm_object_execution *execution, const struct fm_event *event,
                     fermata_event_t *public);

/** @return the event that was filled into a public one. */
struct fm_event fm_object_private_event(const fermata_event_t *public);

/** Finds an event that another one leads to. @return false: there is none */
bool fm_object_related(const struct fm_event_index *index, const struct fm_event *event, int which,
                       struct fm_event *found);

#endif
