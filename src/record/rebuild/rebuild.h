/** @file
 * Archives of runs that did not reach their end, rebuilt from the journals of the processes.
 */
#ifndef FERMATA_RECORD_REBUILD_REBUILD_H
#define FERMATA_RECORD_REBUILD_REBUILD_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/** What was found. */
struct fm_rebuilt {
    uint32_t processes;
    uint64_t locations;
    uint64_t events;
    uint64_t bytes;     /**< of the archive */
    char missing[1024]; /**< a sentence: of which ranks events are missing, from when */
    bool by_other;      /**< another process has done it meanwhile; nothing above is known */
};

/** Whether the experiment directory has journals but no archive (traces.otf2). */
bool fm_rebuild_is_due(const char *directory);

/** Writes the archive from the journals, notes in environment.json what is missing, and removes the
 * journals. The archive appears as a whole or not at all: after a failure all is as before. Waits
 * for other processes that rebuild the same experiment.
 * @return FM_OK; FM_ERR_DATA: no usable journal; FM_ERR_USAGE: the program still runs;
 *         FM_ERR_SYSTEM: no room, no right to write. Not thread-safe. */
fm_status_t fm_rebuild(const char *directory, struct fm_rebuilt *result, struct fm_error *error);

#endif
