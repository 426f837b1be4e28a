/* SPDX-License-Identifier: BSD-3-Clause */
/* Triggers of the flight recorder outside the program's requests: signals that end the process, and
 * the end of other processes of the run. */
#include "record/buffers/process_life.h"
#include "record/capture/free_signal.h"
#include "record/flight/flight.h"
#include "record/journal/journal.h"
#include "record/session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Signals that end a process: raised by its own fault, or sent by other processes. */
static const struct {
    int number;
    bool fault;
} fatal[] = {{SIGSEGV, true}, {SIGBUS, true},   {SIGFPE, true},   {SIGILL, true},
             {SIGABRT, true}, {SIGSYS, true},   {SIGTERM, false}, {SIGINT, false},
             {SIGHUP, false}, {SIGQUIT, false}, {SIGXCPU, false}};
enum { FATAL = sizeof fatal / sizeof fatal[0] };

/* A process of the run, as visible to the other processes on its host. */
struct peer {
    uint64_t host;    /* hash of the host and its PID namespace */
    uint64_t started; /* start time by the host's clock, because process IDs are reused */
    int32_t process;
    int32_t signal; /* signal that makes it save; 0: none */
};

static struct {
    struct sigaction before[FATAL];
    bool watched[FATAL];
    int signal;
    pid_t process;
    struct peer *peers; /* on the same host */
    uint32_t peer_count;
    char saved[PATH_MAX + 16]; /* a file with the IDs of the processes that have saved */
    bool alarmed, told;        /* atomic */
} watch;

/* ---- fatal signals ---- */

static void end(int number, siginfo_t *info, void *context)
{
    int saved = errno, i = 0;
    (void)context;
    while (i < FATAL && fatal[i].number != number) {
        i++;
    }
    if (getpid() == watch.process) {
        fm_session_save(true);
        if (fatal[i].fault) {
            fm_flight_alarm();
        }
    }
    /* A fault repeats when the handler returns; a signal that was sent is raised again. */
    sigaction(number, &watch.before[i], NULL);
    if (info->si_code <= 0 || info->si_code == SI_KERNEL || !fatal[i].fault) {
        raise(number);
    }
    errno = saved;
}

/* After a stack overflow, a handler can only run on an alternate stack. */
static void provide_stack(void)
{
    enum { BYTES = 256 * 1024 };
    stack_t now;
    if (sigaltstack(NULL, &now) == 0 && (now.ss_flags & SS_DISABLE) != 0) {
        void *pages = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (pages != MAP_FAILED) {
            const stack_t stack = {.ss_sp = pages, .ss_size = BYTES};
            sigaltstack(&stack, NULL);
        }
    }
}

