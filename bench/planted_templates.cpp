// SPDX-License-Identifier: BSD-3-Clause
// A planted cause of waiting in C++: an instance of a template that sorts, called through
// std::for_each, has more to sort on rank 1. Nothing is marked, and nothing sleeps. Rank 0 prints
// how long the steps took.
//
// usage: planted_templates [fixed], two ranks
#include <algorithm>
#include <cstdint>
#include <cstdio>
#define OMPI_SKIP_MPICXX 1 // the C++ bindings that MPI has no more
#include <mpi.h>
#include <vector>

namespace grid
{
template <typename Value> class Field
{
  public:
    explicit Field(std::size_t size) : values(size)
    {
    }

    __attribute__((noinline)) void smooth(int turns)
    {
        for (int turn = 0; turn < turns; turn++) {
            for (std::size_t i = 1; i < values.size(); i++) {
                values[i] = (values[i] + values[i - 1]) / 2;
            }
        }
    }

    __attribute__((noinline)) void rank_values(std::size_t count)
    {
        std::uint64_t state = 1;
        std::vector<Value> sorted(count);
        for (auto &value : sorted) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            value = static_cast<Value>(state >> 40);
        }
        std::sort(sorted.begin(), sorted.end());
        values[0] = sorted[count / 2];
    }

  private:
    std::vector<Value> values;
};
} // namespace grid

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::vector<grid::Field<double>> fields(4, grid::Field<double>(4000));
    const std::size_t count = rank == 1 && argc == 1 ? 12000 : 1500;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int step = 0; step < 400; step++) {
        std::for_each(fields.begin(), fields.end(), [count](grid::Field<double> &field) {
            field.smooth(20);
            field.rank_values(count);
        });
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0) {
        std::printf("steps %.6f\n", MPI_Wtime() - begin);
    }
    MPI_Finalize();
    return 0;
}
