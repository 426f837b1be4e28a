/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What counters there are: their names, kinds, units and meanings, and how exactly this version
 * obtains them. Constant data, no allocation, thread-safe.
 *
 * Counters of the recorder (recorded.def) have names such as "mpi.bytes_sent". Each recorded
 * function NAME has two more: "calls:NAME" and "time:NAME". Open MPI's counters (spc.def) are
 * written in capitals, with or without OMPI_SPC_ in front.
 */
#ifndef FERMATA_COUNTERS_CATALOGUE_H
#define FERMATA_COUNTERS_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Kinds of counters: what their value is, and how the values of threads and of moments combine. */
enum fm_counter_kind {
    FM_COUNTER_COUNT,           /**< a number that only grows */
    FM_COUNTER_BYTES,           /**< likewise, bytes */
    FM_COUNTER_LEVEL,           /**< a number at a moment; signed */
    FM_COUNTER_HIGH_WATERMARK,  /**< the maximum of a level so far; signed */
    FM_COUNTER_TIMER,           /**< clock ticks, shown in seconds */
    FM_COUNTER_BINS,            /**< counts by category; their sum is the value */
    FM_COUNTER_COLLECTIVE_BINS, /**< the same by small and large message and communicator */
    FM_COUNTER_HISTOGRAM,       /**< the same by size: bin 0 for 0, bin k for 2^(k-1) .. 2^k - 1 */
    FM_COUNTER_NANOSECONDS,     /**< time of the kernel's clocks, shown in seconds */
    FM_COUNTER_LOW_WATERMARK, /**< the minimum of a level so far; of the process as a whole only */
    FM_COUNTER_REAL,          /**< a total with a fraction; a word has the bits of a double */
    FM_COUNTER_REAL_LEVEL,    /**< a level with a fraction, likewise */
    FM_COUNTER_KINDS
};

/** How exact a value is. */
enum fm_counter_tier {
    FM_TIER_EXACT,       /**< by interposition of calls */
    FM_TIER_LOWER_BOUND, /**< likewise; there may be more that calls do not show */
    FM_TIER_KERNEL,      /**< by the kernel */
    FM_TIER_PERMITTED,   /**< likewise, where it permits and the processor offers it */
    FM_TIER_LIBRARY,     /**< by a variable of the library */
    FM_TIER_HOOK,        /**< by a hook in the library */
    FM_TIER_UPPER_BOUND, /**< likewise */
    FM_TIER_PROGRAM,     /**< stated by the program itself */
    FM_TIER_UNAVAILABLE,
    FM_TIER_HOOK_LEAST, /**< lower bound by a hook in the library */
    FM_TIERS
};

/** Counters that a sum consists of. */
enum { FM_COUNTER_SUMMANDS = 2 };

/** When a library that counts updates a counter. A message is one of the program. */
enum fm_counter_moment {
    FM_AT_OTHER, /**< not for a message as such: for calls of a function, if its source says so, or
                      for something else */
    FM_AT_SEND,  /**< for each message, when it is sent */
    FM_AT_RECEIVE,    /**< for each message, when it is received */
    FM_AT_UNEXPECTED, /**< for a message that comes before its receive */
    FM_AT_DISORDER,   /**< for a message that comes out of sequence */
    FM_AT_LARGE,      /**< for a message that is not sent eagerly */
    FM_MOMENTS
};

/** A counter. */
struct fm_counter_entry {
    const char *name;
    enum fm_counter_kind kind;
    const char *unit;
    enum fm_counter_tier tier;
    const char *source;  /**< the counter of readers that has its values; NULL: unavailable */
    const char *meaning; /**< a noun phrase */
    const char *reason;  /**< why it is unavailable, else NULL */
    bool is_spc;         /**< one of Open MPI's software performance counters */
    bool spc_offers;     /**< Open MPI 4.1 has it if it was built with --enable-spc */
    bool is_hooked;      /**< hooks in tested versions of Open MPI count it (--hooks) */
    bool is_variable;    /**< a variable of the library is read if the recording names it */
    const char *summands[FM_COUNTER_SUMMANDS]; /**< counters in files, of which readers make this
                                                  one as their sum; NULL: there are none */
    enum fm_counter_moment moment; /**< FM_AT_OTHER where `source` names another counter: its moment
                                        counts (fm_counter_moment_of) */
    unsigned bins;                 /**< of counters of the recorder; 0: as `moment` */
};

/** Prefix of Open MPI's counters, which may stand in front of their names. */
#define FM_SPC_PREFIX "OMPI_SPC_"

/** Prefixes of the counters of recorded functions. */
#define FM_COUNTER_CALLS "calls:"
#define FM_COUNTER_TIME  "time:"

/** Prefix of the kernel's events (perf.def). */
#define FM_COUNTER_PERF "perf:"

/** Prefix of PAPI's events. */
#define FM_COUNTER_PAPI "papi:"

/** Prefix of the performance variables of an MPI library (MPI_T). */
#define FM_COUNTER_MPIT "mpit:"

