/* SPDX-License-Identifier: BSD-3-Clause */
// Leaves MPI calls without returning from them: by C++ exceptions that an error handler of MPI
// throws, and by longjmp() out of a reduction operation. Each rank prints how often it has called
// each function outside of other MPI calls.
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <map>
#include <mpi.h>
#include <stdexcept>
#include <string>

namespace {

enum { ROUNDS = 5, ELEMENTS = 4 };

std::map<std::string, int> calls;
MPI_Comm failing;
MPI_Op jumping, nesting;
jmp_buf place;
bool is_jumping;

int counted(const char *name, int result)
{
    calls[name]++;
    return result;
}

void throw_exception(MPI_Comm *, int *, ...)
{
    throw std::runtime_error("MPI failed");
}

void jump(void *, void *, int *, MPI_Datatype *)
{
    if (is_jumping) {
        longjmp(place, 1);
    }
}

// Calls MPI inside an MPI call: such calls are not recorded.
void call_inside(void *, void *, int *, MPI_Datatype *type)
{
    int size;
    MPI_Type_size(*type, &size);
}

void reduce(MPI_Op op)
{
    int in[ELEMENTS] = {0}, out[ELEMENTS] = {0};
    calls["MPI_Reduce_local"]++;
    MPI_Reduce_local(in, out, ELEMENTS, MPI_INT, op);
}

void throw_in_send()
{
    int value = 0;
    try {
        calls["MPI_Send"]++;
        MPI_Send(&value, 1, MPI_INT, 1 << 20, 0, failing); // no such rank
        std::printf("no exception\n");
    } catch (const std::runtime_error &) {
    }
}

__attribute__((noinline)) void jump_out(int depth)
{
    volatile char frame[64 * 8];
    std::memset(const_cast<char *>(frame), depth, sizeof frame);
    if (depth > 0) {
        jump_out(depth - 1);
    } else {
        is_jumping = true;
        reduce(jumping);
    }
    frame[0] = frame[1];
}

void jump_from(int depth)
{
    if (setjmp(place) == 0) {
        jump_out(depth);
    }
    is_jumping = false;
}

__attribute__((noinline)) void synchronize_below(int depth)
{
    volatile char frame[64 * 8];
    std::memset(const_cast<char *>(frame), depth, sizeof frame);
    if (depth > 0) {
        synchronize_below(depth - 1);
    } else {
        counted("MPI_Barrier", MPI_Barrier(MPI_COMM_WORLD));
    }
    frame[0] = frame[1];
}

} // namespace

int main(int argc, char **argv)
{
    int rank;
    MPI_Errhandler handler;
    counted("MPI_Init", MPI_Init(&argc, &argv));
    counted("MPI_Comm_rank", MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    counted("MPI_Comm_dup", MPI_Comm_dup(MPI_COMM_SELF, &failing));
    counted("MPI_Comm_create_errhandler", MPI_Comm_create_errhandler(throw_exception, &handler));
    counted("MPI_Comm_set_errhandler", MPI_Comm_set_errhandler(failing, handler));
    counted("MPI_Op_create", MPI_Op_create(jump, 1, &jumping));
    counted("MPI_Op_create", MPI_Op_create(call_inside, 1, &nesting));
    for (int i = 0; i < ROUNDS; i++) {
        throw_in_send();
        throw_in_send(); // at the same place of the stack
        counted("MPI_Barrier", MPI_Barrier(MPI_COMM_WORLD));
        jump_from(0);
        synchronize_below(10); // deeper than the call that was left
        jump_from(10);
        counted("MPI_Barrier", MPI_Barrier(MPI_COMM_WORLD)); // less deep
        reduce(nesting);
        reduce(jumping);
        throw_in_send();
        reduce(nesting);
    }
    throw_in_send();
    throw_in_send(); // the next event is MPI_Finalize
    calls["MPI_Finalize"]++;
    for (const auto &entry : calls) {
        std::printf("rank %d: %s %d\n", rank, entry.first.c_str(), entry.second);
    }
    MPI_Finalize();
    return 0;
}
