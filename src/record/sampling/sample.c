/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/sampling/sample.h"

#include "record/buffers/buffer_file.h"
#include "record/capture/free_signal.h"
#include "record/capture/thread.h"
#include "record/experiment/kept_variables.h"
#include "record/sampling/obtained_rate.h"
#include "record/sampling/sample_rate.h"
#include "record/sampling/signal_mask.h"
#include "record/stack/stack.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
    bool active; /* atomic */
    bool is_off; /* by the program; atomic */
    int number;  /* of the signal; 0: no signal is used */
    pid_t process;
    double rate;
    bool is_asked;        /* for this rate */
    bool with_perf;       /* threads that attach now use perf events; atomic */
    bool perf_is_asked;   /* the user has chosen perf events */
    bool perf_has_given;  /* a thread uses, or has used, a perf event; atomic */
    bool timer_has_given; /* likewise a CPU timer */
    int refusal;          /* why CPU timers have taken over (errno), to be reported; atomic */
    uint64_t nanoseconds; /* between samples, in the mean, at the highest rate */
    uint64_t tick;        /* nanoseconds between ticks of the system; 0: not known */
    uint64_t delivery;    /* nanoseconds that the delivery of a signal takes */
    double ticks_per_nanosecond; /* of the recorder's clock */
    uint64_t beat_due;           /* time of the next heartbeat; atomic */
    void (*tell)(const char *format, ...);
} samples;

void fm_samples_switch(bool off)
{
    __atomic_store_n(&samples.is_off, off, __ATOMIC_RELAXED);
}

bool fm_samples_are_off(void)
{
    return __atomic_load_n(&samples.is_off, __ATOMIC_RELAXED);
}

/* ---- in the handler ---- */

/* Number of waits (voluntary context switches): waiting time in a system call must not be assigned
 * to code that a sample finds afterwards. */
static long count_waits(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nvcsw : 0;
}

/* Two mean periods, in ticks of the recorder's clock. */
static uint32_t reach_of(const struct fm_thread_samples *own)
{
    double ticks = 2 * (double)fm_sample_period_mean(&own->period) * samples.ticks_per_nanosecond;
    return ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX;
}

/* Earliest time from which the thread may have been at its present place. Without a wait it was
 * running or runnable all the time: no limit (0). */
