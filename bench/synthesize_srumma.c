/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the trace of a simulated multiplication of two distributed matrices in ARMCI (SRUMMA) of
 * any number of processes: the input of the benchmark of gets [H17 section 5.4, table A.9].
 *
 *   synthesize_srumma RANKS GETS DIR
 *
 * RANKS processes form a grid as square as possible; all of them together make about GETS gets. In
 * each step a process begins to get a block of the left matrix from its row and one of the right
 * matrix from its column, waits for both by ARMCI_WaitAll, and multiplies them. A process serves
 * gets in its own calls only: a get from a process that computes is complete when that process
 * enters its next call. ARMCI_AllFence and ARMCI_Barrier end the multiplication. No time depends on
 * a later one: the times are causally consistent. Nanoseconds. */
#include <errno.h>
#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CALL         200     /* duration of a call that does not wait */
#define LATENCY      1500    /* of a get */
#define COMPUTE      20000   /* of the fastest product */
#define INIT_END     2000000 /* end of ARMCI_Init on all processes */
#define MALLOC_END   2100000 /* likewise ARMCI_Malloc */
#define FENCE_SPREAD 20000   /* by which the durations of ARMCI_AllFence differ */
#define BLOCK_BYTES  8192

#define EVENT_CHUNK      ((uint64_t)1 << 20)
#define DEFINITION_CHUNK ((uint64_t)256 << 10)

enum region {
    MAIN,
    MULTIPLY,
    INIT,
    MALLOC,
    NB_GET,
    WAIT_ALL,
    ALL_FENCE,
    BARRIER,
    FINALIZE,
    REGIONS
};
enum { SIDES = 2, WORLD = 0, WINDOW = 0 };

/* One step of a process. */
struct step {
    uint64_t issue; /* Enter of its first get */
    uint64_t done;  /* Leave of ARMCI_WaitAll, begin of the product */
    uint64_t end;   /* of the product */
};

static struct {
    uint32_t ranks, rows, columns, steps;
    struct step *of;   /* [steps][ranks] */
    uint64_t *fenced;  /* [ranks]: Leave of ARMCI_AllFence */
    uint64_t finished; /* Leave of ARMCI_Barrier on all processes */
    uint64_t *events;  /* [ranks] */
    uint64_t gets;
} run;

static struct step *step_of(uint32_t step, uint32_t rank)
{
    return &run.of[(size_t)step * run.ranks + rank];
}

