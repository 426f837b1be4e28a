/* SPDX-License-Identifier: BSD-3-Clause */
/* Instrumented C++: classes, templates, exceptions that leave functions, functions inlined into
 * others, recursion, and library code that is not to be seen. */
#include <mpi.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace solver {

static volatile double sink;

class Grid {
  public:
    explicit Grid(int size);
    void exchange(int partner);
    template <typename Value> void add(Value value);

  private:
    std::vector<double> values;
};

Grid::Grid(int size) : values(static_cast<std::size_t>(size), 1.0) {}

template <typename Value> __attribute__((noinline)) void Grid::add(Value value)
{
    for (double &item : values) {
        item += static_cast<double>(value);
    }
    std::sort(values.begin(), values.end());
    sink = values[0];
}

__attribute__((noinline)) void Grid::exchange(int partner)
{
    double received = 0;
    MPI_Sendrecv(values.data(), 1, MPI_DOUBLE, partner, 0, &received, 1, MPI_DOUBLE, partner, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sink = received;
}

__attribute__((noinline)) static void refuse(int depth)
{
    if (depth > 0) {
        refuse(depth - 1);
        sink = depth;
        return;
    }
    throw std::runtime_error("refused");
}

__attribute__((noinline)) static bool attempt(int depth)
{
    try {
        refuse(depth);
    } catch (const std::exception &) {
        return false;
    }
    return true;
}

} // namespace solver

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    solver::Grid grid(16);
    for (int i = 0; i < 3; i++) {
        grid.add(i);
        grid.add(0.5f);
        if (!solver::attempt(2)) {
            grid.exchange(rank ^ 1);
        }
    }
    MPI_Finalize();
    return 0;
}