static uint64_t since_when(struct fm_thread *thread, uint64_t now, uint64_t longest)
{
    long waits = count_waits();
    bool waited = waits != thread->samples.waits;
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

/* Shows the thread's function, where no function is shown: the C library's code around it is its
 * own.
 * @return the place after the record */
static uint64_t *put_routine(struct fm_thread *thread)
{
    *thread->cursor = fm_record_header(FM_RECORD_STACK, 0, thread->life.site);
    return thread->cursor + FM_WORDS_STACK;
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
    if (change->added == 0 && change->kept == 0 && !change->cut && thread->life.number != 0 &&
        thread->life.site != FM_SITE_UNKNOWN) {
        return put_routine(thread);
    }
    if (change->newest >= thread->told_sites) {
        thread->told_sites = 0; /* the next call defines the new call sites */
    }
    return fm_thread_put_stack(thread->cursor, change);
}

static void record(struct fm_thread *thread, struct fm_registers at, bool exact)
{
    uint64_t now = fm_clock_now();
    uint64_t *place = fm_samples_put_stack(thread, at, exact, FM_WORDS_SAMPLE);
    if (place != NULL) {
        uint32_t reach = reach_of(&thread->samples);
        thread->samples.taken++;
        place[0] = fm_record_header(FM_RECORD_SAMPLE, 0, reach);
        place[1] = now;
        place[2] = since_when(thread, now, reach);
        place[3] = thread->samples.weight != 0 ? thread->samples.weight : 1;
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
}

/* A timer that is due at once would expire again and again before the program goes on. */
static uint64_t shortest_period(uint64_t tick)
{
    return samples.nanoseconds > tick / 2 ? samples.nanoseconds : tick / 2;
}

static void note_use(bool *has_given)
{
    if (!__atomic_load_n(has_given, __ATOMIC_RELAXED)) {
        __atomic_store_n(has_given, true, __ATOMIC_RELAXED);
    }
}

/* CPU timers take over from perf events, in this thread and in threads that attach later. */
static void use_timer(struct fm_thread_samples *own, int reason)
{
    fm_sample_clock_use_timer(&own->clock);
    own->period.tick = samples.tick;
    own->period.shortest = shortest_period(samples.tick);
    own->period.mean =
        own->period.mean > own->period.shortest ? own->period.mean : own->period.shortest;
    note_use(&samples.timer_has_given);
    __atomic_store_n(&samples.refusal, reason, __ATOMIC_RELAXED);
    __atomic_store_n(&samples.with_perf, false, __ATOMIC_RELAXED);
}

/* Sets the next expiry of the thread's clock, unless another thread has ended it. @return false:
 * CPU timers have taken over */
static bool set_clock(struct fm_thread_samples *own, uint64_t due, uint64_t now)
{
    if (fm_sample_clock_set(&own->clock, due - now) ||
        !__atomic_load_n(&own->is_sampled, __ATOMIC_SEQ_CST)) {
        return true;
    }
    use_timer(own, errno);
    fm_sample_clock_set(&own->clock, due - now);
    return false;
}

/* The time that a sample has taken, in nanoseconds. Where that is long, the thread may have lost
 * its processor meanwhile: its CPU clock decides. */
static uint64_t cost_of(uint64_t begin, uint64_t cpu_begin)
{
    const uint64_t long_one = 50000;
    uint64_t cost = (uint64_t)((double)(fm_clock_now() - begin) / samples.ticks_per_nanosecond);
    if (cost > long_one) {
        uint64_t cpu = fm_sample_clock_now() - cpu_begin;
        cost = cpu < cost ? cpu : cost;
    }
    return cost;
}

/* A heartbeat each second, in processes that nobody else notes them for (launch_heartbeats.h). */
static void beat(uint64_t now)
{
    if (now >= __atomic_load_n(&samples.beat_due, __ATOMIC_RELAXED)) {
        const double second = 1e9;
        __atomic_store_n(&samples.beat_due, now + (uint64_t)(second * samples.ticks_per_nanosecond),
                         __ATOMIC_RELAXED);
        fm_buffers_live();
    }
}

/* The clock of the calling thread's own location has expired. */
static void expire(struct fm_thread *thread, void *context)
{
    struct fm_thread_samples *own = &thread->samples;
    uint64_t begin = fm_clock_now(), cpu = fm_sample_clock_now();
    own->fired++;
    beat(begin);
    own->weight = fm_sample_period_expire(&own->period, cpu,
                                          own->clock.is_perf ? 0 : fm_sample_clock_since_tick());
    if (!fm_thread_is_quiet(thread) && !thread->is_marking && thread->stack != NULL &&
        thread->visits.count == 0 && !fm_pause_is_due(thread) && !fm_samples_are_off()) {
        own->held_back = own->held == thread->cursor;
        if (!own->held_back) {
            record(thread, fm_here_interrupted(context), true);
        }
    }
    if (!set_clock(own, fm_sample_period_next(&own->period, own->cost), cpu)) {
        look_again(thread);
    }
    uint64_t cost = cost_of(begin, cpu);
    own->handling += cost;
    own->cost = cost + samples.delivery;
}

/* A sample has been due for long if the perf event is gone. */
static void watch(struct fm_thread *thread)
{
    struct fm_thread_samples *own = &thread->samples;
    uint64_t cpu = fm_sample_clock_now();
    if (fm_sample_clock_is_stuck(cpu - own->period.now, own->period.mean)) {
        use_timer(own, EBADF);
        fm_sample_period_expire(&own->period, cpu, 0); /* what was missed belongs to no sample */
        fm_sample_clock_set(&own->clock, fm_sample_period_next(&own->period, 0) - cpu);
        look_again(thread);
    }
}

static void take(int number, siginfo_t *info, void *context)
{
    struct fm_thread *thread = fm_thread_self;
    int saved = errno;
    (void)number;
    if (thread != NULL && fm_thread_is_own(thread) &&
        __atomic_load_n(&thread->samples.is_sampled, __ATOMIC_RELAXED)) {
        switch (fm_sample_clock_expiry(&thread->samples.clock, info)) {
        case FM_EXPIRY_SAMPLE:
            expire(thread, context);
            break;
        case FM_EXPIRY_WATCH:
            watch(thread);
            break;
        case FM_EXPIRY_OTHER:
            break;
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
        uint64_t begin = fm_clock_now(), cpu = fm_sample_clock_now();
        record(thread, fm_here_caller(*here), false);
        thread->samples.handling += cost_of(begin, cpu);
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

/* Measures what the delivery of a signal takes: the least of a few rounds in which the thread sends
 * itself some. @return nanoseconds; an estimate if the program blocks the signal now */
static uint64_t measure_delivery(int number)
{
    enum { ROUNDS = 4, SIGNALS = 8, ESTIMATE = 2000, MOST = 10000 };
    sigset_t blocked;
    uint64_t least = MOST;
    if (pthread_sigmask(SIG_BLOCK, NULL, &blocked) != 0 || sigismember(&blocked, number)) {
        return ESTIMATE;
    }
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t begin = fm_clock_nanoseconds();
        for (int i = 0; i < SIGNALS; i++) {
            syscall(SYS_tgkill, samples.process, gettid(), number);
        }
        uint64_t each = (fm_clock_nanoseconds() - begin) / SIGNALS;
        least = each < least ? each : least;
    }
    return least;
}

static void begin(int number, double rate)
{
    const uint32_t ticks = fm_system_ticks();
    enum fm_sample_clock_choice choice = FM_SAMPLE_CLOCK_BEST;
    const char *text = fm_variable("FERMATA_SAMPLE_CLOCK");
    if (text != NULL && text[0] != '\0' && !fm_sample_clock_choice(text, &choice)) {
        samples.tell("FERMATA_SAMPLE_CLOCK is neither perf nor timer, and has no effect");
    }
    samples.number = number;
    samples.process = getpid();
    samples.rate = rate;
    samples.nanoseconds = (uint64_t)(1e9 / rate);
    samples.tick = ticks != 0 ? 1000000000 / ticks : 0;
    samples.ticks_per_nanosecond = (double)fm_clock_resolution() / 1e9;
    samples.delivery = measure_delivery(number);
    samples.perf_is_asked = choice == FM_SAMPLE_CLOCK_PERF;
    samples.with_perf = choice != FM_SAMPLE_CLOCK_TIMER;
    __atomic_store_n(&samples.active, true, __ATOMIC_SEQ_CST);
}

void fm_samples_begin(void (*tell)(const char *format, ...))
{
    const char *text = fm_variable("FERMATA_SAMPLE");
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
    samples.is_asked = is_asked;
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
        begin(number, rate);
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

/* Makes the clock of the calling thread. @return 0, or why there is none */
static int make_clock(struct fm_thread_samples *own)
{
    bool with_perf = __atomic_load_n(&samples.with_perf, __ATOMIC_RELAXED);
    int reason = fm_sample_clock_make(&own->clock, with_perf, samples.number);
    if (with_perf && reason != 0) {
        /* Without a choice of the user, CPU timers are usual where kernel mode is not permitted. */
        if (samples.perf_is_asked || __atomic_load_n(&samples.perf_has_given, __ATOMIC_RELAXED)) {
            __atomic_store_n(&samples.refusal, reason, __ATOMIC_RELAXED);
        }
        __atomic_store_n(&samples.with_perf, false, __ATOMIC_RELAXED);
        with_perf = false;
        reason = fm_sample_clock_make(&own->clock, false, samples.number);
    }
    if (reason == 0) {
        note_use(with_perf ? &samples.perf_has_given : &samples.timer_has_given);
    }
    return reason;
}

void fm_samples_attach(struct fm_thread *thread)
{
    if (!is_active() || getpid() != samples.process) { /* children inherit no timers */
        return;
    }
    int saved = errno;
    struct fm_thread_samples *own = &thread->samples;
    pid_t tid = gettid();
    int reason = make_clock(own);
    own->tid = read_cpu_time(tid, &own->cpu_before) ? tid : 0;
    own->fired_before = own->fired;
    own->waits = count_waits();
    if (reason != 0) {
        samples.tell("a thread is not sampled: %s", strerrordesc_np(reason));
    } else {
        uint64_t tick = own->clock.is_perf ? 0 : samples.tick, now = fm_sample_clock_now();
        uint64_t due =
            fm_sample_period_begin(&own->period, shortest_period(tick), !samples.is_asked, tick,
                                   (uint64_t)tid ^ fm_clock_now() << 20, now);
        __atomic_store_n(&own->is_sampled, true, __ATOMIC_SEQ_CST);
        fm_signal_mask_open(thread, samples.number);
        set_clock(own, due, now);
        if (!is_active()) { /* it ended meanwhile */
            fm_samples_detach(thread);
        }
    }
    fm_samples_report();
    errno = saved;
}

void fm_samples_detach(struct fm_thread *thread)
{
    if (__atomic_exchange_n(&thread->samples.is_sampled, false, __ATOMIC_SEQ_CST) &&
        getpid() == samples.process) {
        int saved = errno;
        add_sampled_time(&thread->samples);
        fm_sample_clock_end(&thread->samples.clock);
        if (thread == fm_thread_self) {
            fm_signal_mask_close(thread, samples.number);
        }
        errno = saved;
    }
}

void fm_samples_report(void)
{
    int reason = __atomic_exchange_n(&samples.refusal, 0, __ATOMIC_RELAXED);
    if (reason == EBADF) {
        samples.tell("threads are sampled by CPU timers from now on: the program has closed the "
                     "descriptor of a perf event");
    } else if (reason != 0) {
        samples.tell("threads are sampled by CPU timers: perf_event_open: %s",
                     strerrordesc_np(reason));
    }
}

bool fm_samples_expect_less(char *text, size_t size)
{
    const struct fm_obtained_rate asked = {
        .asked = samples.is_asked ? samples.rate : 0,
        .ticks = __atomic_load_n(&samples.with_perf, __ATOMIC_RELAXED) ? 0 : fm_system_ticks()};
    return is_active() && fm_obtained_rate_expect_less(&asked, text, size);
}

void fm_samples_end(void)
{
    __atomic_store_n(&samples.active, false, __ATOMIC_SEQ_CST);
    for (struct fm_thread *thread = fm_threads_all(); thread != NULL; thread = thread->next) {
        fm_samples_detach(thread);
    }
    fm_samples_report();
}

void fm_samples_signal_set(int number)
{
    if (number == samples.number && is_active() && getpid() == samples.process) {
        fm_samples_end();
        samples.tell("sampling ended: the program uses signal %d itself", number);
    }
}

/* Of the signals that a thread has got, an estimate. */
static uint64_t delivery_of(const struct fm_thread *thread)
{
    return samples.delivery * __atomic_load_n(&thread->samples.fired, __ATOMIC_RELAXED);
}

uint64_t fm_samples_spent(const struct fm_thread *thread)
{
    return __atomic_load_n(&thread->samples.handling, __ATOMIC_RELAXED) + delivery_of(thread);
}

struct fm_sample_counts fm_samples_count(void)
{
    struct fm_sample_counts counts = {
        .rate = samples.rate,
        .is_asked = samples.is_asked,
        .by_perf = __atomic_load_n(&samples.perf_has_given, __ATOMIC_RELAXED),
        .by_timer = __atomic_load_n(&samples.timer_has_given, __ATOMIC_RELAXED),
    };
    for (struct fm_thread *thread = fm_threads_all(); thread != NULL; thread = thread->next) {
        counts.taken += __atomic_load_n(&thread->samples.taken, __ATOMIC_RELAXED);
        counts.lost += __atomic_load_n(&thread->samples.lost, __ATOMIC_RELAXED);
        counts.handling += __atomic_load_n(&thread->samples.handling, __ATOMIC_RELAXED);
        counts.delivery += delivery_of(thread);
        const struct fm_sampled_time *sampled = &thread->samples.sampled;
        counts.sampled.signals += __atomic_load_n(&sampled->signals, __ATOMIC_RELAXED);
        counts.sampled.cpu += __atomic_load_n(&sampled->cpu, __ATOMIC_RELAXED);
    }
    return counts;
}