/* splitmix64 */
static uint64_t mix(uint64_t value)
{
    value += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

/* Owners of the blocks that a process needs in a step; each process begins with another one.
 * @return how many of them are other processes */
static uint32_t owners(uint32_t rank, uint32_t step, uint32_t others[SIDES])
{
    const uint32_t row = rank / run.columns, column = rank % run.columns;
    const uint32_t inner = row + column + step;
    const uint32_t sides[SIDES] = {row * run.columns + inner % run.columns,
                                   inner % run.rows * run.columns + column};
    uint32_t count = 0;
    for (int i = 0; i < SIDES; i++) {
        if (sides[i] != rank) {
            others[count++] = sides[i];
        }
    }
    return count;
}

/* ---- the simulation ---- */

/* Processes by the time of their next step, the earliest first (a binary heap). */
static struct {
    uint32_t *ranks;
    uint64_t *times; /* [rank] */
    uint32_t count;
} queue;

static bool is_earlier(uint32_t a, uint32_t b)
{
    return queue.times[a] != queue.times[b] ? queue.times[a] < queue.times[b] : a < b;
}

static void push(uint32_t rank, uint64_t time)
{
    uint32_t hole = queue.count++;
    queue.times[rank] = time;
    for (; hole > 0 && is_earlier(rank, queue.ranks[(hole - 1) / 2]); hole = (hole - 1) / 2) {
        queue.ranks[hole] = queue.ranks[(hole - 1) / 2];
    }
    queue.ranks[hole] = rank;
}

static uint32_t pop(void)
{
    const uint32_t first = queue.ranks[0], moved = queue.ranks[--queue.count];
    uint32_t hole = 0, child;
    while ((child = 2 * hole + 1) < queue.count) {
        child += child + 1 < queue.count && is_earlier(queue.ranks[child + 1], queue.ranks[child]);
        if (!is_earlier(queue.ranks[child], moved)) {
            break;
        }
        queue.ranks[hole] = queue.ranks[child];
        hole = child;
    }
    queue.ranks[hole] = moved;
    return first;
}

/* @return when a process whose latest step is known serves a get that is issued at a time */
static uint64_t served(uint32_t target, uint32_t steps_begun, uint64_t time)
{
    if (steps_begun == 0) {
        return time;
    }
    const struct step *now = step_of(steps_begun - 1, target);
    return time >= now->done && time < now->end ? now->end : time;
}

/* `begun`: scratch, [ranks], 0: steps that each process has begun */
static void simulate(uint32_t *begun)
{
    for (uint32_t rank = 0; rank < run.ranks; rank++) {
        push(rank, MALLOC_END + mix(rank) % COMPUTE);
    }
    while (queue.count != 0) {
        const uint32_t rank = pop(), number = begun[rank]++;
        struct step *step = step_of(number, rank);
        uint32_t others[SIDES];
        const uint32_t count = owners(rank, number, others);
        step->issue = queue.times[rank];
        step->done = step->issue + SIDES * CALL;
        for (uint32_t i = 0; i < count; i++) {
            const uint64_t arrived =
                served(others[i], begun[others[i]], step->issue + i * CALL) + LATENCY;
            step->done = arrived > step->done ? arrived : step->done;
        }
        step->done += CALL;
        step->end = step->done + COMPUTE + mix((uint64_t)number << 32 | rank) % (COMPUTE / 5);
        run.gets += count;
        if (number + 1 < run.steps) {
            push(rank, step->end);
        }
    }
    for (uint32_t rank = 0; rank < run.ranks; rank++) {
        run.fenced[rank] =
            step_of(run.steps - 1, rank)->end + CALL + mix(~(uint64_t)rank) % FENCE_SPREAD;
        const uint64_t end = run.fenced[rank] + LATENCY + CALL;
        run.finished = end > run.finished ? end : run.finished;
    }
}

/* ---- the archive ---- */

static void check(OTF2_ErrorCode code)
{
    if (code != OTF2_SUCCESS) {
        fprintf(stderr, "synthesize_srumma: %s\n", OTF2_Error_GetDescription(code));
        exit(EXIT_FAILURE);
    }
}

static void write_collective(OTF2_EvtWriter *writer, enum region region, uint64_t begin,
                             uint64_t end, OTF2_CollectiveOp operation)
{
    check(OTF2_EvtWriter_Enter(writer, NULL, begin, region));
    check(OTF2_EvtWriter_RmaCollectiveBegin(writer, NULL, begin));
    if (region == INIT) {
        check(OTF2_EvtWriter_RmaWinCreate(writer, NULL, end, WINDOW));
    } else if (region == FINALIZE) {
        check(OTF2_EvtWriter_RmaWinDestroy(writer, NULL, end, WINDOW));
    }
    check(OTF2_EvtWriter_RmaCollectiveEnd(writer, NULL, end, operation, OTF2_RMA_SYNC_LEVEL_PROCESS,
                                          WINDOW, OTF2_UNDEFINED_UINT32, 0, 0));
    check(OTF2_EvtWriter_Leave(writer, NULL, end, region));
}

static void write_step(OTF2_EvtWriter *writer, uint32_t rank, uint32_t number)
{
    const struct step *step = step_of(number, rank);
    uint32_t others[SIDES];
    const uint32_t count = owners(rank, number, others);
    const uint64_t id = (uint64_t)number * SIDES;
    uint64_t time = step->issue;
    for (uint32_t i = 0; i < count; i++) {
        check(OTF2_EvtWriter_Enter(writer, NULL, time, NB_GET));
        check(OTF2_EvtWriter_RmaGet(writer, NULL, time, WINDOW, others[i], BLOCK_BYTES, id + i));
        check(OTF2_EvtWriter_Leave(writer, NULL, time += CALL, NB_GET));
    }
    check(OTF2_EvtWriter_Enter(writer, NULL, time, WAIT_ALL));
    for (uint32_t i = 0; i < count; i++) {
        check(OTF2_EvtWriter_RmaOpCompleteNonBlocking(writer, NULL, step->done, WINDOW, id + i));
    }
    check(OTF2_EvtWriter_Leave(writer, NULL, step->done, WAIT_ALL));
    check(OTF2_EvtWriter_Enter(writer, NULL, step->done, MULTIPLY));
    check(OTF2_EvtWriter_Leave(writer, NULL, step->end, MULTIPLY));
}

static void write_location(OTF2_Archive *archive, uint32_t rank)
{
    OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(archive, rank);
    check(OTF2_EvtWriter_Enter(writer, NULL, 0, MAIN));
    write_collective(writer, INIT, 0, INIT_END, OTF2_COLLECTIVE_OP_CREATE_HANDLE);
    write_collective(writer, MALLOC, INIT_END, MALLOC_END, OTF2_COLLECTIVE_OP_ALLOCATE);
    for (uint32_t step = 0; step < run.steps; step++) {
        write_step(writer, rank, step);
    }
    check(OTF2_EvtWriter_Enter(writer, NULL, step_of(run.steps - 1, rank)->end, ALL_FENCE));
    check(OTF2_EvtWriter_Leave(writer, NULL, run.fenced[rank], ALL_FENCE));
    write_collective(writer, BARRIER, run.fenced[rank], run.finished, OTF2_COLLECTIVE_OP_BARRIER);
    write_collective(writer, FINALIZE, run.finished, run.finished + CALL,
                     OTF2_COLLECTIVE_OP_DESTROY_HANDLE);
    check(OTF2_EvtWriter_Leave(writer, NULL, run.finished + CALL, MAIN));
    check(OTF2_EvtWriter_GetNumberOfEvents(writer, &run.events[rank]));
    check(OTF2_Archive_CloseEvtWriter(archive, writer));
    check(OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, rank)));
}

