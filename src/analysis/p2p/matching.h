/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Matching of messages: for each (communicator, source, tag), the oldest send matches the receive
 * that was posted first. Partitioned messages match by their operation and start instead. Sends and
 * receives during a pause of the recording count in that order.
 */
#ifndef FERMATA_ANALYSIS_P2P_MATCHING_H
#define FERMATA_ANALYSIS_P2P_MATCHING_H

#include "analysis/model/gaps.h"
#include "analysis/model/record_merge.h"
#include "analysis/model/run.h"
#include "base/containers/map.h"

/** What else the call that completes a send completes. */
typedef enum {
    FM_SEND_ALONE,         /**< nothing: it shows whether sends of this size wait */
    FM_SEND_AMONG_OTHERS,  /**< no receive; or the send is synchronous and waits anyway */
    FM_SEND_AMONG_RECEIVES /**< maybe the call waits for these only */
} fm_send_completion_t;

/** A send, transferred to its destination; or a gap: then `start` is FM_NONE and `enter` is the
 * number of consecutive unrecorded sends. */
struct fm_sent {
    uint64_t enter;          /**< Enter of the call that started the send */
    uint64_t complete_enter; /**< begin of the activity that completed it: its Enter, or that of the
                                  polling loop that it ends */
    uint64_t complete_leave;
    uint32_t source; /**< process */
    uint32_t communicator;
    uint32_t tag;
    uint32_t location;
    uint32_t start;
    uint32_t row_location; /**< whose record it is; of a partitioned message not always `location`,
                                which made its last partition ready */
    uint32_t row;          /**< of that location's sends */
    uint32_t complete_location;
    uint32_t complete;
    uint32_t bytes;       /**< UINT32_MAX: that or more */
    uint64_t partitioned; /**< operation of struct fm_partitioned_message; 0: none */
    uint8_t
        never_waits;     /**< nothing that is known waits for the receiver: the completing call was
                              not recorded, or the send is buffered and no call flushes the buffer */
    uint8_t is_buffered; /**< `complete` is the call that flushes the buffer */
    uint8_t completed;   /**< fm_send_completion_t */
    uint8_t is_buffered_send;
    uint8_t only_starts;  /**< the call that started the send does not complete it */
    uint8_t is_alone;     /**< that call completes it, and nothing else */
    uint8_t is_polled;    /**< the call that completed it ends a polling loop */
    uint64_t start_leave; /**< Leave of it */
};

/** What a receiver keeps of the calls of a send for the needs for progress. */
struct fm_send_end {
    uint64_t start_leave;                    /**< Leave of the call that started the send */
    uint64_t complete_enter, complete_leave; /**< of a polling loop, the process is in no call for
                                                  all of the time between: both are its end */
    struct fm_call_ref complete;
    uint32_t bytes;
    bool is_completed;          /**< the call that completed it is known */
    bool only_starts, is_alone; /**< as in struct fm_sent */
    bool is_buffered;           /**< the send */
};

/** A receive and the send that matches it. Contains all fields that matching a send accesses,
 * because the access usually misses the caches. */
struct fm_arrival {
    uint64_t posted;            /**< Enter of the call that posted it; UINT64_MAX: not known */
    uint64_t sent;              /**< Enter of the call that started the send */
    uint64_t delivered;         /**< Leave of the call that completed it; UINT64_MAX: not known, or
                                     the send is buffered or partitioned */
    uint32_t location;          /**< of the send; FM_NONE: no send has matched */
    uint32_t start;             /**< call that started the send */
    uint32_t row_location, row; /**< the send's record, as in struct fm_sent */
    uint32_t late; /**< position in `late_receivers`; FM_NONE: the sender did not wait */
    uint32_t stream;
    uint32_t next; /**< next receive of the same stream; FM_NONE: none yet */
};

/** The sender's call that waits for the receiver, if the receive was posted late. */
struct fm_late_receiver {
    uint32_t location;
    uint32_t complete;
    uint32_t bytes;
    uint8_t completed; /**< fm_send_completion_t */
    uint64_t lateness; /**< ticks from Enter of `complete` to that of the call that posted */
};

/** The receives of one (communicator, source, tag). */
struct fm_stream {
    uint32_t communicator;
    uint32_t source; /**< process */
    uint32_t tag;
    uint64_t partitioned; /**< as of struct fm_sent: of one message */
    uint32_t first;       /**< first receive without a send; FM_NONE: none */
    uint32_t last;
    uint64_t sent;     /**< number of sends so far, gaps included */
    uint64_t received; /**< number of receives, gaps included */
};

/** The receives of one process, in the order in which they were posted. */
struct fm_receiver {
    uint32_t count;
    struct fm_record_ref *records; /**< NULL: rows of the process's only location, in their order */
    uint32_t first_location;
    uint64_t *ordinals; /**< by receive: number of receives before it in its stream; NULL: the run
                           has no gaps */
    struct fm_arrival *arrivals; /**< by receive */
    struct fm_send_end *ends;    /**< by receive: of the send that matches it; NULL: not wanted */
    FM_VECTOR(struct fm_late_receiver) late_receivers;
    FM_VECTOR(struct fm_stream) streams;
    FM_VECTOR(struct fm_arrival)
    unreceived;                     /**< sends without a receive, in the order of each
                                         stream; only if there are probes */
    bool has_probes;                /**< that tell what they have found */
    struct fm_map stream_of_source; /**< (communicator, source) -> number */
    struct fm_map stream_of_tag;    /**< (number, tag) -> position in `streams` */
    struct fm_map partitioned[3]; /**< (number, tag) -> number; (this, operation) -> number; (this,
                                       start) -> position in `streams` */
    uint32_t *recent;             /**< positions in `streams` by a hash; may be of other streams */
    uint32_t recent_count;        /**< a power of two */
    uint64_t unmatched_sends, unmatched_receives;
    uint64_t cut_off; /**< sends and receives whose other side was not recorded */
};

/** Lists the completed receives of a process.
 * @param gaps  memory for the gaps of the process; NULL: no process has gaps
 * @param keeps_ends  `ends` are wanted */
void fm_receiver_open(struct fm_receiver *receiver, const struct fm_trace *trace, uint32_t process,
                      struct fm_gaps *gaps, bool keeps_ends);

/** After the last send: separates receives of unrecorded sends from receives without a send. */
void fm_receiver_finish(struct fm_receiver *receiver);

/** Frees the tables of the receiver. */
void fm_receiver_close(struct fm_receiver *receiver);

/** @return the position of the stream of messages that are not partitioned; FM_NONE: it has neither
 * sends nor receives. */
uint32_t fm_receiver_stream(const struct fm_receiver *receiver, uint32_t communicator,
                            uint32_t source, uint32_t tag);

/** @return the record of a receive. */
static inline struct fm_record_ref fm_receiver_record(const struct fm_receiver *receiver,
                                                      uint32_t receive)
{
    return receiver->records == NULL ? (struct fm_record_ref){receiver->first_location, receive}
                                     : receiver->records[receive];
}

/** Matches a send with its receive. The sends of one source must be passed in the order in which
 * they were sent.
 * @return the receive; NULL: there is none */
const struct fm_arrival *fm_receiver_take(struct fm_receiver *receiver, const struct fm_sent *sent);

#endif
