/* SPDX-License-Identifier: BSD-3-Clause */
// Exceptions thrown through functions whose call stacks were taken.
#include "stack_check.h"

#include <cstdio>
#include <stdexcept>
#include <string>

namespace
{

struct guard {
    ~guard()
    {
        stack_probe(true);
    } // while the exception is under way
};

__attribute__((noinline)) int thrower(int depth)
{
    guard held;
    stack_probe(true);
    if (depth == 0) {
        throw std::runtime_error("thrown");
    }
    int sum = thrower(depth - 1) + depth;
    stack_probe(true);
    return sum;
}

template <typename F> __attribute__((noinline)) int caught(F &&function)
{
    try {
        return function();
    } catch (const std::exception &error) {
        stack_probe(true);
        return static_cast<int>(std::string(error.what()).size());
    }
}

} // namespace

int main()
{
    int sum = 0;
    stack_check_begin(1000);
    for (int depth = 0; depth < 30; depth++) {
        sum += caught([depth] { return thrower(depth); });
        stack_probe(true);
    }
    std::printf("%u compared, %u failed\n", stack_compared, stack_failed);
    return stack_failed == 0 && stack_compared > 500 && sum == 180 ? 0 : 1;
}