static OTF2_StringRef string(OTF2_GlobalDefWriter *writer, const char *text)
{
    static OTF2_StringRef next;
    check(OTF2_GlobalDefWriter_WriteString(writer, next, text));
    return next++;
}

static void write_processes(OTF2_GlobalDefWriter *writer, OTF2_StringRef empty)
{
    uint64_t *members = calloc(run.ranks, sizeof *members);
    const OTF2_StringRef thread = string(writer, "Master thread");
    if (members == NULL) {
        check(OTF2_ERROR_MEM_ALLOC_FAILED);
    }
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, string(writer, "simulation"),
                                                   string(writer, "machine"),
                                                   OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (uint32_t rank = 0; rank < run.ranks; rank++) {
        char name[32];
        snprintf(name, sizeof name, "MPI Rank %" PRIu32, rank);
        check(OTF2_GlobalDefWriter_WriteLocationGroup(writer, rank, string(writer, name),
                                                      OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                      OTF2_UNDEFINED_LOCATION_GROUP));
        check(OTF2_GlobalDefWriter_WriteLocation(
            writer, rank, thread, OTF2_LOCATION_TYPE_CPU_THREAD, run.events[rank], rank));
        members[rank] = rank;
    }
    check(OTF2_GlobalDefWriter_WriteGroup(writer, 0, empty, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                          OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, run.ranks,
                                          members));
    check(OTF2_GlobalDefWriter_WriteGroup(writer, 1, empty, OTF2_GROUP_TYPE_COMM_GROUP,
                                          OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, run.ranks,
                                          members));
    free(members);
}