/** Prefix of the counters that the program declares (fermata/counter.h). */
#define FM_COUNTER_USER "user:"

/** All counters except those of functions; first those of the recorder. */
size_t fm_counter_count(void);
const struct fm_counter_entry *fm_counter_at(size_t i);

/** @return the counter that is called so; NULL: there is none. Counters of functions and of the
 * program are none. */
const struct fm_counter_entry *fm_counter_named(const char *name);

/** @return the name of the counter without Open MPI's prefix, if it is one of Open MPI's; else the
 * name itself: what files call the counters that they have by the library itself. */
const char *fm_counter_plain_name(const char *name);

/** @return the counter whose last summand is this counter of files; NULL: there is none */
const struct fm_counter_entry *fm_counter_sum_ending(const char *summand);

/** @return the name for readers of what a name means: "calls:MPI_Send" for OMPI_SPC_SEND; NULL: it
 * is unavailable or unknown. Names of counters of functions and of the program are returned as they
 * are. */
const char *fm_counter_source(const char *name);

/** Whether the name is that of a counter, or with wildcards matches one. Names of counters of
 * functions and of the program are accepted whatever stands behind their prefix. */
bool fm_counter_is_known(const char *pattern);

/** Whether a list of names and patterns, separated by commas, has a counter of files: "all",
 * "yes" (the same), "mpi.*", "SEND,calls:MPI_Recv". The name of a sum selects its summands, too.
 * @param name  of a counter in files, or of a sum */
bool fm_counter_selected(const char *list, const char *name);

/** Whether a word of such a list begins with `prefix` and matches a name: for counters that cost
 * something, which "all" does not select. */
bool fm_counter_list_names(const char *list, const char *prefix, const char *name);

/** Whether a word of such a list other than "all" is or matches the name of a counter of the
 * catalogue. */
bool fm_counter_list_names_spc(const char *list, const char *name);

/** Room for a word of a list. */
enum { FM_COUNTER_WORD = 96 };

/** Copies the next word of a list. @return what follows it; NULL: there is none */
const char *fm_counter_list_next(const char *list, char word[FM_COUNTER_WORD]);

/** Whether a word selects all counters of files. */
bool fm_counter_list_is_all(const char *word);

/** Whether a list selects nothing: none, no, empty or NULL. */
bool fm_counter_list_is_none(const char *list);

/** @return what is wrong with such a list: the first unknown name, in static memory that the next
 * call overwrites; NULL: nothing is. Not thread-safe. */
const char *fm_counter_list_unknown(const char *list);

/** Whether values are shown in seconds. */
static inline bool fm_counter_is_time(enum fm_counter_kind kind)
{
    return kind == FM_COUNTER_TIMER || kind == FM_COUNTER_NANOSECONDS;
}

/** Whether a value is a number at a moment, of which a sum over time means nothing. */
static inline bool fm_counter_is_level(enum fm_counter_kind kind)
{
    return kind == FM_COUNTER_LEVEL || kind == FM_COUNTER_HIGH_WATERMARK ||
           kind == FM_COUNTER_LOW_WATERMARK || kind == FM_COUNTER_REAL_LEVEL;
}

/** Whether words have the bits of a double. */
static inline bool fm_counter_is_real(enum fm_counter_kind kind)
{
    return kind == FM_COUNTER_REAL || kind == FM_COUNTER_REAL_LEVEL;
}

/** Room for a value as text. */
enum { FM_COUNTER_PLAIN = 400 };

/** Writes a value for other programs: whole numbers without groups of digits, times with
 * nanoseconds. @return text */
char *fm_counter_plain(char text[FM_COUNTER_PLAIN], enum fm_counter_kind kind, double value);

/** Words for people. */
const char *fm_counter_kind_name(enum fm_counter_kind kind);
const char *fm_counter_tier_name(enum fm_counter_tier tier);

/** Boundaries between bins: the largest small message, the largest small volume of a collective
 * operation, in bytes, and the largest small communicator, in processes. They are those of Open
 * MPI's software performance counters, and set as these are: by the parameters
 * mpi_spc_p2p_message_boundary, mpi_spc_collective_message_boundary and
 * mpi_spc_collective_comm_boundary (mpirun --mca, OMPI_MCA_...). */
enum fm_boundary {
    FM_BOUNDARY_MESSAGE,
    FM_BOUNDARY_COLLECTIVE,
    FM_BOUNDARY_COMMUNICATOR,
    FM_BOUNDARIES
};

/** @return a boundary as the environment sets it, or Open MPI's default */
uint32_t fm_counter_boundary(enum fm_boundary boundary);

/** @return the name of a bin of a counter of `kind`, in `text`; for BINS by collective operation
 * the operation.
 * @param boundary  bytes of the largest small message, of BINS by size */
const char *fm_counter_bin_name(const char *counter, enum fm_counter_kind kind, unsigned bin,
                                uint32_t boundary, char *text, size_t size);

#endif
