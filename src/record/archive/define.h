/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Definitions: the meaning of the numbers in the records. Every process numbers its definitions in
 * order of first use. At the end of the run the sets of all processes are merged pairwise up a
 * tree, where equal definitions become one, and each process receives the numbers in the merged
 * set.
 *
 * A definition is an array of 32-bit words: first the key, which determines equality, then the
 * rest. Words that refer to another definition hold its number in the same set.
 */
#ifndef FERMATA_RECORD_ARCHIVE_DEFINE_H
#define FERMATA_RECORD_ARCHIVE_DEFINE_H

#include "record/paradigm/region.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* clang-format off */
/** Kinds, in an order in which a definition refers only to earlier kinds or to earlier definitions
 * of its kind. Layouts (key | rest):
 *   STRING    bytes, text padded with zeros |
 *   REGION    name, OTF2 role, OTF2 paradigm, OTF2 flags, file, line (0: unknown) |
 *   LINE      file, line (0: unknown) |
 *   BINARY    path, build-id, begin of main (low, high; 0: unknown or no main), serial number |
 *   SITE      binary, begin of the function (low, high), address in the binary (low, high), binary
 *             of the called function (or none), begin of that function (low, high; without a binary
 *             1: the address is the begin of an instrumented function), serial number |
 *             In a Python function there is no binary; the begin is its region and the number of the
 *             line, the address the offset in its bytecode.
 *             { region, line } ...: the function and the functions inlined into it at the address,
 *             with the line of the address, or of the next function's call, in each; region of the
 *             called function, if known
 *   PARAMETER name, OTF2 parameter type |
 *   METRIC    name, unit, OTF2 value type, OTF2 mode |
 *   ATTRIBUTE name, description, OTF2 type |
 *   GROUP     OTF2 paradigm, members, { first, stride, count } ... of world ranks |
 *             of a team (process_teams.h): { rank, first thread, count } ... of locations
 *             with FM_GROUP_FOREIGN in its first word, { link (low, high), first, stride, count } ...:
 *             of world ranks if the link is 0, else of ranks in the remote group of that link
 *   COMM      origin, OTF2 paradigm, a, b, c | OTF2 flags, group, second group (of an
 *             inter-communicator), parent, name
 *   WIN       communicator, ordinal among its windows | OTF2 flags, name
 *   IO_FILE   path |
 *   IO_HANDLE file, communicator (none: of one process) |
 *   LINK      number (low, high), rank of the process that defines it | enum fm_link, local group,
 *             remote size, detail (a text, or none), 1: this process was the root of the call that
 *             made it, Enter (low, high), Leave (low, high) of that call by the process's clock
 *   TOPOLOGY  communicator | name, dimensions, { size, periodic } ...
 *   NODE      host name |
 *   PROCESS   rank | node, pid, threads, { events (low, high) } ...
 *   MARKER    rank, thread, time in rank 0's clock (low, high), text |
 *   PARADIGM  struct fm_paradigm_description |
 *   OBJECT    rank, number of the object in records, name |
 *   STREAM    rank, location in its process, name |
 *   WORLD     number, first rank, processes |
 *   LIFE      rank | last time at which the process is known to have lived (low, high; 0: unknown),
 *             end of the job (low, high; 0: unknown), both by the clock of the process, 1: it ended by
 *             itself, level of threads of MPI + 1 (0: unknown), number of its threads. Of processes
 *             without a regular end
 * Names, files and lines may be FM_DEFINE_NONE. Serial numbers keep all binaries and call sites of
 * one process distinct; in sets of several processes they are 0. */
/* clang-format on */
enum fm_define_kind {
    FM_DEFINE_STRING,
    FM_DEFINE_REGION,
    FM_DEFINE_LINE,
    FM_DEFINE_BINARY,
    FM_DEFINE_SITE,
    FM_DEFINE_PARAMETER,
    FM_DEFINE_METRIC,
    FM_DEFINE_ATTRIBUTE,
    FM_DEFINE_GROUP,
    FM_DEFINE_COMM,
    FM_DEFINE_WIN,
    FM_DEFINE_IO_FILE,
    FM_DEFINE_IO_HANDLE,
    FM_DEFINE_LINK,
    FM_DEFINE_TOPOLOGY,
    FM_DEFINE_NODE,
    FM_DEFINE_PROCESS,
    FM_DEFINE_MARKER,
    FM_DEFINE_PARADIGM,
    FM_DEFINE_OBJECT,
    FM_DEFINE_STREAM,
    FM_DEFINE_WORLD,
    FM_DEFINE_LIFE,
    FM_DEFINE_KIND_COUNT
};

/** In the mode of a METRIC: its values are recorded in the code that they belong to. */
enum { FM_METRIC_OF_PLACE = 0x10000 };

