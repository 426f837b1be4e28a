/* Collective calls on files. A file has a communicator of its own, named like the file: MPI's calls
 * on files are collective over a duplicate of the communicator that opened it, in an order of their
 * own. */
#include "record/mpi/objects/comm.h"

/* Numbers of the files' communicators by handle, increased by 1. */
enum { FILES_CACHE = 6 };
static struct fm_handle_map files = FM_HANDLE_MAP(FILES_CACHE);

/* Handles of files are pointers in all libraries. */
static uint64_t key_of(MPI_File file)
{
    return (uint64_t)(uintptr_t)file;
}

/* Ends a call that is collective on a communicator; FM_DEFINE_NONE: without an operation. */
static void record(struct fm_thread *thread, OTF2_CollectiveOp operation, uint32_t comm)
{
    if (comm != FM_DEFINE_NONE) {
        uint64_t *r = fm_thread_leave(thread, FM_WORDS_COLLECTIVE_BEGIN + FM_WORDS_COLLECTIVE_END);
        r = fm_put_mark(r, FM_RECORD_COLLECTIVE_BEGIN, 0);
        fm_put_collective(r, operation, comm, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    } else {
        fm_thread_leave(thread, 0);
    }
    fm_thread_done(thread);
}

int fm_MPI_File_open(MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_File_open);
    struct fm_thread *any = thread != NULL ? thread : fm_thread_self;
    struct fm_comm *c = any != NULL ? fm_comm_find(any, comm) : NULL;
    uint32_t count = c != NULL ? c->made++ : 0; /* equal on all members, recorded or not */
    int result = PMPI_File_open(comm, filename, amode, info, fh);
    if (result == MPI_SUCCESS && c != NULL) {
        uint32_t own = fm_comm_define_duplicate(c, count, filename);
        if (own != FM_DEFINE_NONE) {
            fm_handles_insert(&files, key_of(*fh), (void *)((uintptr_t)own + 1));
        }
    }
    if (thread != NULL) {
        record(thread, OTF2_COLLECTIVE_OP_CREATE_HANDLE,
               result == MPI_SUCCESS && c != NULL ? c->number : FM_DEFINE_NONE);
    }
    return result;
}

/* The library may reuse the handle as soon as the file is closed. */
int fm_MPI_File_close(MPI_File *fh)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_File_close);
    MPI_File handle = *fh;
    uintptr_t own = (uintptr_t)fm_handles_remove(&files, key_of(handle));
    int result = PMPI_File_close(fh);
    if (result != MPI_SUCCESS && own != 0) {
        fm_handles_insert(&files, key_of(handle), (void *)own);
    }
    if (thread != NULL) {
        record(thread, OTF2_COLLECTIVE_OP_DESTROY_HANDLE,
               result == MPI_SUCCESS && own != 0 ? (uint32_t)(own - 1) : FM_DEFINE_NONE);
    }
    return result;
}

/* Body of another call that is collective on a file. */
#define ON_FILE(name, call)                                                                        \
    {                                                                                              \
        struct fm_thread *thread = fm_call_enter(FM_FUNCTION_##name);                              \
        int result = call;                                                                         \
        if (thread != NULL) {                                                                      \
            uintptr_t own = (uintptr_t)fm_handles_search(&files, thread, key_of(fh));              \
            record(thread, OTF2_COLLECTIVE_OP_BARRIER,                                             \
                   result == MPI_SUCCESS && own != 0 ? (uint32_t)(own - 1) : FM_DEFINE_NONE);      \
        }                                                                                          \
        return result;                                                                             \
    }

int fm_MPI_File_set_view(MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype,
                         const char *datarep, MPI_Info info)
    ON_FILE(MPI_File_set_view, PMPI_File_set_view(fh, disp, etype, filetype, datarep, info))

        int fm_MPI_File_set_size(MPI_File fh, MPI_Offset size)
            ON_FILE(MPI_File_set_size, PMPI_File_set_size(fh, size))
