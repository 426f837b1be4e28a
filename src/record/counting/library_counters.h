/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Counters that a library offers by variables or inside itself, as the code that is specific to the
 * library adds them: performance variables of MPI ("mpit:NAME") and Open MPI's software performance
 * counters that calls do not show ("UNEXPECTED"). Such counters are had only if the list names
 * them: "all" does not, as they change how the library works or what it costs.
 */
#ifndef FERMATA_RECORD_COUNTING_LIBRARY_COUNTERS_H
#define FERMATA_RECORD_COUNTING_LIBRARY_COUNTERS_H

#include "record/capture/hot.h"
#include "record/counting/counter_file.h"

#include <stdbool.h>
#include <stdint.h>

/** Whether a word of the list begins with `prefix` and has `part` in it. */
FM_API bool fm_library_counters_named(const char *prefix, const char *part);

/** Whether the list names a counter by a word that begins with `prefix`. */
FM_API bool fm_library_counter_named(const char *prefix, const char *name);

/** Whether the list names one of Open MPI's counters that calls do not show.
 * @param name  without OMPI_SPC_; NULL: any of them */
FM_API bool fm_library_spc_named(const char *name);

/** Whether the list selects a counter, "all" included. */
FM_API bool fm_library_counter_selected(const char *name);

/** Kind of one of Open MPI's counters: enum fm_counter_kind. */
FM_API uint32_t fm_library_spc_kind(const char *name);

/** Boundaries between bins of collective operations: bytes of the largest small one, processes of
 * the largest small communicator. */
FM_API void fm_library_boundaries(uint64_t *message, int *communicator);

/** As fm_counter_file_add. */
FM_API uint32_t fm_library_counter_add(const struct fm_added_counter *counter);

/** Adds one of Open MPI's counters, with the unit and meaning of the catalogue.
 * @param kind  enum fm_counter_kind: that of the catalogue, or NANOSECONDS in place of TIMER
 * @param tier  enum fm_counter_tier; FM_TIER_UNAVAILABLE: for a reason
 * @param how   how it is obtained, a phrase behind the meaning; or that reason
 * @return as fm_counter_file_add; 0 also if the file has the counter already */
FM_API uint32_t fm_library_spc_add(const char *name, uint32_t kind, uint32_t tier, const char *how);

/** @return a counter's words in the block of the process, which threads may add to atomically */
FM_API uint64_t *fm_library_counter_word(uint32_t slot);

/** All counters of the library are added: those that are named and were not added are unavailable,
 * for this reason; then values are read by `reader`, if it is not NULL. Called once, when the run
 * begins. */
FM_API void fm_library_counters_complete(const char *reason, fm_counter_reader_t *reader);

/** The library is about to end, or is going to be used by the recorder: reads the last values. */
FM_API void fm_library_counters_end(void);

#endif
