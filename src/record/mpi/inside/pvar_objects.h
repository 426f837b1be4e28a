/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Performance variables of MPI (MPI_T) that belong to single windows or files. As counters they are
 * those of all windows, or files, of the process: of totals and watermarks also of those that exist
 * no longer. A handle is bound to an object when that is created, and freed before the object is.
 * Objects for which the library refuses a handle have no part in the value.
 */
#ifndef FERMATA_RECORD_MPI_INSIDE_PVAR_OBJECTS_H
#define FERMATA_RECORD_MPI_INSIDE_PVAR_OBJECTS_H

#include "record/mpi/inside/pvar_value.h"

/** A variable of objects. */
struct fm_pvar_of_objects {
    int index;          /**< of the library */
    int binding;        /**< MPI_T_BIND_MPI_WIN or MPI_T_BIND_MPI_FILE */
    bool is_continuous; /**< it cannot be started */
    bool is_level;      /**< objects that exist no longer have no part in it */
    struct fm_pvar_sort sort;
    uint32_t slot; /**< of the counter */
};

/** Whether variables with a binding can be had. */
bool fm_pvar_objects_have(int binding);

/** Adds a variable, before objects are created. @return false: there are too many */
bool fm_pvar_objects_add(MPI_T_pvar_session session, const struct fm_pvar_of_objects *variable);

/** An object has been created; it is about to be freed. No action without variables. Thread-safe.
 * @param object  address of its handle */
void fm_pvar_object_begins(int binding, const void *object);
void fm_pvar_object_ends(int binding, const void *object);

/** Reads all variables of objects. Thread-safe.
 * @param values  by slot */
void fm_pvar_objects_read(uint64_t *values);

#endif
