/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/rebuild/live_threads.h"

#include "base/text.h"
#include "record/archive/archive.h"
#include "record/rebuild/journal_load.h"
#include "record/rebuild/rebuild_run.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- system calls ---- */

/* A system call in which threads are blocked. */
struct blocking_call {
    long number;
    const char *name;
    const char *purpose; /* what for, behind the name; "": its file descriptor comes first; NULL:
                            nothing is known about it */
};

#define ON_FILE(name)                                                                              \
    {                                                                                              \
        SYS_##name, #name, ""                                                                      \
    }
#define PLAIN(name)                                                                                \
    {                                                                                              \
        SYS_##name, #name, NULL                                                                    \
    }
#define WITH(name, for_what)                                                                       \
    {                                                                                              \
        SYS_##name, #name, for_what                                                                \
    }

static const struct blocking_call blocking_calls[] = {
    ON_FILE(accept),
    ON_FILE(accept4),
    ON_FILE(connect),
    ON_FILE(fallocate),
    ON_FILE(fdatasync),
    ON_FILE(flock),
    ON_FILE(fsync),
    ON_FILE(ftruncate),
    ON_FILE(ioctl),
    ON_FILE(pread64),
    ON_FILE(preadv),
    ON_FILE(pwrite64),
    ON_FILE(pwritev),
    ON_FILE(read),
    ON_FILE(readv),
    ON_FILE(recvfrom),
    ON_FILE(recvmsg),
    ON_FILE(sendmsg),
    ON_FILE(sendto),
    ON_FILE(write),
    ON_FILE(writev),
    PLAIN(epoll_pwait),
    PLAIN(execve),
    PLAIN(io_getevents),
    PLAIN(mmap),
    PLAIN(munmap),
    PLAIN(openat),
    PLAIN(ppoll),
    PLAIN(pselect6),
    PLAIN(rt_sigtimedwait),
    PLAIN(sched_yield),
    PLAIN(semop),
    PLAIN(sync),
    WITH(clock_nanosleep, "asleep"),
    WITH(futex, "a lock, condition or end of threads"),
    WITH(nanosleep, "asleep"),
    WITH(restart_syscall, "asleep"),
    WITH(rt_sigsuspend, "for a signal"),
    WITH(wait4, "for the end of a child process"),
    WITH(waitid, "for the end of a child process"),
#ifdef SYS_epoll_wait /* the older ones, which some processors do not have */
    PLAIN(epoll_wait),
    PLAIN(open),
    WITH(pause, "for a signal"),
    PLAIN(poll),
    PLAIN(select),
#endif
};

/* Names a file that a process has opened. */
static void describe_file(uint32_t process, unsigned long long number, char *text, size_t size)
{
    char link[64], target[PATH_MAX];
    snprintf(link, sizeof link, "/proc/%u/fd/%llu", process, number);
    const ssize_t length = readlink(link, target, sizeof target - 1);
    target[length > 0 ? length : 0] = '\0';
    if (strncmp(target, "pipe:", 5) == 0) {
        snprintf(text, size, " of file descriptor %llu, a pipe", number);
    } else if (strncmp(target, "socket:", 7) == 0) {
        snprintf(text, size, " of file descriptor %llu, a socket", number);
    } else if (target[0] == '/') {
        snprintf(text, size, " of %s", target);
    } else {
        snprintf(text, size, " of file descriptor %llu", number);
    }
}

/* @param line  of /proc/PID/syscall: number, arguments, stack pointer, program counter; "running"
 * @return false: it is in none, or that is not known */
static bool describe_call(uint32_t process, const char *line, char *text, size_t size)
{
    long number;
    unsigned long long argument = 0;
    if (sscanf(line, "%ld %llx", &number, &argument) < 1 || number < 0) {
        return false;
    }
    const struct blocking_call *call = NULL;
    for (size_t i = 0; i < sizeof blocking_calls / sizeof *blocking_calls && call == NULL; i++) {
        call = blocking_calls[i].number == number ? &blocking_calls[i] : NULL;
    }
    if (call == NULL) {
        snprintf(text, size, "in system call %ld", number);
        return true;
    }
    char file[PATH_MAX + 64] = "";
    if (call->purpose != NULL && call->purpose[0] == '\0') {
        describe_file(process, argument, file, sizeof file);
    }
    const bool has_purpose = call->purpose != NULL && call->purpose[0] != '\0';
    snprintf(text, size, "in %s%s%s%s%s", call->name, file, has_purpose ? " (" : "",
             has_purpose ? call->purpose : "", has_purpose ? ")" : "");
    return true;
}

