/* SPDX-License-Identifier: BSD-3-Clause */
// Calls of MPI from C++: methods, templates, a namespace without a name.
#define OMPI_SKIP_MPICXX  1 // MPI's former C++ bindings are not what this is about
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <fermata/fermata.h>

#include <functional>

#define NOINLINE __attribute__((noinline))

namespace solver
{

class grid
{
  public:
    NOINLINE grid()
    {
        FERMATA_BEGIN("grid"); // names the function that it is in
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
        FERMATA_END("grid");
    }

    template <typename T> NOINLINE T norm(T value) const
    {
        T sum = 0;
        MPI_Allreduce(&value, &sum, sizeof(T), MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
        return sum + static_cast<T>(size_);
    }

  private:
    int size_ = 0;
};

} // namespace solver

namespace
{

NOINLINE int synchronize(const solver::grid &)
{
    return MPI_Barrier(MPI_COMM_WORLD) + 1;
}

// The functions between this one and the lambda function belong to the standard library.
NOINLINE int call(const std::function<int()> &function)
{
    return function() + 1;
}

} // namespace

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    solver::grid grid;
    double sum = grid.norm(1.0) + grid.norm(2);
    int result = synchronize(grid), rank = 0;
    result += call([&rank] { return MPI_Comm_rank(MPI_COMM_WORLD, &rank) + 1; }) - 2;
    MPI_Finalize();
    return result + (sum < 0) - 1;
}
