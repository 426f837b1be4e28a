/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A job's traces as the events of an archive: regions of threads, work of streams, and fermata's
 * own records of which call has launched which work (docs/accelerators.md).
 */
#ifndef FERMATA_IMPORT_KINETO_KINETO_ARCHIVE_H
#define FERMATA_IMPORT_KINETO_KINETO_ARCHIVE_H

#include "import/kineto/kineto_job.h"
#include "scenario/scenario.h"

/** Makes the events of an archive. The traces are emptied meanwhile, so that memory is needed for
 * one of the two forms of each event only.
 * @param scenario  out: to be freed with fm_scenario_free() after FM_OK */
fm_status_t fm_kineto_archive_make(struct fm_kineto_job *job, struct fm_scenario **scenario,
                                   struct fm_error *error);

#endif
