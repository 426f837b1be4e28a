/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The value of a counter from the elements of a performance variable of MPI (MPI_T).
 */
#ifndef FERMATA_RECORD_MPI_INSIDE_PVAR_VALUE_H
#define FERMATA_RECORD_MPI_INSIDE_PVAR_VALUE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/** Most elements that a variable may have. */
enum { FM_PVAR_ELEMENTS = 4096 };

/** How several numbers become one: the elements of a variable, or its values for several objects.
 */
enum fm_pvar_combination { FM_PVAR_SUM, FM_PVAR_MAXIMUM, FM_PVAR_MINIMUM };

/** What the elements are, and what becomes of them. */
struct fm_pvar_sort {
    MPI_Datatype type;
    enum fm_pvar_combination combination;
    bool is_real;    /**< the counter has the bits of a double */
    uint64_t factor; /**< to the unit of the counter */
};

/** Whether the elements are numbers that can be read. */
bool fm_pvar_type_is_known(MPI_Datatype type);

/** Whether a handle can be read. Thread-safe, as fm_pvar_read.
 * @param count  of its elements */
bool fm_pvar_is_readable(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int count);

/** Reads a handle.
 * @param value  out: a whole number, or the bits of a double
 * @return false: the library refuses it; the value is unchanged */
bool fm_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int count,
                  const struct fm_pvar_sort *sort, uint64_t *value);

/** @return two values of a sort as one */
uint64_t fm_pvar_combine(const struct fm_pvar_sort *sort, uint64_t one, uint64_t other);

#endif
