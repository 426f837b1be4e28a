/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Description of a paradigm (MPI, OpenSHMEM, ...) in an archive: the constant data of a paradigm.
 * Journals contain it, too (journal.h), so that `fermata` can complete the archive of a killed run
 * without the paradigm's code.
 */
#ifndef FERMATA_RECORD_PARADIGM_DESCRIPTION_H
#define FERMATA_RECORD_PARADIGM_DESCRIPTION_H

#include <stdbool.h>
#include <stdint.h>

/** Bytes of a text below, including its zero byte. */
enum { FM_PARADIGM_TEXT = 32 };

/** Texts are padded with zero bytes: two descriptions are equal if their bytes are. An empty text
 * means that the paradigm has no such thing. */
struct fm_paradigm_description {
    uint32_t otf2;               /**< OTF2_Paradigm */
    uint32_t otf2_class;         /**< OTF2_ParadigmClass */
    uint32_t rma_only;           /**< whether its communicators are those of windows only; 0 or 1 */
    uint32_t first_process;      /**< number of the first process in their names: 0 or 1 */
    char name[FM_PARADIGM_TEXT]; /**< "MPI"; also the source file of its functions */
    char process[FM_PARADIGM_TEXT];      /**< "MPI Rank": name of a process, in front of its rank */
    char communicator[FM_PARADIGM_TEXT]; /**< "Comm ${id}": name of a communicator without one */
    char window[FM_PARADIGM_TEXT];       /**< "Win ${id}": name of a window without one */
    char last_call[FM_PARADIGM_TEXT];    /**< "MPI_Finalize": the call that ends a run regularly */
};

/** Words of a PARADIGM definition (define.h), which contains the bytes of a description. */
enum { FM_PARADIGM_WORDS = sizeof(struct fm_paradigm_description) / sizeof(uint32_t) };

/** Whether the paradigm numbers the processes of a run (has ranks), and can exchange data between
 * them. */
static inline bool fm_paradigm_has_ranks(const struct fm_paradigm_description *description)
{
    return description->process[0] != '\0';
}

#endif
