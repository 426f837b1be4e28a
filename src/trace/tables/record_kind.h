/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Names of kinds of records, as interfaces to other programs have them: constants, which stay as
 * they are.
 */
#ifndef FERMATA_TRACE_TABLES_RECORD_KIND_H
#define FERMATA_TRACE_TABLES_RECORD_KIND_H

#include "trace/tables/trace.h"

/** @return "put", "get" or "atomic"; NULL: it is a record of synchronization. Thread-safe. */
const char *fm_rma_kind(const struct fm_rma *record);

/** @return "fork", "lock_acquire", ...; NULL: it names an object of the record beside it.
 * Thread-safe. */
const char *fm_thread_record_kind(const struct fm_thread_record *record);

#endif
