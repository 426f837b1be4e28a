/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Layout of the counters of a process: a file that the process maps and writes while it runs, and
 * that others may read at any time, after the process was killed, too. All numbers have the byte
 * order of the machine.
 *
 *     head | descriptions of counters | names of functions | block 0 | block 1 | ...
 *
 * Descriptions are those of recorded.def, then those of counters that are added while the process
 * runs.
 *
 * Block 0 has the counters of the process as a whole (usage). Each further block has the counters
 * of one thread, which alone writes it: no counter needs an atomic operation. A block begins with a
 * sequence number, which is odd while the thread changes counters (seqlock): a reader that sees the
 * same even number before and after has a consistent copy. The value of the process is the sum over
 * its blocks; of watermarks, the extreme value.
 *
 * Readers reset watermarks to the present values of their levels: they add 1 to a word of the head,
 * `resets`. A thread that finds it changed stores its levels as watermarks before it counts further
 * calls, and the word in its block (FM_BLOCK_RESETS). Until then the thread's level has not changed
 * since the request: a reader takes it for the watermark. Watermarks of the process (block 0) are
 * raised atomically by many threads, and the reader that requests the reset stores the level
 * itself.
 *
 * A block has the words of recorded.def, two words for each recorded function (number of calls,
 * clock ticks in them), then FM_ADDED_WORDS words for counters that are added.
 */
#ifndef FERMATA_COUNTERS_COUNTER_LAYOUT_H
#define FERMATA_COUNTERS_COUNTER_LAYOUT_H

#include <stdint.h>

/** Bins of counters by collective operation, and of those whose operation has no bin: the last. */
enum { FM_COLLECTIVE_BINS = 24 };

/** Models of communication (counter_models.def). */
enum fm_counter_model {
#define FM_COUNTER_MODEL(symbol, prefix, paradigm) FM_COUNTER_MODEL_##symbol,
#include "counters/definitions/counter_models.def"
#undef FM_COUNTER_MODEL
    FM_COUNTER_MODELS
};

/** First words of the counters of the process, in words behind the head of a block. */
enum fm_counter_slot {
#define FM_COUNTER(symbol, name, kind, unit, bins, moment, meaning)                                \
    FM_SLOT_##symbol, FM_SLOT_LAST_##symbol = FM_SLOT_##symbol + (bins)-1,
#define FM_USAGE_COUNTER(symbol, name, kind, unit, meaning) FM_SLOT_##symbol,
#define FM_MODEL_COUNTER(symbol, name, kind, unit, bins, meaning)
#include "counters/definitions/recorded.def"
#undef FM_COUNTER
#undef FM_USAGE_COUNTER
#undef FM_MODEL_COUNTER
    FM_SLOTS_SINGLE
};

/** First words of the counters of a model, relative to those of the model. */
enum fm_counter_model_slot {
#define FM_COUNTER(symbol, name, kind, unit, bins, moment, meaning)
#define FM_USAGE_COUNTER(symbol, name, kind, unit, meaning)
#define FM_MODEL_COUNTER(symbol, name, kind, unit, bins, meaning)                                  \
    FM_MODEL_SLOT_##symbol, FM_MODEL_SLOT_LAST_##symbol = FM_MODEL_SLOT_##symbol + (bins)-1,
#include "counters/definitions/recorded.def"
#undef FM_COUNTER
#undef FM_USAGE_COUNTER
#undef FM_MODEL_COUNTER
    FM_MODEL_SLOTS
};

/** Words of a block without its head and without functions. */
enum { FM_SLOTS = FM_SLOTS_SINGLE + FM_COUNTER_MODELS * FM_MODEL_SLOTS };

/** Words of a function: calls, ticks. */
enum { FM_FUNCTION_WORDS = 2 };

/** Words of a block, and most descriptions, for counters that are added while a process runs. */
enum { FM_ADDED_WORDS = 1024, FM_ADDED_MOST = 512 };

