/* SPDX-License-Identifier: BSD-3-Clause */
// Tasks and reductions with objects that have constructors and destructors; exceptions inside a region.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace shop {
struct Item {
    std::string name;
    explicit Item(const char *text) : name(text) {}
};

static long count(const std::vector<Item> &items)
{
    long letters = 0;
#pragma omp parallel num_threads(2) shared(letters) // LINE parallel
    {
#pragma omp single
        for (const Item &item : items) {
            Item own = item;
#pragma omp task firstprivate(own) shared(letters) // LINE task
            {
                try {
                    if (own.name.size() > 3) {
                        throw std::runtime_error(own.name);
                    }
                } catch (const std::runtime_error &error) {
#pragma omp critical(letters) // LINE critical
                    letters += static_cast<long>(std::string(error.what()).size());
                }
            }
        }
    }
    return letters;
}
}

int main()
{
    std::vector<shop::Item> items{shop::Item("screw"), shop::Item("nut"), shop::Item("a rather long bolt")};
    std::printf("%ld\n", shop::count(items));
    return 0;
}
