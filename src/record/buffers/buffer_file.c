/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/buffers/buffer_file.h"
#include "record/experiment/kept_variables.h"

#include "record/buffers/process_life.h"
#include "record/capture/clock.h"
#include "record/capture/lock.h"
#include "record/capture/memory_use.h"
#include "record/stack/places.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

_Static_assert(sizeof(struct fm_buffer_slot) <= FM_SLOT_BYTES, "slots follow each other");
_Static_assert(sizeof(struct fm_buffer_head) <= FM_BUFFER_SITES_AT, "the sites follow");
_Static_assert(FM_BUFFER_SITES_AT + FM_BUFFER_SITES * sizeof(struct fm_buffer_site) <=
                   FM_BUFFER_SLOTS_AT,
               "the slots follow");

enum { BLOCKS_MOST = 1 << 14, FIRST_BLOCKS = 2, PAGE = 4096, ATTEMPTS = 100 };

static struct {
    _Atomic bool open;
    char path[PATH_MAX + 64]; /* "": there is no file */
    uint32_t limit;           /* blocks of the process's share */
    struct fm_buffer_head *head;
    struct fm_buffer_definitions *definitions;
    _Atomic uint32_t blocks;              /* numbers that are given away */
    void *_Atomic addresses[BLOCKS_MOST]; /* of the blocks; NULL: it is not mapped */
    fm_lock_t lock;                       /* of the members below */
    struct fm_chunk *unused;
    struct fm_buffer_slot *slots; /* the next free slot, and the number of free ones behind it */
    uint32_t slot_count;
} file = {.lock = FM_LOCK_FREE};

/* ---- blocks ---- */

/* A reservation beyond the largest size of files would send the program a signal. */
static bool is_allowed(uint64_t end)
{
    struct rlimit largest;
    return getrlimit(RLIMIT_FSIZE, &largest) != 0 || largest.rlim_cur >= end;
}

/* Reserves the room of a block; a signal may interrupt that. */
static bool reserve(int descriptor, uint64_t place)
{
    int result = -1;
    errno = EFBIG;
    for (int i = 0; is_allowed(place + FM_BLOCK_BYTES) && result != 0 && i < ATTEMPTS; i++) {
        result = fallocate(descriptor, 0, (off_t)place, FM_BLOCK_BYTES);
        if (result != 0 && errno != EINTR) {
            break;
        }
    }
    return result == 0;
}

/* Maps a block, whose room it reserves. @return NULL: there is no room; errno is the reason */
static void *map_block(int descriptor, uint32_t number)
{
    const uint64_t place = (uint64_t)number * FM_BLOCK_BYTES;
    if (!reserve(descriptor, place)) {
        return NULL;
    }
    void *pages =
        mmap(NULL, FM_BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, (off_t)place);
    if (pages == MAP_FAILED) {
        return NULL;
    }
    fm_memory_use_add(FM_BLOCK_BYTES);
    atomic_store_explicit(&file.addresses[number], pages, memory_order_release);
    return pages;
}

/* Touches all pages now, so that no record pays for that. */
static void populate(void *pages)
{
    if (madvise(pages, FM_BLOCK_BYTES, MADV_POPULATE_WRITE) != 0) {
        for (size_t i = 0; i < FM_BLOCK_BYTES; i += PAGE) {
            ((volatile char *)pages)[i] = 0;
        }
    }
}

