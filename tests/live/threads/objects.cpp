/* SPDX-License-Identifier: BSD-3-Clause */
// A thread that waits and one that computes for 4 ms once the other one sleeps, and then awakens it,
// several times, by what the first argument names: condition, c11, barrier, semaphore, once; of C++: cxx (std::mutex and
// std::condition_variable), semaphore20, latch, atomic.
#include "asleep.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <latch>
#include <mutex>
#include <pthread.h>
#include <semaphore>
#include <semaphore.h>
#include <thread>
#include <threads.h>
#include <vector>

namespace {

constexpr int rounds = 4;
volatile double sink;

[[gnu::noinline]] void compute(double seconds)
{
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end) {
        sink = sink + 1;
    }
}

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
pthread_barrier_t barrier;
sem_t semaphore;
mtx_t c11_mutex;
cnd_t c11_condition;
std::mutex cxx_mutex;
std::condition_variable cxx_condition;
std::counting_semaphore<16> cxx_semaphore{0};
std::atomic<int> atomic{0};
std::atomic<int> ready{0}; // rounds that the waiting thread has begun
int arrived;
bool initialized;

void wait_for_condition(int round)
{
    pthread_mutex_lock(&mutex);
    while (arrived <= round) {
        pthread_cond_wait(&condition, &mutex);
    }
    pthread_mutex_unlock(&mutex);
}

void signal_condition(int round)
{
    pthread_mutex_lock(&mutex);
    arrived = round + 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
}

void wait_for_c11(int round)
{
    mtx_lock(&c11_mutex);
    while (arrived <= round) {
        cnd_wait(&c11_condition, &c11_mutex);
    }
    mtx_unlock(&c11_mutex);
}

void signal_c11(int round)
{
    mtx_lock(&c11_mutex);
    arrived = round + 1;
    cnd_broadcast(&c11_condition);
    mtx_unlock(&c11_mutex);
}

void wait_for_cxx(int round)
{
    std::unique_lock<std::mutex> lock(cxx_mutex);
    cxx_condition.wait(lock, [round] { return arrived > round; });
}

void signal_cxx(int round)
{
    std::lock_guard<std::mutex> lock(cxx_mutex);
    arrived = round + 1;
    cxx_condition.notify_one();
}

void wait_at_barrier(int)
{
    pthread_barrier_wait(&barrier);
}

void wait_for_semaphore(int)
{
    sem_wait(&semaphore);
}

void post_semaphore(int)
{
    sem_post(&semaphore);
}

void wait_for_semaphore20(int)
{
    cxx_semaphore.acquire();
}

void post_semaphore20(int)
{
    cxx_semaphore.release();
}

void wait_for_atomic(int round)
{
    int now = atomic.load();
    while (now <= round) {
        atomic.wait(now);
        now = atomic.load();
    }
}

void notify_atomic(int round)
{
    atomic.store(round + 1);
    atomic.notify_all();
}

void initialize()
{
    await_asleep(2); // main, and the thread that waits
    compute(0.02);
    initialized = true;
}

void once()
{
    static pthread_once_t control = PTHREAD_ONCE_INIT;
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; i++) {
        threads.emplace_back([] {
            pthread_once(&control, initialize);
            pthread_once(&control, initialize);
        });
    }
    for (auto &thread : threads) {
        thread.join();
    }
    std::printf("initialized: %d\n", initialized);
}

void latch()
{
    std::latch all{2};
    std::thread waits([&all] {
        all.arrive_and_wait();
    });
    std::thread slow([&all] {
        await_asleep(2); // main, and the thread that waits
        compute(0.004);
        all.count_down();
    });
    slow.join();
    waits.join();
}

} // namespace

int main(int, char **argv)
{
    static const struct {
        const char *name;
        void (*wait)(int), (*awaken)(int);
    } kinds[] = {{"condition", wait_for_condition, signal_condition},
                 {"c11", wait_for_c11, signal_c11},
                 {"cxx", wait_for_cxx, signal_cxx},
                 {"barrier", wait_at_barrier, wait_at_barrier},
                 {"semaphore", wait_for_semaphore, post_semaphore},
                 {"semaphore20", wait_for_semaphore20, post_semaphore20},
                 {"atomic", wait_for_atomic, notify_atomic}};
    const char *what = argv[1] != nullptr ? argv[1] : "";
    pthread_barrier_init(&barrier, nullptr, 2);
    sem_init(&semaphore, 0, 0);
    mtx_init(&c11_mutex, mtx_plain);
    cnd_init(&c11_condition);
    if (std::strcmp(what, "once") == 0) {
        once();
    } else if (std::strcmp(what, "latch") == 0) {
        latch();
    }
    for (const auto &kind : kinds) {
        if (std::strcmp(what, kind.name) == 0) {
            std::thread waiter([&kind] {
                for (int i = 0; i < rounds; i++) {
                    ready.store(i + 1);
                    kind.wait(i);
                }
            });
            std::thread waker([&kind] {
                for (int i = 0; i < rounds; i++) {
                    while (ready.load() <= i) {
                        sched_yield();
                    }
                    await_asleep(2); // main, and the thread that waits
                    compute(0.004);
                    kind.awaken(i);
                }
            });
            waiter.join();
            waker.join();
        }
    }
    std::puts("done");
    return 0;
}