/* ---- threads ---- */

/* @return whether the file has something; its first bytes */
static bool read_text(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "re");
    size_t length = 0;
    if (file != NULL) {
        length = fread(text, 1, size - 1, file);
        fclose(file);
    }
    text[length] = '\0';
    return length != 0;
}

/* Describes a blocked thread. Its system call is readable for those who may trace the process,
 * which many systems restrict to its parents; the kernel's function in which it is blocked is
 * readable for the same user. */
static void describe_blocked(const char *folder, uint32_t process, bool by_device, char *text,
                             size_t size)
{
    char path[PATH_MAX], line[1024];
    snprintf(path, sizeof path, "%s/syscall", folder);
    if (read_text(path, line, sizeof line) && describe_call(process, line, text, size)) {
        return;
    }
    snprintf(path, sizeof path, "%s/wchan", folder);
    const bool is_known = read_text(path, line, sizeof line) && strcmp(line, "0") != 0;
    snprintf(text, size, "%s%s%s%s",
             by_device ? "waiting for a disk or a device" : "blocked in the system",
             is_known ? " (" : "", is_known ? line : "", is_known ? " of the kernel)" : "");
}

bool fm_live_thread_describe(const char *folder, uint32_t process, char *text, size_t size)
{
    char path[PATH_MAX], line[1024];
    snprintf(path, sizeof path, "%s/stat", folder);
    if (!read_text(path, line, sizeof line)) {
        return false;
    }
    const char *behind_name = strrchr(line, ')'); /* the name may contain anything */
    const char state = behind_name != NULL && behind_name[1] == ' ' ? behind_name[2] : '?';
    switch (state) {
    case 'R':
        snprintf(text, size, "running");
        return true;
    case 'T':
    case 't':
        snprintf(text, size, "stopped");
        return true;
    case 'S':
    case 'D':
        describe_blocked(folder, process, state == 'D', text, size);
        return true;
    default:
        return false;
    }
}

static void read_process(const char *directory, const struct fm_journal_process *process,
                         fm_live_threads *threads)
{
    struct fm_buffer_reader buffers;
    char text[PATH_MAX + 128];
    if (!fm_journal_open_buffers(directory, process, &buffers, NULL, 0)) {
        return;
    }
    for (uint32_t thread = 0; thread < buffers.thread_count; thread++) {
        const uint32_t id = fm_buffer_system_id(&buffers, thread);
        char folder[64];
        snprintf(folder, sizeof folder, "/proc/%u/task/%u", process->process, id);
        if (id != 0 && fm_live_thread_describe(folder, process->process, text, sizeof text)) {
            static struct fm_shown_call call; /* large */
            const bool is_shown = fm_buffer_open_call(&buffers, thread, &call);
            fm_vector_push(threads, ((struct fm_live_thread){
                                        .location = fm_archive_location(process->rank, thread),
                                        .rank = process->rank,
                                        .enter = is_shown ? call.enter : 0,
                                        .text = fm_text_printable(text, true)}));
        }
    }
    fm_buffer_close(&buffers);
}

static int compare(const void *left, const void *right)
{
    const struct fm_live_thread *a = left, *b = right;
    return a->location < b->location ? -1 : a->location > b->location;
}

void fm_live_threads_read(const char *directory, fm_live_threads *threads)
{
    static struct fm_journal_process process; /* large */
    const uint32_t ranks = fm_rebuild_process_count(directory);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        if (fm_journal_load_process(directory, rank, &process) &&
            fm_journal_process_lives(&process)) {
            read_process(directory, &process, threads);
        }
    }
    if (threads->count != 0) {
        qsort(threads->items, threads->count, sizeof *threads->items, compare);
    }
}

const char *fm_live_threads_text(const fm_live_threads *threads, uint64_t location)
{
    const struct fm_live_thread wanted = {.location = location};
    const struct fm_live_thread *found =
        threads->count != 0
            ? bsearch(&wanted, threads->items, threads->count, sizeof wanted, compare)
            : NULL;
    return found != NULL ? found->text : NULL;
}

void fm_live_threads_free(fm_live_threads *threads)
{
    for (size_t i = 0; i < threads->count; i++) {
        free(threads->items[i].text);
    }
    fm_vector_free(threads);
}
