/** @file
 * Private to src/engine. */
#ifndef FERMATA_ENGINE_ENGINE_INTERNAL_H
#define FERMATA_ENGINE_ENGINE_INTERNAL_H

#include "engine/engine.h"

struct fm_engine {
    unsigned workers;
    uint32_t process_count;
    uint32_t *first;     /**< [workers + 1]: worker w owns first[w] .. first[w + 1] - 1 */
    unsigned *worker_of; /**< by process */
};

#endif
