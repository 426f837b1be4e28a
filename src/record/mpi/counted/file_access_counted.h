/* SPDX-License-Identifier: BSD-3-Clause */
/* The wrappers of one form (wrap.h) of the reads and writes of files. Each pattern has a variant
 * for functions with an offset. */

#define FM_AT_POSITION(parameters) (MPI_File fh, FM_UNPACK parameters)
#define FM_AT_OFFSET(parameters)   (MPI_File fh, MPI_Offset offset, FM_UNPACK parameters)

#undef BLOCKING
#define BLOCKING(name, access, buffer, parameters, ...)                                            \
    int FM_FORM(fm_, MPI_File_##name)                                                              \
        parameters((buffer, FM_COUNT count, MPI_Datatype datatype, MPI_Status * status))           \
    {                                                                                              \
        struct fm_thread *thread = fm_call_enter(FM_FORM(FM_FUNCTION_, MPI_File_##name));          \
        MPI_Status own, *used = thread != NULL && status == MPI_STATUS_IGNORE ? &own : status;     \
        if (thread != NULL) {                                                                      \
            open_access(thread, fh, access);                                                       \
        }                                                                                          \
        int result = FM_FORM(P, MPI_File_##name)(__VA_ARGS__, buf, count, datatype, used);         \
        if (thread != NULL) {                                                                      \
            record_access(thread, result, fh, access, count, datatype, used);                      \
        }                                                                                          \
        return result;                                                                             \
    }

#undef REQUESTED
#define REQUESTED(name, access, buffer, parameters, ...)                                           \
    int FM_FORM(fm_, MPI_File_##name)                                                              \
        parameters((buffer, FM_COUNT count, MPI_Datatype datatype, MPI_Request * request))         \
    {                                                                                              \
        struct fm_thread *thread = fm_call_enter(FM_FORM(FM_FUNCTION_, MPI_File_##name));          \
        int result = FM_FORM(P, MPI_File_##name)(__VA_ARGS__, buf, count, datatype, request);      \
        if (thread != NULL) {                                                                      \
            record_request(thread, result, fh, access, count, datatype, *request);                 \
        }                                                                                          \
        return result;                                                                             \
    }

#undef SPLIT
#define SPLIT(name, access, buffer, parameters, ...)                                               \
    int FM_FORM(fm_, MPI_File_##name) parameters((buffer, FM_COUNT count, MPI_Datatype datatype))  \
    {                                                                                              \
        struct fm_thread *thread = fm_call_enter(FM_FORM(FM_FUNCTION_, MPI_File_##name));          \
        int result = FM_FORM(P, MPI_File_##name)(__VA_ARGS__, buf, count, datatype);               \
        if (thread != NULL) {                                                                      \
            record_split(thread, result, fh, access, count, datatype);                             \
        }                                                                                          \
        return result;                                                                             \
    }

#undef READ
#define READ void *buf
#undef WRITE
#define WRITE const void *buf

BLOCKING(read, READS, READ, FM_AT_POSITION, fh)
BLOCKING(read_at, READS, READ, FM_AT_OFFSET, fh, offset)
BLOCKING(read_shared, READS, READ, FM_AT_POSITION, fh)
BLOCKING(write, WRITES, WRITE, FM_AT_POSITION, fh)
BLOCKING(write_at, WRITES, WRITE, FM_AT_OFFSET, fh, offset)
BLOCKING(write_shared, WRITES, WRITE, FM_AT_POSITION, fh)
BLOCKING(read_all, READS_JOINTLY, READ, FM_AT_POSITION, fh)
BLOCKING(read_at_all, READS_JOINTLY, READ, FM_AT_OFFSET, fh, offset)
BLOCKING(read_ordered, READS_JOINTLY, READ, FM_AT_POSITION, fh)
BLOCKING(write_all, WRITES_JOINTLY, WRITE, FM_AT_POSITION, fh)
BLOCKING(write_at_all, WRITES_JOINTLY, WRITE, FM_AT_OFFSET, fh, offset)
BLOCKING(write_ordered, WRITES_JOINTLY, WRITE, FM_AT_POSITION, fh)

REQUESTED(iread, READS, READ, FM_AT_POSITION, fh)
REQUESTED(iread_at, READS, READ, FM_AT_OFFSET, fh, offset)
REQUESTED(iread_shared, READS, READ, FM_AT_POSITION, fh)
REQUESTED(iwrite, WRITES, WRITE, FM_AT_POSITION, fh)
REQUESTED(iwrite_at, WRITES, WRITE, FM_AT_OFFSET, fh, offset)
REQUESTED(iwrite_shared, WRITES, WRITE, FM_AT_POSITION, fh)
REQUESTED(iread_all, READS_JOINTLY, READ, FM_AT_POSITION, fh)
REQUESTED(iread_at_all, READS_JOINTLY, READ, FM_AT_OFFSET, fh, offset)
REQUESTED(iwrite_all, WRITES_JOINTLY, WRITE, FM_AT_POSITION, fh)
REQUESTED(iwrite_at_all, WRITES_JOINTLY, WRITE, FM_AT_OFFSET, fh, offset)

SPLIT(read_all_begin, READS_JOINTLY, READ, FM_AT_POSITION, fh)
SPLIT(read_at_all_begin, READS_JOINTLY, READ, FM_AT_OFFSET, fh, offset)
SPLIT(read_ordered_begin, READS_JOINTLY, READ, FM_AT_POSITION, fh)
SPLIT(write_all_begin, WRITES_JOINTLY, WRITE, FM_AT_POSITION, fh)
SPLIT(write_at_all_begin, WRITES_JOINTLY, WRITE, FM_AT_OFFSET, fh, offset)
SPLIT(write_ordered_begin, WRITES_JOINTLY, WRITE, FM_AT_POSITION, fh)

#undef FM_AT_POSITION
#undef FM_AT_OFFSET