/** Words of the head of a block: sequence number, number of the thread in its process, clock ticks
 * at the end of its last call, `resets` of the file when the thread last reset its watermarks,
 * unused. */
enum { FM_BLOCK_SEQUENCE, FM_BLOCK_THREAD, FM_BLOCK_TIME, FM_BLOCK_RESETS, FM_BLOCK_HEAD = 8 };

enum { FM_COUNTER_FILE_VERSION = 5, FM_COUNTER_NAME = 64, FM_COUNTER_UNIT = 16 };

/** Room for what a counter means, or why it is unavailable. */
enum { FM_COUNTER_MEANING = 160 };

/** First bytes of a file. */
#define FM_COUNTER_FILE_MAGIC "FERMCNT"

/** States of a process. */
enum fm_counter_file_state { FM_COUNTING, FM_COUNTING_ENDED };

/** Description of a counter. */
struct fm_counter_description {
    char name[FM_COUNTER_NAME];
    char unit[FM_COUNTER_UNIT];
    uint32_t kind;        /**< enum fm_counter_kind */
    uint32_t slot;        /**< first word, behind the head of a block */
    uint32_t bins;        /**< 0: the counter is unavailable */
    uint32_t is_selected; /**< 0: counted, but not asked for */
    uint32_t tier;        /**< enum fm_counter_tier */
    uint32_t boundary;    /**< bytes of the largest small message, of bins by size; else 0 */
    uint32_t communicator_boundary; /**< processes of the largest small communicator, likewise */
    uint32_t sentinel;              /**< of a watermark that can be reset: first word of its level;
                                       else 0 */
    uint32_t rules;                 /**< of bins with rules of their own: first word, in block 0, of
                                       the largest values of all bins but the last; else 0 */
    char meaning[FM_COUNTER_MEANING]; /**< of counters that are added; of an unavailable one the
                                         reason */
};

/** Name of a recorded function. */
struct fm_counter_function {
    char name[FM_COUNTER_NAME];
    uint32_t is_selected; /**< bits: calls 1, time 2 */
    uint32_t unused;
};

/** Head of a file. Places are in bytes from its begin. */
struct fm_counter_file_head {
    char magic[8];
    uint32_t version;
    uint32_t byte_order;                        /**< 0x01020304 */
    uint32_t description_bytes, function_bytes; /**< of one */
    uint64_t descriptions_at;
    uint64_t functions_at, functions_most;
    uint64_t blocks_at, block_bytes;
    uint64_t functions_in_block; /**< functions with words in each block */
    /* Written while the process runs, each at once: */
    uint64_t description_count;
    uint64_t function_count;
    uint64_t block_count;
    uint64_t state;         /**< enum fm_counter_file_state */
    uint64_t rate_sequence; /**< of the two next ones, as that of a block */
    uint64_t ticks;         /**< clock ticks since `start_ticks` when the rate was measured; ... */
    uint64_t nanoseconds;   /**< ... and nanoseconds: their ratio is the rate of the clock */
    uint64_t resets;        /**< requests to reset watermarks; readers add to it atomically */
    /* Constant: */
    uint64_t start_ticks;
    uint64_t start_realtime; /**< nanoseconds since the epoch of 1970 at `start_ticks` */
    uint64_t process;        /**< its id on the host */
    uint64_t
        process_start; /**< field 22 of /proc/PID/stat, against reuse of the id; 0: not known */
    uint32_t rank, size;
    char host[64];
    char program[256];
};

/** @return the level whose maximum a word of a thread's block is; 0: the word is no watermark */
static inline uint32_t fm_counter_sentinel(uint32_t slot)
{
    return slot == FM_SLOT_REQUESTS_OPEN_MOST ? FM_SLOT_REQUESTS_OPEN : 0;
}

/** Room for the head. */
enum { FM_COUNTER_HEAD_BYTES = 4096 };

#endif
