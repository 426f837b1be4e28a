/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/launch_heartbeats.h"

#include "record/buffers/buffer_beat.h"
#include "record/capture/clock.h"
#include "record/rebuild/journal_load.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PERIOD = 1000000, LOOK = 20000 /* microseconds */ };

/* The processes of a world whose buffer files were found. */
struct world {
    char directory[PATH_MAX + 32];
    uint32_t size;                                                  /* 0: not known so far */
    char (*paths)[sizeof((struct fm_journal_process *)0)->buffers]; /* "": not found so far */
    uint64_t *tokens;                                               /* 0: not found so far */
};

/* Finds the size of a world by the first journal that is there. */
static void find_size(struct world *world, struct fm_journal_process *process)
{
    if (world->size == 0 && fm_journal_load_process(world->directory, 0, process)) {
        world->paths = calloc(process->size, sizeof *world->paths);
        world->tokens = calloc(process->size, sizeof *world->tokens);
        world->size = world->paths != NULL && world->tokens != NULL ? process->size : 0;
    }
}

static void find_file(struct world *world, uint32_t rank, struct fm_journal_process *process)
{
    struct fm_buffer_reader buffers;
    if (fm_journal_load_process(world->directory, rank, process) &&
        fm_journal_open_buffers(world->directory, process, &buffers, world->paths[rank],
                                sizeof world->paths[rank])) {
        fm_buffer_close(&buffers);
        world->tokens[rank] = process->buffer_token;
    }
}

static void beat(struct world *world)
{
    static struct fm_journal_process process; /* large */
    find_size(world, &process);
    for (uint32_t rank = 0; rank < world->size; rank++) {
        if (world->tokens[rank] == 0) {
            find_file(world, rank, &process);
        }
        if (world->tokens[rank] != 0) {
            const struct fm_clock_moment now = fm_clock_moment();
            fm_buffer_beat(world->paths[rank], world->tokens[rank], &now);
        }
    }
}

/* The worlds that the program has spawned appear while it runs. */
static void beat_all(const char *directory)
{
    static struct world *worlds;
    static size_t count;
    struct stat status;
    for (size_t w = 0;; w++) {
        char path[PATH_MAX + 32];
        snprintf(path, sizeof path, w == 0 ? "%s" : "%s/worlds/%zu", directory, w);
        if (w > 0 && stat(path, &status) != 0) {
            return;
        }
        if (w == count) {
            struct world *more = realloc(worlds, (count + 1) * sizeof *more);
            if (more == NULL) {
                return;
            }
            worlds = more;
            worlds[count] = (struct world){.size = 0};
            memcpy(worlds[count++].directory, path, sizeof path);
        }
        beat(&worlds[w]);
    }
}

static void run(void (*directory)(void *context, char *path, size_t size), void *context)
{
    char path[PATH_MAX] = "";
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_IGN); /* the program decides what an interrupt means */
    signal(SIGHUP, SIG_IGN);
    fm_clock_start(0, 0);
    for (;;) {
        if (path[0] == '\0') {
            directory(context, path, sizeof path);
        }
        if (path[0] != '\0') {
            beat_all(path);
        }
        usleep(path[0] != '\0' ? PERIOD : LOOK);
    }
}

pid_t fm_launch_heartbeats(void (*directory)(void *context, char *path, size_t size), void *context)
{
    fflush(NULL);
    pid_t process = fork();
    if (process == 0) {
        run(directory, context);
    }
    return process;
}

void fm_launch_heartbeats_end(pid_t process)
{
    if (process > 0) {
        kill(process, SIGKILL);
        while (waitpid(process, NULL, 0) < 0 && errno == EINTR) {
        }
    }
}
