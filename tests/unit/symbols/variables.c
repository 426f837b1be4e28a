/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables whose elements and members are asked for (check_variables.py). */
#include <pthread.h>

struct queue {
    int length;
    struct {
        long pad;
        pthread_mutex_t guard;
    } inner;
    pthread_cond_t conditions[2];
};

pthread_mutex_t plain;
static pthread_mutex_t table[4];
struct queue queues[3];
static pthread_mutex_t grid[2][3];
union {
    pthread_mutex_t mutex;
    char bytes[64];
} shared;

int main(void)
{
    static pthread_mutex_t inside;
    return pthread_mutex_lock(&inside) | pthread_mutex_lock(&plain) |
           pthread_mutex_lock(&table[1]) | pthread_mutex_lock(&grid[1][2]) |
           pthread_mutex_lock(&queues[1].inner.guard) | pthread_mutex_lock(&shared.mutex);
}
