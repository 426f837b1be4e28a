/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/capture/sample.h"

#include "record/capture/free_signal.h"
#include "record/capture/thread.h"
#include "record/selection/sample_rate.h"
#include "record/stack/stack.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Older headers of the C library lack the name. */
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static struct {
    bool active; /* atomic */
    int number;  /* of the signal; 0: no signal is used */
    pid_t process;
    double rate;
    bool is_asked;               /* for this rate */
    uint64_t nanoseconds, ticks; /* between samples */
    uint32_t reach;              /* two periods, as in a SAMPLE record */
    void (*tell)(const char *format, ...);
} samples;

/* ---- in the handler ---- */

/* Number of waits (voluntary context switches): waiting time in a system call must not be assigned
 * to code that a sample finds afterwards. */
static long count_waits(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nvcsw : 0;
}

/* Earliest time from which the thread may have been at its present place. Without a wait it was
 * running or runnable all the time: no limit (0). */
static uint64_t since_when(struct fm_thread *thread, uint64_t now, int overrun)
{
    long waits = count_waits();
    bool waited = waits != thread->samples.waits;
    uint64_t longest = 2 * (1 + (uint64_t)(overrun > 0 ? overrun : 0)) * samples.ticks;
    thread->samples.waits = waits;
    return waited && now > longest ? now - longest : 0;
}

/* Requests a look-up of the loaded modules before the next call. */
static void look_again(struct fm_thread *thread)
{
    struct fm_thread_samples *own = &thread->samples;
    uint64_t due = __atomic_load_n(&thread->flush_due, __ATOMIC_RELAXED);
    if (!own->look_again && due != 0) { /* 0: the next call checks for work anyway */
        own->look_again = true;
        own->flush_due = due;
        __atomic_store_n(&thread->flush_due, 0, __ATOMIC_SEQ_CST);
    }
}

uint64_t *fm_samples_put_stack(struct fm_thread *thread, struct fm_registers at, bool exact,
                               int words)
{
    bool told;
    if (!fm_thread_has_room(thread, FM_STACK_DEEPEST + (size_t)words) &&
        !fm_thread_extend(thread)) {
        return NULL;
    }
    const struct fm_stack_change *change = fm_stack_at_signal(thread->stack, at, exact, &told);
    if (!told) {
        look_again(thread);
        return NULL;
    }
    if (change == NULL) {
        return thread->cursor;
    }
    if (change->newest >= thread->told_sites) {
        thread->told_sites = 0; /* the next call defines the new call sites */
    }
    return fm_thread_put_stack(thread->cursor, change);
}

static void record(struct fm_thread *thread, struct fm_registers at, bool exact, int overrun)
{
    uint64_t now = fm_clock_now();
    uint64_t *place = fm_samples_put_stack(thread, at, exact, FM_WORDS_SAMPLE);
    if (place != NULL) {
        thread->samples.taken++;
        place[0] = fm_record_header(FM_RECORD_SAMPLE, 0, samples.reach);
        place[1] = now;
        place[2] = since_when(thread, now, overrun);
        thread->cursor = place + FM_WORDS_SAMPLE;
    } else {
        thread->samples.lost++;
        if (fm_thread_has_room(thread, FM_WORDS_SAMPLE_LOST)) {
            place = thread->cursor;
            place[0] = fm_record_header(FM_RECORD_SAMPLE_LOST, 0, 0);
            place[1] = now;
            thread->cursor = place + FM_WORDS_SAMPLE_LOST;
        }
    }
    fm_thread_publish(thread);
    thread->samples.handling += fm_clock_now() - now;
}

static void take(int number, siginfo_t *info, void *context)
{
    struct fm_thread *thread = fm_thread_self;
    int saved = errno;
    (void)number;
    bool is_timer = thread != NULL && info->si_code == SI_TIMER && fm_thread_is_own(thread);
    if (is_timer) {
        thread->samples.fired++;
    }
    if (is_timer && !fm_thread_is_quiet(thread) && !thread->is_marking && thread->stack != NULL &&
        !fm_pause_is_due(thread)) {
        thread->samples.held_back = thread->samples.held == thread->cursor;
        if (!thread->samples.held_back) {
            record(thread, fm_here_interrupted(context), true, info->si_overrun);
        }
    }
    errno = saved;
}

void fm_samples_hold(struct fm_thread *thread)
{
    thread->samples.held_back = false;
    __atomic_store_n(&thread->samples.held, thread->cursor, __ATOMIC_SEQ_CST);
}

void fm_samples_resume(struct fm_thread *thread, const struct fm_here *here)
{
    __atomic_store_n(&thread->samples.held, NULL, __ATOMIC_SEQ_CST);
    if (here != NULL && thread->samples.held_back) {
        record(thread, fm_here_caller(*here), false, 0);
    }
    thread->samples.held_back = false;
}

/* ---- begin and end ---- */

/* The handler runs on the alternate stack if the thread has one: the current stack may be small
 * (coroutines). */