static void write_definitions(OTF2_GlobalDefWriter *writer)
{
    static const struct {
        const char *name;
        OTF2_Paradigm paradigm; /* OTF2 has none for ARMCI */
    } regions[REGIONS] = {[MAIN] = {"main", OTF2_PARADIGM_USER},
                          [MULTIPLY] = {"multiply", OTF2_PARADIGM_USER},
                          [INIT] = {"ARMCI_Init", OTF2_PARADIGM_UNKNOWN},
                          [MALLOC] = {"ARMCI_Malloc", OTF2_PARADIGM_UNKNOWN},
                          [NB_GET] = {"ARMCI_NbGet", OTF2_PARADIGM_UNKNOWN},
                          [WAIT_ALL] = {"ARMCI_WaitAll", OTF2_PARADIGM_UNKNOWN},
                          [ALL_FENCE] = {"ARMCI_AllFence", OTF2_PARADIGM_UNKNOWN},
                          [BARRIER] = {"ARMCI_Barrier", OTF2_PARADIGM_UNKNOWN},
                          [FINALIZE] = {"ARMCI_Finalize", OTF2_PARADIGM_UNKNOWN}};
    const OTF2_StringRef empty = string(writer, "");
    check(OTF2_GlobalDefWriter_WriteClockProperties(writer, 1000000000, 0, run.finished + CALL, 0));
    for (uint32_t i = 0; i < REGIONS; i++) {
        const OTF2_StringRef name = string(writer, regions[i].name);
        check(OTF2_GlobalDefWriter_WriteRegion(writer, i, name, name, empty,
                                               OTF2_REGION_ROLE_FUNCTION, regions[i].paradigm,
                                               OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0, 0));
    }
    write_processes(writer, empty);
    check(OTF2_GlobalDefWriter_WriteComm(writer, WORLD, string(writer, "world"), 1,
                                         OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    check(OTF2_GlobalDefWriter_WriteRmaWin(writer, WINDOW, string(writer, "memory"), WORLD,
                                           OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS));
}

static OTF2_FlushType before_flush(void *data, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool final)
{
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static void write_archive(const char *directory)
{
    static const OTF2_FlushCallbacks flush = {before_flush, NULL};
    OTF2_Archive *archive =
        OTF2_Archive_Open(directory, "traces", OTF2_FILEMODE_WRITE, EVENT_CHUNK, DEFINITION_CHUNK,
                          OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (archive == NULL) {
        check(OTF2_ERROR_FILE_CAN_NOT_OPEN);
    }
    check(OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
    check(OTF2_Archive_OpenEvtFiles(archive));
    check(OTF2_Archive_OpenDefFiles(archive));
    for (uint32_t rank = 0; rank < run.ranks; rank++) {
        write_location(archive, rank);
    }
    check(OTF2_Archive_CloseDefFiles(archive));
    check(OTF2_Archive_CloseEvtFiles(archive));
    write_definitions(OTF2_Archive_GetGlobalDefWriter(archive));
    check(OTF2_Archive_Close(archive));
}

static bool allocate(void)
{
    run.of = calloc((size_t)run.steps * run.ranks, sizeof *run.of);
    run.fenced = calloc(run.ranks, sizeof *run.fenced);
    run.events = calloc(run.ranks, sizeof *run.events);
    queue.ranks = calloc(run.ranks, sizeof *queue.ranks);
    queue.times = calloc(run.ranks, sizeof *queue.times);
    return run.of != NULL && run.fenced != NULL && run.events != NULL && queue.ranks != NULL &&
           queue.times != NULL;
}

int main(int argc, char **argv)
{
    const long ranks = argc == 4 ? atol(argv[1]) : 0;
    const double gets = argc == 4 ? atof(argv[2]) : 0;
    if (ranks < 2 || ranks > 1 << 20 || !(gets >= 1 && gets <= 1e12)) {
        fputs("usage: synthesize_srumma RANKS GETS DIR\n", stderr);
        return 2;
    }
    run.ranks = (uint32_t)ranks;
    for (uint32_t rows = 1; rows * rows <= run.ranks; rows++) {
        run.rows = run.ranks % rows == 0 ? rows : run.rows;
    }
    run.columns = run.ranks / run.rows;
    run.steps = gets / (2.0 * (double)ranks) < 1 ? 1 : (uint32_t)(gets / (2.0 * (double)ranks));
    uint32_t *begun = calloc(run.ranks, sizeof *begun);
    if (begun == NULL || !allocate()) {
        fputs("synthesize_srumma: no memory\n", stderr);
        return 1;
    }
    if (mkdir(argv[3], 0777) != 0) {
        fprintf(stderr, "synthesize_srumma: cannot create %s: %s\n", argv[3], strerror(errno));
        return 1;
    }
    simulate(begun);
    write_archive(argv[3]);
    uint64_t events = 0;
    for (uint32_t rank = 0; rank < run.ranks; rank++) {
        events += run.events[rank];
    }
    printf("%" PRIu64 " events of %" PRIu32 " ranks, %" PRIu64 " gets\n", events, run.ranks,
           run.gets);
    free(begun);
    free(run.of);
    free(run.fenced);
    free(run.events);
    free(queue.ranks);
    free(queue.times);
    return 0;
}
