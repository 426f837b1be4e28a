/** @file
 * Matching of messages: per (communicator, source, tag) the oldest send belongs to the receive that
 * was posted first. Sends and receives while recording was paused count in that order.
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

/** A send on its way to its destination; or a gap: `enter` sends in a row, `start` is FM_NONE. */
struct fm_sent {
    uint64_t enter;          /**< of the call that started it */
    uint64_t complete_enter; /**< window of the call that completed it */
    uint64_t complete_leave;
    uint32_t source; /**< process */
    uint32_t communicator;
    uint32_t tag;
    uint32_t location;
    uint32_t start;
    uint32_t complete_location;
    uint32_t complete;
    uint32_t bytes;      /**< UINT32_MAX: that or more */
    uint8_t never_waits; /**< for its receiver: it is buffered, or where it would wait is not
                              known */
    uint8_t completed;   /**< fm_send_completion_t */
};

/** A receive, and what has come for it: all that a send looks at, which is seldom in a cache. */
struct fm_arrival {
    uint64_t posted;   /**< Enter of the call that posted it; UINT64_MAX: not known */
    uint64_t sent;     /**< Enter of the call that started the send */
    uint32_t location; /**< that sent it; FM_NONE: nothing has come */
    uint32_t start;    /**< its call */
    uint32_t late;     /**< in `late_receivers`; FM_NONE: the sender did not wait */
    uint32_t stream;
    uint32_t next; /**< receive of the same stream; FM_NONE: none yet */
};

/** The sender's call that waits for the receiver, if the receive was posted late. */
struct fm_late_receiver {
    uint32_t location;
    uint32_t complete;
    uint32_t bytes;
    uint8_t completed; /**< fm_send_completion_t */
    uint64_t lateness; /**< ticks from Enter of `complete` to that of the call that posted */
};

/** Receives of one (communicator, source, tag). */
struct fm_stream {
    uint32_t communicator;
    uint32_t source; /**< process */
    uint32_t tag;
    uint32_t first; /**< the first one without a send; FM_NONE: there is none */
    uint32_t last;
    uint64_t sent;     /**< sends that have come, gaps included */
    uint64_t received; /**< receives, gaps included */
};

/** The receives of one process, in the order in which they were posted. */
struct fm_receiver {
    uint32_t count;
    struct fm_record_ref *records; /**< NULL: rows of the process's only location, in their order */
    uint32_t first_location;
    uint64_t
        *ordinals; /**< by receive: how many of its stream lie before it; NULL: no gaps exist */
    struct fm_arrival *arrivals; /**< by receive */
    FM_VECTOR(struct fm_late_receiver) late_receivers;
    FM_VECTOR(struct fm_stream) streams;
    struct fm_map stream_of_source; /**< (communicator, source) -> number */
    struct fm_map stream_of_tag;    /**< (number, tag) -> position in `streams` */
    uint32_t *recent;               /**< positions in `streams`; may be those of others */
    uint32_t recent_count;          /**< a power of two */
    uint64_t unmatched_sends, unmatched_receives;
    uint64_t cut_off; /**< sends and receives whose other side happened unrecorded */
};

/** Lists the receives of a process that were completed.
 * @param gaps  for what the process did unrecorded; NULL: no process has gaps */
void fm_receiver_open(struct fm_receiver *receiver, const struct fm_trace *trace, uint32_t process,
                      struct fm_gaps *gaps);

/** No more sends come: separates receives of unrecorded sends from receives without a send. */
void fm_receiver_finish(struct fm_receiver *receiver);

/** Frees what belongs to it. */
void fm_receiver_close(struct fm_receiver *receiver);

/** @return the record behind a receive. */
static inline struct fm_record_ref fm_receiver_record(const struct fm_receiver *receiver,
                                                      uint32_t receive)
{
    return receiver->records == NULL ? (struct fm_record_ref){receiver->first_location, receive}
                                     : receiver->records[receive];
}

/** Gives a send to the receive that it belongs to. Those of one source must come in the order in
 * which they were sent.
 * @return the receive; NULL: there is none */
const struct fm_arrival *fm_receiver_take(struct fm_receiver *receiver, const struct fm_sent *sent);

#endif
