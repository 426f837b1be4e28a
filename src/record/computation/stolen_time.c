/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/computation/stolen_time.h"

#include "record/capture/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Readings after calls of a function that no long stretch has followed, until another one does. */
enum { EXPECTED = 4 };

static struct {
    bool active;      /* atomic; the other members are constant from then on */
    uint64_t stretch; /* ticks of FM_STRETCH_LEAST */
    uint64_t least;   /* of FM_READING_LEAST */
    uint64_t credit;  /* of FM_READING_CREDIT */
    uint64_t most;    /* of FM_READING_MOST */
    uint64_t scale;   /* nanoseconds of a tick, times 2^32: floating point would change the flags of
                         the program */
} limits;

/* The thread that has begun the run: what it read then. */
static struct {
    pid_t thread; /* 0: nothing */
    uint64_t time, delay;
} first;

bool fm_processor_parse_delay(const char *text, uint64_t *delay)
{
    char *end;
    const char *second = strchr(text, ' ');
    if (second == NULL || second[1] < '0' || second[1] > '9') {
        return false;
    }
    *delay = strtoull(second + 1, &end, 10);
    return *end == ' ' || *end == '\n';
}

static bool read_delay(uint64_t *delay)
{
    char text[96];
    int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    return fm_processor_parse_delay(text, delay);
}

static uint64_t read_cpu(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t nanoseconds(uint64_t ticks)
{
    return (uint64_t)((unsigned __int128)ticks * limits.scale >> 32);
}

static struct fm_thread_usage read_usage(void)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_THREAD, &usage);
    return (struct fm_thread_usage){.system = (uint64_t)usage.ru_stime.tv_sec * 1000000000u +
                                              (uint64_t)usage.ru_stime.tv_usec * 1000u,
                                    .faults = (uint32_t)usage.ru_minflt,
                                    .faults_disk = (uint32_t)usage.ru_majflt,
                                    .preemptions = (uint32_t)usage.ru_nivcsw,
                                    .switches_voluntary = (uint32_t)usage.ru_nvcsw};
}

/* What the kernel states at a time. */
struct reading {
    uint64_t now, cpu;
    struct fm_thread_usage usage;
};

/* Reads; @return also how many ticks that took. */
static struct reading take_reading(uint64_t *ticks)
{
    struct reading reading;
    uint64_t begin = fm_clock_now();
    reading.cpu = read_cpu();
    reading.usage = read_usage();
    reading.now = fm_clock_now();
    *ticks = reading.now - begin;
    return reading;
}

static void keep_reading(struct fm_thread *thread, const struct reading *reading)
{
    struct fm_thread_processor *own = &thread->processor;
    own->cpu = reading->cpu;
    own->read = reading->now;
    own->usage = reading->usage;
    own->blocked = 0;
    own->spent = 0;
}

static uint64_t price_of(uint64_t ticks)
{
    return ticks < limits.most ? ticks : limits.most;
}

/* Counts the ticks that a reading took at the present time: later ones wait for their share. */
static void pay(struct fm_thread *thread, uint64_t ticks, uint64_t now)
{
    struct fm_thread_processor *own = &thread->processor;
    uint64_t price = price_of(ticks);
    uint64_t earliest = now > limits.credit ? now - limits.credit : 0;
    own->affordable =
        (own->affordable > earliest ? own->affordable : earliest) + FM_READING_SHARE * price;
    thread->reading_due = now + FM_READING_ASIDE * price;
}

/* ---- the end of a call ---- */

/* A run delay that the kernel has stated. */
struct delay_reading {
    bool is_known;
    uint64_t delay, ticks; /* what it took to read it; 0: not read */
};

static struct delay_reading take_delay(void)
{
    struct delay_reading reading = {0};
    uint64_t begin = fm_clock_now();
    reading.is_known = read_delay(&reading.delay);
    reading.ticks = fm_clock_now() - begin;
    return reading;
}

