/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and writes of files. Each is recorded as an I/O operation with its bytes: those that the
 * status states when it ends. A collective one is a collective operation of the file's communicator
 * besides; in its two split forms (_begin and _end, or with a request) a non-blocking one. */
#include "record/mpi/objects/awaited.h"
#include "record/mpi/objects/file.h"
#include "record/mpi/objects/request.h"

/* What an access is. */
struct access {
    OTF2_IoOperationMode mode;
    bool collective;
};
#define READS          ((struct access){OTF2_IO_OPERATION_MODE_READ, false})
#define READS_JOINTLY  ((struct access){OTF2_IO_OPERATION_MODE_READ, true})
#define WRITES         ((struct access){OTF2_IO_OPERATION_MODE_WRITE, false})
#define WRITES_JOINTLY ((struct access){OTF2_IO_OPERATION_MODE_WRITE, true})

static uint64_t *put_begin(uint64_t *r, const struct fm_file *file, struct access access,
                           bool blocking, uint64_t bytes, uint64_t id)
{
    const uint32_t flags =
        (blocking ? OTF2_IO_OPERATION_FLAG_NONE : OTF2_IO_OPERATION_FLAG_NON_BLOCKING) |
        (access.collective ? OTF2_IO_OPERATION_FLAG_COLLECTIVE : OTF2_IO_OPERATION_FLAG_NONE);
    r = fm_put_sized(r, FM_RECORD_IO_BEGIN, file->handle, bytes);
    r[0] = id;
    r[1] = (uint64_t)access.mode | (uint64_t)flags << 32;
    return r + 2;
}

/* Begins a blocking access. */
static void open_access(struct fm_thread *thread, MPI_File fh, struct access access)
{
    const struct fm_file *file = access.collective ? fm_file_find(thread, fh) : NULL;
    if (file != NULL) {
        fm_open_members(thread, file->comm, -1);
    }
}

/* Ends a blocking access.
 * @param result  of the library's call */
static void record_access(struct fm_thread *thread, int result, MPI_File fh, struct access access,
                          MPI_Count count, MPI_Datatype type, const MPI_Status *status)
{
    const struct fm_file *file = result == MPI_SUCCESS ? fm_file_find(thread, fh) : NULL;
    if (file == NULL || file->handle == FM_DEFINE_NONE) {
        fm_thread_leave(thread, 0);
        fm_thread_done(thread);
        return;
    }
    const bool collective = access.collective && file->comm != FM_DEFINE_NONE;
    const uint64_t wanted = fm_type_bytes(count, type), done = fm_status_bytes(status);
    const uint64_t id = fm_thread_new_id(thread);
    uint64_t *r = fm_thread_leave(
        thread, fm_words_access_begin(wanted) + fm_words_access_end(done) +
                    (collective ? FM_WORDS_COLLECTIVE_BEGIN + FM_WORDS_COLLECTIVE_END : 0));
    if (collective) {
        r = fm_put_mark(r, FM_RECORD_COLLECTIVE_BEGIN, 0);
    }
    r = put_begin(r, file, access, true, wanted, id);
    r = fm_put_access_end(r, file->handle, done, id);
    if (collective) {
        fm_put_collective(r, OTF2_COLLECTIVE_OP_BARRIER, file->comm, OTF2_COLLECTIVE_ROOT_NONE, 0,
                          0);
    }
    fm_thread_done(thread);
}

/* Records the begin of an access that another call ends, and ends the call.
 * @return the numbers of the access and, if it is collective, of the collective operation; 0: it is
 * not recorded */
static struct fm_request record_begin(struct fm_thread *thread, const struct fm_file *file,
                                      struct access access, MPI_Count count, MPI_Datatype type)
{
    struct fm_request request = {.kind = FM_REQUEST_FILE, .active = true};
    if (file == NULL || file->handle == FM_DEFINE_NONE) {
        fm_thread_leave(thread, 0);
        return request;
    }
    const bool collective = access.collective && file->comm != FM_DEFINE_NONE;
    const uint64_t bytes = fm_type_bytes(count, type);
    request.id = fm_thread_new_id(thread);
    request.ref = file->handle;
    request.file_comm = file->comm;
    request.file_collective = collective ? fm_thread_new_id(thread) : 0;
    uint64_t *r = fm_thread_leave(thread, fm_words_access_begin(bytes) +
                                              (collective ? FM_WORDS_COLLECTIVE_REQUEST : 0));
    if (collective) {
        r = fm_put_id(r, FM_RECORD_COLLECTIVE_REQUEST, 0, request.file_collective);
    }
    put_begin(r, file, access, false, bytes, request.id);
    return request;
}

static void record_request(struct fm_thread *thread, int result, MPI_File fh, struct access access,
                           MPI_Count count, MPI_Datatype type, MPI_Request handle)
{
    const struct fm_file *file = result == MPI_SUCCESS ? fm_file_find(thread, fh) : NULL;
    const struct fm_request request = record_begin(thread, file, access, count, type);
    if (request.id != 0) {
        fm_request_add(handle, &request);
    }
    fm_thread_done(thread);
}

static void record_split(struct fm_thread *thread, int result, MPI_File fh, struct access access,
                         MPI_Count count, MPI_Datatype type)
{
    struct fm_file *file = result == MPI_SUCCESS ? fm_file_find(thread, fh) : NULL;
    const struct fm_request request = record_begin(thread, file, access, count, type);
    if (file != NULL) {
        file->split_access = request.id;
        file->split_collective = request.file_collective;
    }
    fm_thread_done(thread);
}

static void record_end(struct fm_thread *thread, int result, MPI_File fh, const MPI_Status *status)
{
    struct fm_file *file = result == MPI_SUCCESS ? fm_file_find(thread, fh) : NULL;
    fm_thread_leave(thread, 0);
    if (file != NULL && file->split_access != 0) {
        const struct fm_request request = {.id = file->split_access,
                                           .ref = file->handle,
                                           .file_comm = file->comm,
                                           .file_collective = file->split_collective};
        fm_request_complete_access(thread, &request, status);
        file->split_access = 0;
        file->split_collective = 0;
    }
    fm_thread_done(thread);
}

#define ENDS(name, buffer)                                                                         \
    int fm_##name(MPI_File fh, buffer, MPI_Status *status)                                         \
    {                                                                                              \
        struct fm_thread *thread = fm_call_enter(FM_FUNCTION_##name);                              \
        MPI_Status own, *used = thread != NULL && status == MPI_STATUS_IGNORE ? &own : status;     \
        int result = P##name(fh, buf, used);                                                       \
        if (thread != NULL) {                                                                      \
            record_end(thread, result, fh, used);                                                  \
        }                                                                                          \
        return result;                                                                             \
    }

ENDS(MPI_File_read_all_end, void *buf)
ENDS(MPI_File_read_at_all_end, void *buf)
ENDS(MPI_File_read_ordered_end, void *buf)
ENDS(MPI_File_write_all_end, const void *buf)
ENDS(MPI_File_write_at_all_end, const void *buf)
ENDS(MPI_File_write_ordered_end, const void *buf)

#define FM_COUNT int
#define FM_SUFFIX
#include "record/mpi/counted/file_access_counted.h"
#undef FM_COUNT
#undef FM_SUFFIX
#define FM_COUNT  MPI_Count
#define FM_SUFFIX _c
#include "record/mpi/counted/file_access_counted.h"
