/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * How many bytes records will take in the archive, before they are converted.
 */
#ifndef FERMATA_RECORD_SELECTION_ARCHIVE_BYTES_H
#define FERMATA_RECORD_SELECTION_ARCHIVE_BYTES_H

#include <stdint.h>

/** @return bytes that records take in OTF2's event files, about and hardly less: what conversion
 * counts of the same records, of which it leaves out some. Reads complete records only, up to the
 * first that is none. Takes no lock. */
uint64_t fm_archive_bytes(const uint64_t *records, const uint64_t *end);

#endif