/** A journal contains definitions of the kinds before this one. */
enum { FM_DEFINE_JOURNALED = FM_DEFINE_PARADIGM };

/** Words of a SITE. */
enum {
    FM_SITE_BINARY,
    FM_SITE_FUNCTION,
    FM_SITE_ADDRESS = FM_SITE_FUNCTION + 2,
    FM_SITE_TARGET_BINARY = FM_SITE_ADDRESS + 2,
    FM_SITE_TARGET,
    FM_SITE_SERIAL = FM_SITE_TARGET + 2,
    FM_SITE_FRAMES
};

/** Words of a BINARY. */
enum {
    FM_BINARY_PATH,
    FM_BINARY_ID,
    FM_BINARY_MAIN,
    FM_BINARY_SERIAL = FM_BINARY_MAIN + 2,
    FM_BINARY_WORDS
};

/** Origin of a communicator, with the words a, b, c: identifies the same communicator on all its
 * members. Ordinals count communicators of equal origin; they are equal on all members, so no
 * message is needed to agree. */
enum fm_comm_origin {
    FM_COMM_WORLD,       /**< number of the world, 0, 0 */
    FM_COMM_SELF_LIKE,   /**< ordinal among those with only this process, 0, 0 */
    FM_COMM_FROM_PARENT, /**< parent, ordinal for the parent, world rank of the new rank 0 */
    FM_COMM_FROM_GROUP,  /**< group, ordinal for the group (Comm_create_group), 0 */
    FM_COMM_FROM_PAIR,   /**< lower group, upper group, ordinal for both (Intercomm_create) */
    FM_COMM_THREADS,     /**< world rank, 0, 0: all threads of a process. No group is defined: its
                              members are known at the end of the run */
    FM_COMM_TEAM,        /**< rank, thread that made the team, kind of team (process_teams.h) */
    FM_COMM_ACROSS       /**< link (low, high), 0: an inter-communicator with processes of another
                              MPI_COMM_WORLD */
};

/** Words of a COMM. */
enum {
    FM_COMM_ORIGIN,
    FM_COMM_PARADIGM,
    FM_COMM_A,
    FM_COMM_B,
    FM_COMM_C,
    FM_COMM_FLAGS,
    FM_COMM_GROUP,
    FM_COMM_SECOND_GROUP,
    FM_COMM_PARENT,
    FM_COMM_NAME,
    FM_COMM_WORDS
};

/** Words of a GROUP, in front of its ranges. */
enum { FM_GROUP_PARADIGM, FM_GROUP_MEMBERS, FM_GROUP_RANGES };

/** In the first word of a GROUP, beside the paradigm: it has members of other worlds. */
enum { FM_GROUP_FOREIGN = 0x100 };

/** Words of a range of a group with members of other worlds. */
enum {
    FM_FOREIGN_LINK,
    FM_FOREIGN_FIRST = FM_FOREIGN_LINK + 2,
    FM_FOREIGN_STRIDE,
    FM_FOREIGN_COUNT,
    FM_FOREIGN_WORDS
};

/** How processes of two MPI_COMM_WORLDs were connected, seen from one of them. */
enum fm_link {
    FM_LINK_SPAWN,   /**< this world has spawned the other one */
    FM_LINK_PARENT,  /**< the other world has spawned this one; made in MPI_Init */
    FM_LINK_ACCEPT,  /**< detail: the port */
    FM_LINK_CONNECT, /**< detail: the port */
    FM_LINK_JOIN,    /**< detail: the two ends of the socket */
    FM_LINKS
};

/** Words of a LINK. */
enum {
    FM_LINK_NUMBER,
    FM_LINK_RANK = FM_LINK_NUMBER + 2,
    FM_LINK_HOW,
    FM_LINK_GROUP,
    FM_LINK_REMOTE_SIZE,
    FM_LINK_DETAIL,
    FM_LINK_IS_ROOT,
    FM_LINK_ENTER,
    FM_LINK_LEAVE = FM_LINK_ENTER + 2,
    FM_LINK_WORDS = FM_LINK_LEAVE + 2
};

/** Words of a WORLD. */
enum { FM_WORLD_NUMBER, FM_WORLD_FIRST, FM_WORLD_SIZE, FM_WORLD_WORDS };

/** Words of a LIFE. */
enum {
    FM_LIFE_RANK,
    FM_LIFE_HEARTBEAT,
    FM_LIFE_JOB_END = FM_LIFE_HEARTBEAT + 2,
    FM_LIFE_ENDED = FM_LIFE_JOB_END + 2,
    FM_LIFE_THREAD_LEVEL,
    FM_LIFE_THREADS,
    FM_LIFE_WORDS
};

