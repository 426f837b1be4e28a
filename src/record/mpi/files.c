/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls on files that transfer no data; file_access.c has those that do. */
#include "record/mpi/inside/pvar_objects.h"
#include "record/mpi/objects/awaited.h"
#include "record/mpi/objects/comm.h"
#include "record/mpi/objects/file.h"

#include <stdlib.h>

struct fm_handle_map fm_files = FM_HANDLE_MAP(FM_FILES_CACHE);

/* Ends a call that is collective on a communicator.
 * @param comm  FM_DEFINE_NONE: without an operation
 * @param mark  record IO_CREATE or IO_DESTROY of an I/O handle; 0: none */
static void record(struct fm_thread *thread, OTF2_CollectiveOp operation, uint32_t comm,
                   uint64_t mark)
{
    enum { MARK = FM_WORDS_IO_CREATE, COLLECTIVE = FM_WORDS_COLLECTIVE_BEGIN };
    const size_t words = (mark != 0 ? MARK : 0) +
                         (comm != FM_DEFINE_NONE ? COLLECTIVE + FM_WORDS_COLLECTIVE_END : 0);
    uint64_t *r = fm_thread_leave(thread, words);
    if (comm != FM_DEFINE_NONE) {
        r = fm_put_mark(r, FM_RECORD_COLLECTIVE_BEGIN, 0);
        r = fm_put_collective(r, operation, comm, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    }
    if (mark != 0) {
        *r = mark;
    }
    fm_thread_done(thread);
}

/* The record of a file that is opened or closed. */
static uint64_t mark_of(enum fm_record_kind kind, const struct fm_file *file, uint32_t access)
{
    return file == NULL || file->handle == FM_DEFINE_NONE
               ? 0
               : fm_record_header(kind, access, file->handle);
}

static uint32_t access_of(int amode)
{
    return (amode & MPI_MODE_RDWR) != 0     ? OTF2_IO_ACCESS_MODE_READ_WRITE
           : (amode & MPI_MODE_WRONLY) != 0 ? OTF2_IO_ACCESS_MODE_WRITE_ONLY
                                            : OTF2_IO_ACCESS_MODE_READ_ONLY;
}

/* Enters an opened file. @return NULL without memory */
static struct fm_file *add(const struct fm_comm *c, uint32_t count, const char *name,
                           MPI_File handle)
{
    struct fm_file *file = malloc(sizeof *file);
    if (file != NULL) {
        const uint32_t path = fm_session_string(name);
        const bool alone = c->size == 1 && c->remote_size == 0;
        *file =
            (struct fm_file){.comm = alone ? c->number : fm_comm_define_duplicate(c, count, name),
                             .handle = FM_DEFINE_NONE};
        if (path != FM_DEFINE_NONE) {
            const uint32_t words[FM_IO_HANDLE_WORDS] = {
                [FM_IO_HANDLE_FILE] = fm_session_define(FM_DEFINE_IO_FILE, &path, 1),
                [FM_IO_HANDLE_COMM] = file->comm};
            file->handle = words[FM_IO_HANDLE_FILE] == FM_DEFINE_NONE
                               ? FM_DEFINE_NONE
                               : fm_session_define(FM_DEFINE_IO_HANDLE, words, FM_IO_HANDLE_WORDS);
        }
        fm_handles_insert(&fm_files, fm_file_key(handle), file);
    }
    return file;
}

int fm_MPI_File_open(MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_File_open);
    struct fm_thread *any = thread != NULL ? thread : fm_thread_self;
    struct fm_comm *c = any != NULL ? fm_comm_find(any, comm) : NULL;
    uint32_t count = c != NULL ? c->made++ : 0; /* equal on all members, recorded or not */
    if (thread != NULL) {
        fm_open_collective(thread, c, -1);
    }
    int result = PMPI_File_open(comm, filename, amode, info, fh);
    if (result != MPI_SUCCESS) {
        c = NULL;
    }
    const struct fm_file *file = c != NULL ? add(c, count, filename, *fh) : NULL;
    if (result == MPI_SUCCESS) {
        fm_pvar_object_begins(MPI_T_BIND_MPI_FILE, fh);
    }
    if (thread != NULL) {
        record(thread, OTF2_COLLECTIVE_OP_CREATE_HANDLE, c != NULL ? c->number : FM_DEFINE_NONE,
               mark_of(FM_RECORD_IO_CREATE, file, access_of(amode)));
    }
    return result;
}

/* The library may reuse the handle as soon as the file is closed. */
int fm_MPI_File_close(MPI_File *fh)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_File_close);
    MPI_File handle = *fh;
    struct fm_file *file = fm_handles_remove(&fm_files, fm_file_key(handle));
    fm_pvar_object_ends(MPI_T_BIND_MPI_FILE, fh);
    if (thread != NULL && file != NULL) {
        fm_open_members(thread, file->comm, -1);
    }
    int result = PMPI_File_close(fh);
    if (result != MPI_SUCCESS) {
        fm_pvar_object_begins(MPI_T_BIND_MPI_FILE, &handle);
    }
    const bool closed = result == MPI_SUCCESS && file != NULL;
    if (!closed && file != NULL) {
        fm_handles_insert(&fm_files, fm_file_key(handle), file);
    }
    if (thread != NULL) {
        record(thread, OTF2_COLLECTIVE_OP_DESTROY_HANDLE, closed ? file->comm : FM_DEFINE_NONE,
               closed ? mark_of(FM_RECORD_IO_DESTROY, file, 0) : 0);
    }
    if (closed) {
        free(file);
    }
    return result;
}

/* Defines the wrapper of another call that is collective on a file.
 * @param parameters  (declarations) after the file
 * @param arguments   (the file and their names) */
#define ON_FILE(name, parameters, arguments)                                                       \
    int fm_##name(MPI_File fh, FM_UNPACK parameters)                                               \
    {                                                                                              \
        struct fm_thread *thread = fm_call_enter(FM_FUNCTION_##name);                              \
        open_on_file(thread, fh);                                                                  \
        int result = P##name arguments;                                                            \
        end_on_file(thread, result, fh);                                                           \
        return result;                                                                             \
    }

static void open_on_file(struct fm_thread *thread, MPI_File fh)
{
    const struct fm_file *file = thread != NULL ? fm_file_find(thread, fh) : NULL;
    if (file != NULL) {
        fm_open_members(thread, file->comm, -1);
    }
}

static void end_on_file(struct fm_thread *thread, int result, MPI_File fh)
{
    if (thread != NULL) {
        const struct fm_file *file = fm_file_find(thread, fh);
        record(thread, OTF2_COLLECTIVE_OP_BARRIER,
               result == MPI_SUCCESS && file != NULL ? file->comm : FM_DEFINE_NONE, 0);
    }
}

ON_FILE(MPI_File_set_view,
        (MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char *datarep,
         MPI_Info info),
        (fh, disp, etype, filetype, datarep, info))
ON_FILE(MPI_File_set_size, (MPI_Offset size), (fh, size))
ON_FILE(MPI_File_preallocate, (MPI_Offset size), (fh, size))
ON_FILE(MPI_File_set_atomicity, (int flag), (fh, flag))
ON_FILE(MPI_File_set_info, (MPI_Info info), (fh, info))
ON_FILE(MPI_File_seek_shared, (MPI_Offset offset, int whence), (fh, offset, whence))

int fm_MPI_File_sync(MPI_File fh)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_File_sync);
    open_on_file(thread, fh);
    int result = PMPI_File_sync(fh);
    end_on_file(thread, result, fh);
    return result;
}
