/* SPDX-License-Identifier: BSD-3-Clause */
/* Three threads that fork teams of their own at the same time; two of them were created by the
 * program. */
#include <pthread.h>
#include <stdio.h>

static void *fork_teams(void *nothing)
{
    for (int i = 0; i < 4; i++) {
#pragma omp parallel num_threads(2)
        {
#pragma omp barrier
        }
    }
    return nothing;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, fork_teams, NULL);
    }
    fork_teams(NULL);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    puts("end");
    return 0;
}
