/** @file
 * Requests of the program. The library may give out one handle for several requests at once (for
 * those that are complete from the start), and recycles handles: a table maps each handle to a
 * queue of requests, oldest first. A completing call claims its requests before it asks the
 * library, so that a recycled handle of another thread never meets them.
 */
#ifndef FERMATA_RECORD_MPI_REQUEST_H
#define FERMATA_RECORD_MPI_REQUEST_H

#include "record/mpi/comm.h"
#include "record/mpi/wrap.h"

enum fm_request_kind {
    FM_REQUEST_SILENT, /**< nothing to record, e.g. a message to MPI_PROC_NULL */
    FM_REQUEST_SEND,
    FM_REQUEST_RECEIVE,
    FM_REQUEST_COLLECTIVE,
    FM_REQUEST_COMM, /**< MPI_Comm_idup */
    FM_REQUEST_RMA
};

/** A live request. */
struct fm_request {
    struct fm_request *next;
    uint64_t handle;
    uint64_t id; /**< of the operation's records */
    enum fm_request_kind kind;
    bool persistent;
    bool active;  /**< started and not yet completed */
    uint32_t ref; /**< communicator or window */
    union {
        struct { /* persistent SEND: what every start records */
            int peer, tag;
            uint64_t bytes;
        };
        struct { /* COLLECTIVE */
            uint32_t operation, root;
            uint64_t sent, received;
        };
        struct { /* COMM: where the handle will be */
            MPI_Comm *comm;
            struct fm_comm *parent; /**< a copy, for it may be freed meanwhile; to be freed */
            uint32_t count;
        };
        bool fetches; /* RMA: a get, remotely complete when it is locally */
    };
};

/** Enters a request as the youngest of a handle; `next` and `handle` of the prototype do not count.
 * Other threads may claim it at once. @return false without memory. Amortized O(1). */
bool fm_request_add(MPI_Request handle, const struct fm_request *prototype);

/** Takes the oldest request of a handle out of the table; NULL if there is none. O(1). */
struct fm_request *fm_request_claim(MPI_Request handle);

/** Puts a claimed request back as the oldest of its handle. O(1). */
void fm_request_return(struct fm_request *request);

/** Forgets a claimed request. O(1). */
void fm_request_release(struct fm_request *request);

/** Records that a claimed request completed, and forgets it, or puts a persistent one back. To be
 * called between fm_thread_leave and fm_thread_done. */
void fm_request_complete(struct fm_thread *thread, struct fm_request *request,
                         const MPI_Status *status);

/** Records that a claimed request was tested in vain, and puts it back. */
void fm_request_failed_test(struct fm_thread *thread, struct fm_request *request);

#endif