static bool install(int number)
{
    struct sigaction action = {.sa_sigaction = take,
                               .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    sigfillset(&action.sa_mask);
    return sigaction(number, &action, NULL) == 0;
}

void fm_samples_begin(void (*tell)(const char *format, ...))
{
    const char *text = getenv("FERMATA_SAMPLE");
    struct fm_thread *thread = fm_thread_self;
    bool is_asked = text != NULL && text[0] != '\0';
    double rate = is_asked ? fm_sample_rate(text) : FM_SAMPLE_RATE_DEFAULT;
    if (rate == 0 || thread == NULL || samples.number != 0) {
        return;
    }
    int saved = errno;
    bool has_stack = thread->stack != NULL || thread->pause.stack != NULL;
    int number = rate > 0 && has_stack ? fm_free_signal() : 0;
    samples.tell = tell;
    if (rate < 0) {
        tell("nothing is sampled: FERMATA_SAMPLE is neither off nor a rate from %d Hz to %d kHz",
             FM_SAMPLE_RATE_LEAST, FM_SAMPLE_RATE_MOST / 1000);
    } else if (!has_stack) {
        if (is_asked) {
            tell("nothing is sampled: call stacks are not recorded");
        }
    } else if (number == 0 || !install(number)) {
        tell("nothing is sampled: the program uses all real-time signals itself");
    } else {
        samples.number = number;
        samples.process = getpid();
        samples.rate = rate;
        samples.is_asked = is_asked;
        samples.nanoseconds = (uint64_t)(1e9 / rate);
        samples.ticks = (uint64_t)((double)fm_clock_resolution() / rate);
        samples.reach = 2 * samples.ticks < UINT32_MAX ? (uint32_t)(2 * samples.ticks) : UINT32_MAX;
        __atomic_store_n(&samples.active, true, __ATOMIC_SEQ_CST);
        fm_samples_attach(thread);
    }
    errno = saved;
}

static bool is_active(void)
{
    return __atomic_load_n(&samples.active, __ATOMIC_SEQ_CST);
}

int fm_samples_signal(void)
{
    return is_active() ? samples.number : 0;
}

/* Reads the CPU time of a thread of this process. The clock of pthread_getcpuclockid() would be the
 * same, but that function reads the memory of a thread that may have ended. @return whether the
 * thread exists */
static bool read_cpu_time(pid_t tid, uint64_t *nanoseconds)
{
    enum { OF_THREAD = 4, SCHEDULED = 2 }; /* CPUCLOCK_PERTHREAD_MASK, CPUCLOCK_SCHED of Linux */
    clockid_t clock = (clockid_t)(~(unsigned)tid << 3 | OF_THREAD | SCHEDULED);
    struct timespec time;
    if (clock_gettime(clock, &time) != 0) {
        return false;
    }
    *nanoseconds = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
    return true;
}

/* Adds what a timer has measured, before it is deleted. If the CPU time is unknown, as of a thread
 * that has ended already, the signals are left out, too. */
static void add_sampled_time(struct fm_thread_samples *own)
{
    uint64_t cpu, fired = __atomic_load_n(&own->fired, __ATOMIC_RELAXED);
    if (own->tid != 0 && read_cpu_time(own->tid, &cpu)) {
        __atomic_fetch_add(&own->sampled.signals, fired - own->fired_before, __ATOMIC_RELAXED);
        __atomic_fetch_add(&own->sampled.cpu, cpu - own->cpu_before, __ATOMIC_RELAXED);
    }
}

void fm_samples_attach(struct fm_thread *thread)
{
    if (!is_active() || getpid() != samples.process) { /* children inherit no timers */
        return;
    }
    int saved = errno;
    long nanoseconds = (long)(samples.nanoseconds % 1000000000u);
    time_t seconds = (time_t)(samples.nanoseconds / 1000000000u);
    const struct itimerspec period = {{seconds, nanoseconds}, {seconds, nanoseconds}};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = samples.number};
    pid_t tid = gettid();
    thread->samples.tid = read_cpu_time(tid, &thread->samples.cpu_before) ? tid : 0;
    thread->samples.fired_before = thread->samples.fired;
    event.sigev_notify_thread_id = tid;
    thread->samples.waits = count_waits();
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &thread->samples.timer) != 0) {
        samples.tell("a thread is not sampled: %s", strerrordesc_np(errno));
    } else {
        __atomic_store_n(&thread->samples.has_timer, true, __ATOMIC_SEQ_CST);
        timer_settime(thread->samples.timer, 0, &period, NULL);
        if (!is_active()) { /* it ended meanwhile */
            fm_samples_detach(thread);
        }
    }
    errno = saved;
}

void fm_samples_detach(struct fm_thread *thread)
{
    if (__atomic_exchange_n(&thread->samples.has_timer, false, __ATOMIC_SEQ_CST) &&
        getpid() == samples.process) {
        int saved = errno;
        add_sampled_time(&thread->samples);
        timer_delete(thread->samples.timer);
        errno = saved;
    }
}

void fm_samples_end(void)
{
    __atomic_store_n(&samples.active, false, __ATOMIC_SEQ_CST);
    for (struct fm_thread *thread = fm_threads_all(); thread != NULL; thread = thread->next) {
        fm_samples_detach(thread);
    }
}

void fm_samples_signal_set(int number)
{
    if (number == samples.number && is_active() && getpid() == samples.process) {
        fm_samples_end();
        samples.tell("sampling ended: the program uses signal %d itself", number);
    }
}

struct fm_sample_counts fm_samples_count(void)
{
    struct fm_sample_counts counts = {.rate = samples.rate, .is_asked = samples.is_asked};
    for (struct fm_thread *thread = fm_threads_all(); thread != NULL; thread = thread->next) {
        counts.taken += __atomic_load_n(&thread->samples.taken, __ATOMIC_RELAXED);
        counts.lost += __atomic_load_n(&thread->samples.lost, __ATOMIC_RELAXED);
        counts.handling += __atomic_load_n(&thread->samples.handling, __ATOMIC_RELAXED);
        const struct fm_sampled_time *sampled = &thread->samples.sampled;
        counts.sampled.signals += __atomic_load_n(&sampled->signals, __ATOMIC_RELAXED);
        counts.sampled.cpu += __atomic_load_n(&sampled->cpu, __ATOMIC_RELAXED);
    }
    return counts;
}