/* A further block. @return NULL: there is no room */
static void *add_block(uint32_t *number)
{
    *number = atomic_fetch_add(&file.blocks, 1);
    if (*number < file.limit) {
        int descriptor = open(file.path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
        void *pages = descriptor >= 0 ? map_block(descriptor, *number) : NULL;
        if (descriptor >= 0) {
            close(descriptor);
        }
        if (pages != NULL) {
            return pages;
        }
    }
    uint32_t next = *number + 1; /* the number is used later, unless there are further blocks */
    atomic_compare_exchange_strong(&file.blocks, &next, *number);
    return NULL;
}

static struct fm_chunk *add_chunk(void)
{
    uint32_t number;
    struct fm_chunk *chunk = add_block(&number);
    if (chunk != NULL) {
        populate(chunk);
        chunk->self = (uint64_t)(uintptr_t)chunk;
        chunk->block = number;
        chunk->kind = FM_CHUNK_UNUSED;
    }
    return chunk;
}

bool fm_buffers_are_open(void)
{
    return atomic_load_explicit(&file.open, memory_order_acquire);
}

struct fm_chunk *fm_buffers_chunk(void)
{
    int saved = errno;
    struct fm_chunk *chunk = NULL;
    if (!fm_buffers_are_open()) {
        return NULL;
    }
    if (fm_lock_try(&file.lock)) { /* a signal handler may have interrupted its holder */
        chunk = file.unused;
        if (chunk != NULL) {
            file.unused = chunk->next;
        }
        fm_unlock(&file.lock);
    }
    chunk = chunk != NULL ? chunk : add_chunk();
    errno = saved;
    return chunk;
}

void fm_buffers_return(struct fm_chunk *chunk)
{
    chunk->kind = FM_CHUNK_UNUSED;
    if (fm_lock_try(&file.lock)) { /* else the chunk is lost for this run */
        chunk->next = file.unused;
        file.unused = chunk;
        fm_unlock(&file.lock);
    }
}

/* With the lock. */
static void add_slots(void)
{
    uint32_t number;
    char *block = add_block(&number);
    if (block != NULL) {
        struct fm_chunk *head = (struct fm_chunk *)block;
        head->self = (uint64_t)(uintptr_t)block;
        head->block = number;
        head->kind = FM_CHUNK_SLOTS;
        file.slots = (struct fm_buffer_slot *)(block + FM_SLOTS_AT);
        file.slot_count = FM_SLOTS_MORE;
    }
}

struct fm_buffer_slot *fm_buffers_slot(void)
{
    int saved = errno;
    struct fm_buffer_slot *slot = NULL;
    if (!fm_buffers_are_open()) {
        return NULL;
    }
    fm_lock(&file.lock);
    if (file.slot_count == 0) {
        add_slots();
    }
    if (file.slot_count != 0) {
        slot = file.slots;
        file.slots = (struct fm_buffer_slot *)((char *)file.slots + FM_SLOT_BYTES);
        file.slot_count--;
    }
    fm_unlock(&file.lock);
    errno = saved;
    return slot;
}

struct fm_buffer_definitions *fm_buffers_definitions(void)
{
    return fm_buffers_are_open() ? file.definitions : NULL;
}

void fm_buffers_note_outside(void)
{
    if (fm_buffers_are_open()) {
        __atomic_fetch_add(&file.head->outside, 1, __ATOMIC_RELAXED);
    }
}

void fm_buffers_live(void)
{
    if (fm_buffers_are_open()) {
        struct fm_buffer_head *head = file.head;
        uint32_t next = 1 - (__atomic_load_n(&head->latest, __ATOMIC_RELAXED) & 1);
        const uint64_t nanoseconds = fm_clock_nanoseconds();
        __atomic_store_n(&head->alive[next].ticks, fm_clock_now(), __ATOMIC_RELAXED);
        __atomic_store_n(&head->alive[next].nanoseconds, nanoseconds, __ATOMIC_RELAXED);
        __atomic_store_n(&head->latest, next, __ATOMIC_RELEASE);
    }
}

/* ---- the file ---- */

/* What this process would write now belongs to its parent. */
static void child_begins(void)
{
    atomic_store(&file.open, false);
    fm_sites_log = NULL;
    file.lock = (fm_lock_t)FM_LOCK_FREE;
    for (uint32_t i = 0; i < atomic_load(&file.blocks) && i < BLOCKS_MOST; i++) {
        void *pages = atomic_load(&file.addresses[i]);
        if (pages != NULL) {
            mmap(pages, FM_BLOCK_BYTES, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
        }
    }
}

static void fill_head(const struct fm_buffer_request *request, uint64_t token)
{
    struct fm_buffer_head *head = file.head;
    head->token = token;
    head->process = (uint32_t)getpid();
    head->rank = request->rank;
    head->ticks_used = fm_clock.counter;
    head->flight = request->flight;
    head->started = fm_process_started((int32_t)getpid());
    head->space = fm_process_space();
    gethostname(head->host, sizeof head->host - 1);
    snprintf(head->directory, sizeof head->directory, "%s", request->directory);
    __atomic_store_n(&head->magic, FM_BUFFER_MAGIC, __ATOMIC_RELEASE);
}

/* @return the descriptor of the new file; -1: errno is the reason */
static int create(const struct fm_buffer_request *request, const struct fm_buffer_place *place,
                  uint64_t *token)
{
    if (getrandom(token, sizeof *token, GRND_NONBLOCK) != (ssize_t)sizeof *token) {
        *token = fm_clock_now() ^ (uint64_t)getpid() << 32;
    }
    if (place->in_experiment) {
        snprintf(file.path, sizeof file.path, "%s/%u.buf", place->folder, request->rank);
    } else {
        snprintf(file.path, sizeof file.path, "%s/" FM_BUFFER_NAME "%u-%016llx", place->folder,
                 (unsigned)geteuid(), (unsigned long long)*token);
    }
    int descriptor = open(file.path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (descriptor >= 0 && fchmod(descriptor, 0600) != 0) { /* whatever the umask is */
        close(descriptor);
        descriptor = -1;
    }
    return descriptor;
}

bool fm_buffers_begin(const struct fm_buffer_request *request, struct fm_buffer_place *place)
{
    uint64_t token;
    if (!fm_buffer_place_choose(fm_variable(FM_BUFFERS_VARIABLE), request->directory, request->size,
                                place)) {
        return false;
    }
    int descriptor = create(request, place, &token);
    void *first = descriptor >= 0 ? map_block(descriptor, 0) : NULL;
    void *second = first != NULL ? map_block(descriptor, 1) : NULL;
    if (descriptor >= 0) {
        close(descriptor);
    }
    if (second == NULL) {
        snprintf(place->reason, sizeof place->reason, "%.150s: %s", place->folder,
                 strerrordesc_np(errno));
        unlink(file.path);
        file.path[0] = '\0';
        return false;
    }
    uint64_t limit = place->share / FM_BLOCK_BYTES;
    file.limit = limit < BLOCKS_MOST ? (uint32_t)limit : BLOCKS_MOST;
    file.blocks = FIRST_BLOCKS;
    file.head = first;
    file.definitions = second;
    file.slots = (struct fm_buffer_slot *)((char *)first + FM_BUFFER_SLOTS_AT);
    file.slot_count = FM_SLOTS_FIRST;
    fill_head(request, token);
    pthread_atfork(NULL, NULL, child_begins);
    fm_sites_log = (struct fm_buffer_site *)((char *)first + FM_BUFFER_SITES_AT);
    atomic_store_explicit(&file.open, true, memory_order_release);
    fm_buffers_live();
    return true;
}

const char *fm_buffers_path(void)
{
    return file.path;
}

uint64_t fm_buffers_token(void)
{
    return file.head != NULL ? file.head->token : 0;
}

void fm_buffers_remove(void)
{
    if (atomic_exchange(&file.open, false)) {
        unlink(file.path);
    }
}
