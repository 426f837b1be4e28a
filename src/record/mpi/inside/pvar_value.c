/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/mpi/inside/pvar_value.h"

#include "record/capture/lock.h"

#include <string.h>

static fm_lock_t lock = FM_LOCK_FREE; /* of `elements` */

/* Memory that variables are read into. */
static union {
    int integers[FM_PVAR_ELEMENTS];
    unsigned naturals[FM_PVAR_ELEMENTS];
    unsigned long longs[FM_PVAR_ELEMENTS];
    unsigned long long long_longs[FM_PVAR_ELEMENTS];
    MPI_Count counts[FM_PVAR_ELEMENTS];
    double reals[FM_PVAR_ELEMENTS];
} elements;

bool fm_pvar_type_is_known(MPI_Datatype type)
{
    return type == MPI_INT || type == MPI_UNSIGNED || type == MPI_UNSIGNED_LONG ||
           type == MPI_UNSIGNED_LONG_LONG || type == MPI_COUNT || type == MPI_DOUBLE;
}

static double real_of(uint64_t bits)
{
    double real;
    memcpy(&real, &bits, sizeof real);
    return real;
}

static uint64_t bits_of(double real)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

static double real_element(MPI_Datatype type, int i)
{
    return type == MPI_INT             ? elements.integers[i]
           : type == MPI_UNSIGNED      ? elements.naturals[i]
           : type == MPI_UNSIGNED_LONG ? (double)elements.longs[i]
           : type == MPI_COUNT         ? (double)elements.counts[i]
           : type == MPI_DOUBLE        ? elements.reals[i]
                                       : (double)elements.long_longs[i];
}

/* The whole number of an element: doubles have 53 bits only. */
static uint64_t whole_element(MPI_Datatype type, int i)
{
    return type == MPI_INT             ? (uint64_t)(int64_t)elements.integers[i]
           : type == MPI_UNSIGNED      ? elements.naturals[i]
           : type == MPI_UNSIGNED_LONG ? elements.longs[i]
           : type == MPI_COUNT         ? (uint64_t)elements.counts[i]
           : type == MPI_DOUBLE        ? (uint64_t)(int64_t)elements.reals[i]
                                       : elements.long_longs[i];
}

uint64_t fm_pvar_combine(const struct fm_pvar_sort *sort, uint64_t one, uint64_t other)
{
    bool is_larger;
    if (sort->combination == FM_PVAR_SUM) {
        return sort->is_real ? bits_of(real_of(one) + real_of(other)) : one + other;
    }
    is_larger = sort->is_real ? real_of(other) > real_of(one) : (int64_t)other > (int64_t)one;
    return (sort->combination == FM_PVAR_MAXIMUM) == is_larger ? other : one;
}

bool fm_pvar_is_readable(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int count)
{
    bool good = false;
    if (count >= 1 && count <= FM_PVAR_ELEMENTS) {
        fm_lock(&lock);
        good = PMPI_T_pvar_read(session, handle, &elements) == MPI_SUCCESS;
        fm_unlock(&lock);
    }
    return good;
}

bool fm_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int count,
                  const struct fm_pvar_sort *sort, uint64_t *value)
{
    fm_lock(&lock);
    bool good = PMPI_T_pvar_read(session, handle, &elements) == MPI_SUCCESS;
    for (int i = 0; good && i < count; i++) {
        uint64_t element = sort->is_real ? bits_of(real_element(sort->type, i))
                                         : whole_element(sort->type, i) * sort->factor;
        *value = i == 0 ? element : fm_pvar_combine(sort, *value, element);
    }
    fm_unlock(&lock);
    return good;
}
