/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Layout of buffer files. The threads of a process record in the memory of such a file, which is
 * mapped shared: its contents survive the process, whatever ends it.
 *
 * A file is a sequence of blocks of FM_BLOCK_BYTES. A block whose room could not be reserved is a
 * hole of zeros.
 *
 *     block 0   struct fm_buffer_head; struct fm_buffer_site ...; struct fm_buffer_slot ...
 *     block 1   struct fm_buffer_definitions
 *     others    struct fm_chunk (records of a thread, or FRONT); struct fm_buffer_slot ...
 *
 * Numbers have the byte order of the machine. Pointers are addresses in the process: the chunk that
 * a place lies in has its own address in `self`. The process writes without locks towards readers:
 * when it is dead, they see every store that it has executed, in program order, and each structure
 * states in which order its members are written.
 */
#ifndef FERMATA_RECORD_BUFFERS_BUFFER_LAYOUT_H
#define FERMATA_RECORD_BUFFERS_BUFFER_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#define FM_BUFFER_MAGIC 0x3330465542544d46u /* "FMTBUF03" */

enum { FM_BLOCK_BYTES = 256 * 1024, FM_CHUNK_BYTES = FM_BLOCK_BYTES };

/** Kinds of chunks. */
enum fm_chunk_kind {
    FM_CHUNK_PRIVATE, /**< in memory of the process alone */
    FM_CHUNK_UNUSED,  /**< without records */
    FM_CHUNK_RECORDS, /**< records of a thread */
    FM_CHUNK_FRONT,   /**< struct fm_buffer_front, two of a thread */
    FM_CHUNK_SLOTS    /**< slots of further threads, from FM_SLOTS_AT on */
};

/** A chunk of records (capture/record.h), FM_CHUNK_BYTES including its header. `kind` is written
 * last when a chunk gets records, and first when it loses them. */
struct fm_chunk {
    struct fm_chunk *next;
    uint64_t *used;    /**< end of the records, once the thread has left the chunk; of FRONT the
                            valid structure: NULL: none */
    uint64_t kind;     /**< enum fm_chunk_kind */
    uint64_t self;     /**< address of the chunk */
    uint64_t position; /**< words that the thread recorded before those of the chunk */
    uint32_t thread;   /**< fm_thread.index */
    uint32_t block;    /**< number in the file */
    uint64_t words[];
};

/** Records that stand in front of the chunks of a thread whose older records are lost
 * (flight/cut.h). */
struct fm_buffer_front {
    uint64_t position; /**< of the first record that they stand in front of */
    uint64_t gone;     /**< 1: records before `position` are neither here nor in the journal */
    uint64_t count;
    uint64_t words[];
};

/** Half of the room of a FRONT chunk, in words. */
enum { FM_FRONT_WORDS = (FM_CHUNK_BYTES - sizeof(struct fm_chunk)) / sizeof(uint64_t) / 2 };

enum { FM_SLOT_BYTES = 8192, FM_SLOTS_AT = FM_SLOT_BYTES, FM_OPEN_WORDS = 1018 };

/** The call that a thread is in, with what it waits for: records (capture/record.h) that the call
 * writes at its Enter, and AWAITED_ ones. `enter` is 0 while `place` and the function change. */
struct fm_shown_call {
    uint64_t enter;  /**< in ticks; 0: the thread is in no recorded call */
    uint64_t call;   /**< number of its function | number of valid words in `words` << 32 */
    uint64_t *place; /**< end of the records in front of it, which may be beyond the published end:
                          its call stack */
    uint64_t words[FM_OPEN_WORDS];
};

/** Instead of the number of a function: the thread waits in the region that it has entered last. */
#define FM_OPEN_REGION UINT32_MAX

/** What readers need to know of a thread. */
struct fm_buffer_slot {
    uint64_t *done;  /**< end of the complete records: a place in a chunk. In none of the file: all
                          records in its chunks are complete */
    uint64_t thread; /**< fm_thread.index + 1; 0: the slot belongs to no thread */
    uint64_t system_id; /**< fm_thread.system_id */
    struct fm_shown_call open;
};

/** A call site (stack/places.h) that a signal handler may have found: the definitions may lack it.
 * Site n is in place n % FM_BUFFER_SITES. `number` is 0 while the others change. */
struct fm_buffer_site {
    uint64_t number;
    uint64_t offset, function, target;
    uint32_t module, target_module;
};
enum { FM_BUFFER_SITES = 1024, FM_BUFFER_SITES_AT = 8192, FM_BUFFER_SLOTS_AT = 65536 };

/** Slots in block 0, and in a SLOTS chunk. */
enum {
    FM_SLOTS_FIRST = (FM_BLOCK_BYTES - FM_BUFFER_SLOTS_AT) / FM_SLOT_BYTES,
    FM_SLOTS_MORE = (FM_BLOCK_BYTES - FM_SLOTS_AT) / FM_SLOT_BYTES
};

/** What the journal's file of definitions (journal/journal.h) continues with: `bytes` bytes, from
 * offset `base` of the file on. When the process has appended them to the file, it sets `bytes` to
 * 0 and then `base`. */
struct fm_buffer_definitions {
    uint64_t base;
    uint64_t bytes;
    unsigned char content[];
};
enum { FM_BUFFER_DEFINITIONS = FM_BLOCK_BYTES - sizeof(struct fm_buffer_definitions) };

/** Begin of the file. */
struct fm_buffer_head {
    uint64_t magic; /**< written last */
    uint64_t token; /**< a random number, which the journal (journal/journal.h) has, too */
    struct {
        uint64_t ticks, nanoseconds; /**< by the recorder's clock, by CLOCK_MONOTONIC_RAW */
    } alive[2];                      /**< moments at which the process lived */
    uint32_t latest;  /**< number of the moment in `alive` that is complete and latest */
    uint32_t process; /**< ID of the process */
    uint32_t rank;
    uint32_t ticks_used; /**< 0: the recorder's clock counts nanoseconds */
    uint32_t flight;     /**< 1: only the last records are kept (flight/flight.h) */
    uint32_t outside;    /**< threads whose records are not in the file: there was no room */
    uint32_t unused;
    uint64_t started; /**< start of the process in ticks of the system since its boot */
    uint64_t space;   /**< inode of the namespace of its ID */
    char host[256];
    char directory[4096]; /**< of the experiment */
};

#endif
