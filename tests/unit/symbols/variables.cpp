/* SPDX-License-Identifier: BSD-3-Clause */
// Variables of C++ whose elements and members are asked for (check_variables.py).
#include <mutex>

namespace store {
struct Base {
    long pad;
    std::mutex guard;
};
struct Table : Base {
    int size;
    std::mutex lock;
};
namespace {
Table tables[2];
}
struct Owner {
    static std::mutex all;
};
std::mutex Owner::all;
}

int main()
{
    static std::mutex inside;
    inside.lock();
    store::Owner::all.lock();
    store::tables[1].lock.lock();
    store::tables[1].guard.lock();
}