static void watch_fatal(void)
{
    struct sigaction action = {.sa_sigaction = end, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigfillset(&action.sa_mask);
    for (int i = 0; i < FATAL; i++) {
        struct sigaction *before = &watch.before[i];
        bool ignored = sigaction(fatal[i].number, NULL, before) != 0 ||
                       ((before->sa_flags & SA_SIGINFO) == 0 && before->sa_handler == SIG_IGN);
        watch.watched[i] = !ignored && sigaction(fatal[i].number, &action, NULL) == 0;
    }
}

/* ---- other processes ---- */

/* A number that is equal for processes that can send each other signals by process ID. */
static uint64_t host(void)
{
    char name[256] = "";
    const uint64_t space = fm_process_space();
    struct fm_journal_sum sum = {0};
    gethostname(name, sizeof name - 1);
    fm_journal_sum_add(&sum, name, sizeof name);
    fm_journal_sum_add(&sum, &space, sizeof space);
    return fm_journal_sum_end(&sum);
}

/* The launcher is about to kill this process: it waits, so that it records nothing after saving. */
static void await_end(void)
{
    const struct timespec longest = {.tv_sec = 1};
    sigset_t none;
    sigemptyset(&none);
    ppoll(NULL, 0, &longest, &none);
}

/* Reports to the other processes on the host that this process has saved. */
static void note_saved(void)
{
    int file = open(watch.saved, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file >= 0) {
        const int32_t process = (int32_t)watch.process;
        if (write(file, &process, sizeof process) != (ssize_t)sizeof process) {
            unlink(watch.saved);
        }
        close(file);
    }
}

static bool has_saved(int32_t process)
{
    int32_t noted[64];
    ssize_t length = 0;
    bool found = false;
    int file = open(watch.saved, O_RDONLY | O_CLOEXEC);
    while (file >= 0 && !found && (length = read(file, noted, sizeof noted)) > 0) {
        for (ssize_t i = 0; i < length / (ssize_t)sizeof noted[0]; i++) {
            found = found || noted[i] == process;
        }
    }
    if (file >= 0) {
        close(file);
    }
    return found;
}

static void save_for_others(int number, siginfo_t *info, void *context)
{
    int saved = errno;
    (void)number;
    (void)context;
    if (info->si_code == SI_QUEUE && getpid() == watch.process &&
        !__atomic_exchange_n(&watch.told, true, __ATOMIC_RELAXED)) {
        fm_session_save(true);
        note_saved();
        if (!__atomic_load_n(&watch.alarmed, __ATOMIC_RELAXED)) {
            await_end();
        }
    }
    errno = saved;
}

static int install(void)
{
    struct sigaction action = {.sa_sigaction = save_for_others,
                               .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    int number = fm_free_signal();
    sigfillset(&action.sa_mask);
    return number != 0 && sigaction(number, &action, NULL) == 0 ? number : 0;
}

static void find_peers(const struct fm_exchange *exchange)
{
    const struct peer self = {.host = host(),
                              .started = fm_process_started((int32_t)getpid()),
                              .process = (int32_t)getpid(),
                              .signal = watch.signal};
    struct peer *all = calloc(exchange->size, sizeof *all);
    uint64_t good = all != NULL;
    exchange->reduce(&good, 1, FM_REDUCE_MIN);
    if (good) {
        exchange->gather(&self, all, sizeof self, 0);
        exchange->broadcast(all, exchange->size * sizeof *all, 0);
        for (uint32_t i = 0; i < exchange->size; i++) {
            if (i != exchange->rank && all[i].host == self.host && all[i].signal != 0 &&
                all[i].started != 0) {
                all[watch.peer_count++] = all[i];
            }
        }
        watch.peers = all;
    } else {
        free(all);
    }
}

void fm_flight_alarm(void)
{
    enum { ATTEMPTS = 2000 };
    const struct timespec pause = {.tv_nsec = 1000000};
    if (watch.peers == NULL || __atomic_exchange_n(&watch.alarmed, true, __ATOMIC_RELAXED)) {
        return;
    }
    note_saved();
    for (uint32_t i = 0; i < watch.peer_count; i++) {
        const struct peer *peer = &watch.peers[i];
        if (fm_process_started(peer->process) == peer->started) {
            sigqueue(peer->process, peer->signal, (union sigval){0});
        }
    }
    for (uint32_t i = 0, attempt = 0; i < watch.peer_count && attempt < ATTEMPTS;) {
        const struct peer *peer = &watch.peers[i];
        if (has_saved(peer->process) || fm_process_started(peer->process) != peer->started) {
            i++;
        } else {
            nanosleep(&pause, NULL);
            attempt++;
        }
    }
}

/* ---- begin and end ---- */

void fm_flight_watch(const struct fm_exchange *exchange, const char *directory)
{
    snprintf(watch.saved, sizeof watch.saved, "%s/journal/saved", directory);
    watch.process = getpid();
    watch.signal = install();
    find_peers(exchange);
    provide_stack();
    watch_fatal();
}

void fm_flight_unwatch(void)
{
    for (int i = 0; i < FATAL; i++) {
        struct sigaction now;
        if (watch.watched[i] && sigaction(fatal[i].number, NULL, &now) == 0 &&
            (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == end) {
            sigaction(fatal[i].number, &watch.before[i], NULL);
        }
        watch.watched[i] = false;
    }
    watch.peer_count = 0;
}
