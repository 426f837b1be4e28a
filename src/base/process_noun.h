/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What a process of a run is called, in singular and plural, and the number of the first one: by
 * the programming model that numbers the processes. The recorder and the reports use the same
 * words.
 */
#ifndef FERMATA_BASE_PROCESS_NOUN_H
#define FERMATA_BASE_PROCESS_NOUN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct fm_process_noun {
    const char *one;    /**< "rank" */
    const char *many;   /**< "ranks" */
    const char *title;  /**< "Rank": at the begin of a name or sentence */
    const char *titles; /**< "Ranks" */
    uint32_t first;     /**< number of the first process: images begin with 1 */
};

/** Words: of MPI, of all others and of several models in one program; of OpenSHMEM; of coarrays; of
 * threads alone, which number no processes. */
enum { FM_NOUN_RANK, FM_NOUN_PE, FM_NOUN_IMAGE, FM_NOUN_PROCESS, FM_NOUNS };

/** @return a word, constant.
 * @param noun  FM_NOUN_RANK, ... */
static inline const struct fm_process_noun *fm_process_noun(unsigned noun)
{
    static const struct fm_process_noun nouns[FM_NOUNS] = {
        [FM_NOUN_RANK] = {"rank", "ranks", "Rank", "Ranks", 0},
        [FM_NOUN_PE] = {"PE", "PEs", "PE", "PEs", 0},
        [FM_NOUN_IMAGE] = {"image", "images", "Image", "Images", 1},
        [FM_NOUN_PROCESS] = {"process", "processes", "Process", "Processes", 0},
    };
    return &nouns[noun < FM_NOUNS ? noun : FM_NOUN_RANK];
}

/** @return the word at the end of the name of a process, such as "SHMEM PE"; "rank" if there is no
 * word of its own for it, as for "ARMCI Process": such processes are numbered. */
static inline const struct fm_process_noun *fm_process_noun_in(const char *name)
{
    for (unsigned i = 0; i < FM_NOUN_PROCESS; i++) {
        const struct fm_process_noun *noun = fm_process_noun(i);
        const size_t length = strlen(name), end = strlen(noun->title);
        if (length >= end && strcmp(name + (length - end), noun->title) == 0) {
            return noun;
        }
    }
    return fm_process_noun(FM_NOUN_RANK);
}

#endif