/* The next stretch begins with this run delay: later ones wait for their share. */
static void begin_delay(struct fm_thread_processor *own, const struct delay_reading *reading,
                        uint64_t now)
{
    own->delay = reading->is_known ? reading->delay : own->delay;
    own->delay_is_last = reading->is_known;
    own->delay_due = now + FM_DELAY_SHARE * price_of(reading->ticks);
    own->delay_due_aside = now + FM_READING_ASIDE * price_of(reading->ticks);
}

void fm_processor_leave(struct fm_thread *thread)
{
    struct fm_thread_processor *own = &thread->processor;
    uint64_t bit = thread->function % 64;
    uint64_t since = thread->left - own->read;
    if (thread->pause.paused || since < limits.least || thread->left < own->affordable) {
        return;
    }
    int saved = errno;
    /* A run delay that was read at Enter is superseded by the reading here. */
    bool is_due = thread->left >= own->delay_due || own->delay_is_last;
    own->delay_is_last = false;
    if (own->expected[bit] > 0) {
        own->expected[bit]--;
        thread->long_after &= ~((uint64_t)(own->expected[bit] == 0) << bit);
    } else {
        is_due = thread->left >= own->delay_due_aside;
    }
    if (is_due) {
        const struct delay_reading delay = take_delay();
        begin_delay(own, &delay, thread->left + delay.ticks);
    }
    uint64_t ticks;
    struct reading reading = take_reading(&ticks);
    keep_reading(thread, &reading);
    pay(thread, ticks, reading.now);
    own->spent = fm_clock_now() - thread->left;
    errno = saved;
}

/* ---- the begin of a call ---- */

static uint64_t pair(uint32_t low, uint32_t high)
{
    return low | (uint64_t)high << 32;
}

/* Time of the stretch that ends with a reading in which the thread did not run, nanoseconds. */
static uint64_t stolen_time(const struct fm_thread_processor *own, const struct reading *end)
{
    uint64_t wall = nanoseconds(end->now - own->read);
    uint64_t running = end->cpu - own->cpu + nanoseconds(own->blocked);
    return wall > running ? wall - running : 0;
}

/* The run delay of a stretch whose begin has no reading of it, if the thread did not run for a
 * notable part of the stretch. Without a voluntary context switch it was always ready to run. Else
 * the growth since an earlier reading (0 when the thread began) is an upper bound, which is taken
 * if it is small.
 * @param last  the run delay at the end of the stretch; read here if that is needed */
static uint64_t find_delay(const struct fm_thread_processor *own, const struct reading *end,
                           struct delay_reading *last)
{
    const uint64_t wall = nanoseconds(end->now - own->read), stolen = stolen_time(own, end);
    if (stolen < wall / FM_STOLEN_NOTABLE) {
        return FM_DELAY_UNKNOWN;
    }
    if (end->usage.switches_voluntary == own->usage.switches_voluntary) {
        return stolen;
    }
    if (!last->is_known && end->now >= own->delay_due) {
        *last = take_delay();
    }
    const uint64_t bound =
        last->is_known && last->delay >= own->delay ? last->delay - own->delay : FM_DELAY_UNKNOWN;
    return bound <= stolen / FM_DELAY_SMALL ? bound : FM_DELAY_UNKNOWN;
}

/* @param spent  ticks that the readings at both ends of the stretch took */
static void write_record(struct fm_thread *thread, const struct reading *reading, uint64_t delay,
                         uint64_t spent)
{
    const struct fm_thread_processor *own = &thread->processor;
    const struct fm_thread_usage *now = &reading->usage, *before = &own->usage;
    uint64_t *place = fm_thread_reserve(thread, FM_WORDS_PROCESSOR);
    place[0] = fm_record_header(FM_RECORD_PROCESSOR, 0, 0);
    place[1] = reading->now;
    place[2] = nanoseconds(reading->now - own->read);
    place[3] = stolen_time(own, reading);
    /* What was read before the stretch began may have grown before it, too. */
    place[4] = delay != FM_DELAY_UNKNOWN && delay > place[2] ? place[2] : delay;
    place[5] = now->system - before->system;
    place[6] = pair(now->faults - before->faults, now->faults_disk - before->faults_disk);
    place[7] = pair(now->preemptions - before->preemptions,
                    now->switches_voluntary - before->switches_voluntary);
    place[8] = nanoseconds(spent);
    fm_thread_publish(thread);
}

