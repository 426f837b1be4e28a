/* SPDX-License-Identifier: BSD-3-Clause */
/* One family of accesses to a file for each name: in every round one rank is late by DELAY, in the
 * function `be_late` or in a write of its own, while the others wait for it in a collective access.
 */
#include <mpi.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { ITEMS = 64, ROUNDS = 3, DELAY = 200 /* ms */, LATE = 2 };
#define LATE_CALL() MPI_Wtime()
#include "late.h"

static int rank, size, slow, data[ITEMS];
static MPI_File file;

static void late(void)
{
    if (rank == LATE) {
        be_late();
    }
}

/* The C library's functions by which MPI libraries write: the next one is slow if `slow` is set. */
static void write_slowly(void)
{
    if (slow != 0) {
        slow = 0;
        be_late();
    }
}

ssize_t pwrite(int fd, const void *buffer, size_t bytes, off_t offset)
{
    write_slowly();
    return syscall(SYS_pwrite64, fd, buffer, bytes, offset);
}

ssize_t pwrite64(int fd, const void *buffer, size_t bytes, off_t offset)
{
    return pwrite(fd, buffer, bytes, offset);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset)
{
    write_slowly();
    return syscall(SYS_pwritev, fd, parts, (long)count, offset, 0L);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t offset)
{
    return pwritev(fd, parts, count, offset);
}

ssize_t write(int fd, const void *buffer, size_t bytes)
{
    write_slowly();
    return syscall(SYS_write, fd, buffer, bytes);
}

static void write_all(void)
{
    late();
    MPI_File_write_all(file, data, ITEMS, MPI_INT, MPI_STATUS_IGNORE);
}

static void read_at_all(void)
{
    late();
    MPI_File_read_at_all(file, 0, data, ITEMS, MPI_INT, MPI_STATUS_IGNORE);
}

static void ordered(void)
{
    late();
    MPI_File_write_ordered(file, data, ITEMS, MPI_INT, MPI_STATUS_IGNORE);
}

static void split(void)
{
    late();
    MPI_File_write_all_begin(file, data, ITEMS, MPI_INT);
    MPI_File_write_all_end(file, data, MPI_STATUS_IGNORE);
}

static void requested(void)
{
    MPI_Request request;
    late();
    MPI_File_iwrite_all(file, data, ITEMS, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Late in an individual write. */
static void individual(void)
{
    slow = rank == LATE;
    if (rank == LATE) {
        MPI_File_write_at(file, 0, data, ITEMS, MPI_INT, MPI_STATUS_IGNORE);
    }
    slow = 0;
    MPI_File_write_all(file, data, ITEMS, MPI_INT, MPI_STATUS_IGNORE);
}

/* The items of the ranks alternate in the file, so that their accesses depend on each other. */
static void open_file(const char *path)
{
    MPI_Datatype alternating;
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)sizeof(int) * size, &alternating);
    MPI_Type_commit(&alternating);
    MPI_File_set_view(file, (MPI_Offset)sizeof(int) * rank, MPI_INT, alternating, "native",
                      MPI_INFO_NULL);
    MPI_Type_free(&alternating);
    MPI_File_write_at_all(file, 0, data, ITEMS, MPI_INT, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } families[] = {
        {"write_all", write_all}, {"read_at_all", read_at_all}, {"ordered", ordered},
        {"split", split},         {"requested", requested},     {"individual", individual},
    };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    open_file(argc > 2 ? argv[2] : "accesses.dat");
    for (size_t i = 0; argc > 1 && i < sizeof families / sizeof families[0]; i++) {
        if (strcmp(families[i].name, argv[1]) == 0) {
            for (int round = 0; round < ROUNDS; round++) {
                MPI_Barrier(MPI_COMM_WORLD);
                families[i].run();
            }
        }
    }
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
