/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The nodes of a run.
 */
#ifndef FERMATA_TRACE_TABLES_NODES_H
#define FERMATA_TRACE_TABLES_NODES_H

#include "trace/tables/trace.h"

/** Numbers the nodes by name. @return by process, to be freed with fm_free() */
uint32_t *fm_number_nodes(const struct fm_trace *trace);

#endif