/* The next stretch may begin here, since a call that ends at once has no reading at its end: with
 * the run delay at the end of the stretch before, if it was read. If not, it is read only after a
 * call that has ended at once: it would be read again at the end of a longer one. */
static void begin_in_call(struct fm_thread_processor *own, bool ends_at_once,
                          struct delay_reading *last, uint64_t now)
{
    own->delay_is_last = false;
    if (now >= own->delay_due && (last->is_known || ends_at_once)) {
        if (!last->is_known) {
            *last = take_delay();
        }
        begin_delay(own, last, now + last->ticks);
    } else if (last->is_known) {
        own->delay = last->delay;
    }
}

void fm_processor_enter(struct fm_thread *thread, uint32_t before)
{
    struct fm_thread_processor *own = &thread->processor;
    uint64_t stretch = thread->enter - thread->left;
    int saved = errno;
    if (thread->left == 0 || thread->pause.paused || fm_calls_were_off(thread)) {
        return;
    }
    int64_t earlier = (int64_t)(thread->left - own->read); /* less than 0: after the call's end */
    if (own->read != 0 && earlier <= (int64_t)(stretch / 20)) {
        uint64_t ticks, delay;
        struct reading end = take_reading(&ticks), begin = end;
        pay(thread, ticks, end.now);
        struct delay_reading last = own->delay_is_last ? take_delay() : (struct delay_reading){0};
        delay = last.is_known && last.delay >= own->delay ? last.delay - own->delay
                                                          : find_delay(own, &end, &last);
        begin_in_call(own, earlier >= 0, &last, end.now);
        if (last.ticks > 0) {
            begin = take_reading(&ticks); /* that took time: what follows begins now */
        }
        uint64_t enter = fm_clock_now();
        write_record(thread, &end, delay, own->spent + (enter - thread->enter));
        keep_reading(thread, &begin);
        thread->enter = fm_clock_now();
    }
    own->expected[before % 64] = EXPECTED;
    thread->long_after |= (uint64_t)1 << before % 64;
    errno = saved;
}

/* ---- threads ---- */

static void start(struct fm_thread *thread)
{
    __atomic_store_n(&thread->stretch_least, limits.stretch, __ATOMIC_RELAXED);
    __atomic_store_n(&thread->reading_due, 0, __ATOMIC_RELAXED);
}

void fm_processor_attach(struct fm_thread *thread)
{
    thread->processor = (struct fm_thread_processor){0};
    thread->left = 0;
    thread->long_after = 0;
    thread->stretch_least = UINT64_MAX;
    thread->reading_due = UINT64_MAX;
    if (__atomic_load_n(&limits.active, __ATOMIC_ACQUIRE)) {
        start(thread);
    }
}

struct fm_processor_span fm_processor_span(void)
{
    struct fm_processor_span span = {0};
    uint64_t now = fm_clock_now(), delay;
    if (first.thread != 0 && first.thread == gettid() && read_delay(&delay) &&
        delay >= first.delay && now > first.time) {
        span.wall = nanoseconds(now - first.time);
        span.delay = delay - first.delay;
    }
    return span;
}

void fm_processor_begin(uint64_t resolution)
{
    first.time = fm_clock_now();
    first.thread = read_delay(&first.delay) ? gettid() : 0;
    if (first.thread != 0 && fm_thread_self != NULL) {
        fm_thread_self->processor.delay = first.delay;
    }
    limits.stretch = resolution / FM_STRETCH_LEAST;
    limits.least = resolution / FM_READING_LEAST;
    limits.credit = resolution / FM_READING_CREDIT;
    limits.most = resolution / FM_READING_MOST;
    limits.scale = (UINT64_C(1000000000) << 32) / resolution;
    __atomic_store_n(&limits.active, true, __ATOMIC_RELEASE);
    for (struct fm_thread *thread = fm_threads_all(); thread != NULL; thread = thread->next) {
        start(thread);
    }
}