/** Words of a WIN. */
enum { FM_WIN_COMM, FM_WIN_ORDINAL, FM_WIN_FLAGS, FM_WIN_NAME, FM_WIN_WORDS };

/** Words of an IO_HANDLE. */
enum { FM_IO_HANDLE_FILE, FM_IO_HANDLE_COMM, FM_IO_HANDLE_WORDS };

#define FM_DEFINE_NONE UINT32_MAX

/** All definitions of one kind in a set. */
struct fm_define_table {
    size_t *offsets; /**< first word of each in `words`; one more than `count` */
    uint32_t *words;
    size_t count, capacity;
    size_t word_count, word_capacity;
    uint32_t *index; /**< hash table of numbers + 1 */
    size_t index_capacity;
};

/** A set of definitions. Zeroed = empty. Not thread-safe. */
struct fm_definitions {
    struct fm_define_table tables[FM_DEFINE_KIND_COUNT];
};

/** Maps the numbers of one set to those of another, for every kind. */
struct fm_define_map {
    uint32_t *numbers[FM_DEFINE_KIND_COUNT];
    size_t counts[FM_DEFINE_KIND_COUNT];
};

/** Adds a definition unless the set contains one with this key. Amortized O(words).
 * @param words  key and rest; must not point into the set
 * @return number of the definition, FM_DEFINE_NONE without memory */
uint32_t fm_define(struct fm_definitions *set, enum fm_define_kind kind, const uint32_t *words,
                   size_t count);

/** Adds a string. Like all fm_define_ functions for one kind, returns the number of the definition,
 * FM_DEFINE_NONE without memory. */
uint32_t fm_define_string(struct fm_definitions *set, const char *text);

/** Text of a string; valid until the next string is added. */
const char *fm_defined_string(const struct fm_definitions *set, uint32_t number);

/** Adds a region.
 * @param role, paradigm, flags  OTF2's values
 * @param file  source file; NULL: unknown
 * @param line  0: unknown */
uint32_t fm_define_region(struct fm_definitions *set, const char *name, uint32_t role,
                          uint32_t paradigm, uint32_t flags, const char *file, uint32_t line);

/** Adds the region of a recorded function. */
uint32_t fm_define_function(struct fm_definitions *set, const struct fm_recorded_region *function);

/** Adds a paradigm. */
uint32_t fm_define_paradigm(struct fm_definitions *set,
                            const struct fm_paradigm_description *description);

/** Adds a line of a source file. */
uint32_t fm_define_line(struct fm_definitions *set, const char *file, uint32_t line);

/** Adds a group of world ranks, which keep their order.
 * @param paradigm  OTF2's value; groups of different paradigms differ */
uint32_t fm_define_group(struct fm_definitions *set, uint32_t paradigm, const int *ranks,
                         size_t count);

/** Words of a definition. The caller may change words after the key. Valid until the next
 * definition of its kind is added.
 * @param count  out: number of words; may be NULL */
uint32_t *fm_defined(const struct fm_definitions *set, enum fm_define_kind kind, uint32_t number,
                     size_t *count);

/** Number of words of a definition's key. */
size_t fm_define_key_length(enum fm_define_kind kind, const uint32_t *words, size_t count);

/** World rank of member i of a group, given by its words. O(ranges). */
uint32_t fm_group_member(const uint32_t *group, uint32_t i);

/** Packs the set into one block of memory, to be sent or stored.
 * @param bytes  out: size of the block
 * @return block to be freed, NULL without memory */
void *fm_definitions_pack(const struct fm_definitions *set, size_t *bytes);

/** Size of a set in memory, in bytes. */
uint64_t fm_definitions_bytes(const struct fm_definitions *set);

/** Merges a packed set into another. The first definition of a key is kept; a missing name is taken
 * from the later definition.
 * @param map  receives the packed set's numbers in `set`; free with fm_define_map_free
 * @return false if the block is damaged, or without memory */
bool fm_definitions_merge(struct fm_definitions *set, const void *block, size_t bytes,
                          struct fm_define_map *map);

/** Changes a definition before it is added to a set, to whose numbers its references are already
 * translated.
 * @param words  owned by the function, which returns this array or another one from malloc
 * @param count  in, out: number of words
 * @return the words to add; NULL without memory, or if the definition is invalid */
typedef uint32_t *fm_define_change_t(void *context, enum fm_define_kind kind, uint32_t *words,
                                     size_t *count);

/** As fm_definitions_merge, with changed definitions. */
bool fm_definitions_merge_changed(struct fm_definitions *set, const void *block, size_t bytes,
                                  struct fm_define_map *map, fm_define_change_t *change,
                                  void *context);

void fm_define_map_free(struct fm_define_map *map);
void fm_definitions_free(struct fm_definitions *set);

#endif
