/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes an archive with every kind of event in random order and with random numbers, small and
 * large, attributes, mapping tables and clock offsets: no program makes such events, but every
 * archive that OTF2 writes is to be read.
 *
 * usage: write_random_events DIRECTORY SEED EVENTS
 *
 * The last location's file has records that OTF2 does not write any more, or not yet. */
#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESSES = 3, THREADS = 2, LOCATIONS = PROCESSES * THREADS };
enum { STRING_COUNT = 64, COMMUNICATORS = 3, WINDOWS = 2, GROUPS = 5, ATTRIBUTE_COUNT = 12 };
enum { CONTEXTS = 16 };

static const char *const regions[] = {
    "main",          "solve",        "step",        "MPI_Send",     "MPI_Isend",     "MPI_Irecv",
    "MPI_Wait",      "MPI_Recv",     "MPI_Bcast",   "MPI_Ibarrier", "MPI_Put",       "MPI_Rput",
    "MPI_Win_fence", "MPI_Win_lock", "MPI_Mprobe",  "MPI_Imrecv",   "MPI_Comm_idup", "MPI_Win_post",
    "MPI_Get",       "MPI_Mrecv",    "MPI_Finalize"};
enum { REGIONS = sizeof regions / sizeof *regions };

static const struct {
    const char *name;
    OTF2_Type type;
} attributes[ATTRIBUTE_COUNT] = {
    {"UNRECORDED_SENDS", OTF2_TYPE_UINT64},
    {"UNRECORDED_RECEIVES", OTF2_TYPE_UINT64},
    {"UNRECORDED_COLLECTIVES", OTF2_TYPE_UINT64},
    {"UNRECORDED_WINDOW_COLLECTIVES", OTF2_TYPE_UINT64},
    {"UNRECORDED_ACCESS_EPOCHS", OTF2_TYPE_UINT64},
    {"UNRECORDED_EXPOSURE_EPOCHS", OTF2_TYPE_UINT64},
    {"UNRECORDED_ON_COMMUNICATOR", OTF2_TYPE_COMM},
    {"UNRECORDED_ON_WINDOW", OTF2_TYPE_RMA_WIN},
    {"UNRECORDED_PEER", OTF2_TYPE_UINT32},
    {"UNRECORDED_TAG", OTF2_TYPE_UINT32},
    {"UNRECORDED_GROUP", OTF2_TYPE_GROUP},
    {"OTHER", OTF2_TYPE_DOUBLE},
};

static uint64_t state;

static uint64_t random_bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * UINT64_C(0x2545f4914f6cdd1d);
}

static uint32_t below(uint32_t limit)
{
    return (uint32_t)((random_bits() >> 32) % limit);
}

/* Numbers of all lengths, and those that are written specially. */
static uint64_t number(void)
{
    switch (below(12)) {
    case 0:
        return 0;
    case 1:
        return UINT64_MAX;
    default:
        return random_bits() >> below(64);
    }
}

static uint32_t word(void)
{
    uint64_t value = number();
    return value == UINT64_MAX ? UINT32_MAX : (uint32_t)(value >> below(33));
}

/* A reference, which mostly is defined. */
static uint32_t reference(uint32_t defined)
{
    return below(50) == 0 ? word() : below(defined);
}

static void demand(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "write_random_events: %s failed\n", what);
        exit(EXIT_FAILURE);
    }
}

#define WRITE(call) demand((call) == OTF2_SUCCESS, #call)

static OTF2_FlushType flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                            bool final)
{
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static OTF2_AttributeList *random_attributes(void)
{
    static OTF2_AttributeList *list;
    if (list == NULL) {
        list = OTF2_AttributeList_New();
    }
    OTF2_AttributeList_RemoveAllAttributes(list);
    for (uint32_t count = below(5); count > 0; --count) {
        uint32_t which = reference(ATTRIBUTE_COUNT);
        OTF2_Type type = which >= ATTRIBUTE_COUNT || below(20) == 0
                             ? (OTF2_Type)(1 + below(OTF2_TYPE_LOCATION_GROUP))
                             : attributes[which].type;
        OTF2_AttributeValue value = {.uint64 = below(2) == 0 ? below(3) : number()};
        if (!OTF2_AttributeList_TestAttributeByID(list, which)) {
            WRITE(OTF2_AttributeList_AddAttribute(list, which, type, value));
        }
    }
    return list;
}

static void write_metric(OTF2_EvtWriter *w, OTF2_AttributeList *a, uint64_t t)
{
    OTF2_Type types[UINT8_MAX];
    OTF2_MetricValue values[UINT8_MAX];
    uint8_t count = (uint8_t)(below(20) == 0 ? below(256) : 2);
    for (unsigned i = 0; i < count; ++i) {
        static const OTF2_Type all[] = {OTF2_TYPE_INT64, OTF2_TYPE_UINT64, OTF2_TYPE_DOUBLE};
        types[i] = all[below(3)];
        values[i].unsigned_int = number() >> 8; /* no NaN, which would equal nothing */
    }
    WRITE(OTF2_EvtWriter_Metric(w, a, t, reference(2), count, types, values));
}

static void write_program_begin(OTF2_EvtWriter *w, OTF2_AttributeList *a, uint64_t t)
{
    uint32_t arguments[100], count = below(100);
    for (uint32_t i = 0; i < count; ++i) {
        arguments[i] = word();
    }
    WRITE(OTF2_EvtWriter_ProgramBegin(w, a, t, reference(STRING_COUNT), count, arguments));
}

#define R  reference(REGIONS)
#define C  reference(COMMUNICATORS)
#define W  reference(WINDOWS)
#define G  reference(GROUPS)
#define P  reference(PROCESSES)
#define ID (below(4) == 0 ? number() : below(6)) /* requests that meet */
#define B  (uint8_t) below(256)

/* EVENT(name, weight, arguments); enough of those that make activities */
#define EVENTS(EVENT)                                                                              \
    EVENT(Enter, 40, R)                                                                            \
    EVENT(Leave, 40, open_regions != 0 && below(20) != 0 ? regions_open[--open_regions] : R)       \
    EVENT(BufferFlush, 1, t + below(100))                                                          \
    EVENT(MeasurementOnOff, 1, (OTF2_MeasurementMode)(1 + below(2)))                               \
    EVENT(MpiSend, 5, P, C, word(), number())                                                      \
    EVENT(MpiIsend, 5, P, C, word(), number(), ID)                                                 \
    EVENT(MpiIsendComplete, 5, ID)                                                                 \
    EVENT(MpiIrecvRequest, 5, ID)                                                                  \
    EVENT(MpiRecv, 5, P, C, word(), number())                                                      \
    EVENT(MpiIrecv, 5, P, C, word(), number(), ID)                                                 \
    EVENT(MpiRequestTest, 1, ID)                                                                   \
    EVENT(MpiRequestCancelled, 1, ID)                                                              \
    EVENT(MpiCollectiveBegin, 1)                                                                   \
    EVENT(MpiCollectiveEnd, 5, B, C, word(), number(), number())                                   \
    EVENT(ParameterString, 2, below(8), below(10))                                                 \
    EVENT(ParameterInt, 2, below(8), (int64_t)number())                                            \
    EVENT(ParameterUnsignedInt, 2, below(8), number())                                             \
    EVENT(RmaWinCreate, 1, W)                                                                      \
    EVENT(RmaWinDestroy, 1, W)                                                                     \
    EVENT(RmaCollectiveBegin, 1)                                                                   \
    EVENT(RmaCollectiveEnd, 3, B, word(), W, word(), number(), number())                           \
    EVENT(RmaGroupSync, 3, word(), W, G)                                                           \
    EVENT(RmaRequestLock, 1, W, P, number(), B)                                                    \
    EVENT(RmaAcquireLock, 1, W, P, number(), (OTF2_LockType)below(2))                              \
    EVENT(RmaTryLock, 1, W, P, number(), B)                                                        \
    EVENT(RmaReleaseLock, 1, W, P, number())                                                       \
    EVENT(RmaSync, 1, W, P, B)                                                                     \
    EVENT(RmaWaitChange, 1, W)                                                                     \
    EVENT(RmaPut, 5, W, P, number(), ID)                                                           \
    EVENT(RmaGet, 5, W, P, number(), ID)                                                           \
    EVENT(RmaAtomic, 5, W, P, B, number(), number(), ID)                                           \
    EVENT(RmaOpCompleteBlocking, 2, W, ID)                                                         \
    EVENT(RmaOpCompleteNonBlocking, 2, W, ID)                                                      \
    EVENT(RmaOpTest, 1, W, ID)                                                                     \
    EVENT(RmaOpCompleteRemote, 2, W, ID)                                                           \
    EVENT(ThreadFork, 1, B, word())                                                                \
    EVENT(ThreadJoin, 1, B)                                                                        \
    EVENT(ThreadTeamBegin, 1, C)                                                                   \
    EVENT(ThreadTeamEnd, 1, C)                                                                     \
    EVENT(ThreadAcquireLock, 1, B, word(), word())                                                 \
    EVENT(ThreadReleaseLock, 1, B, word(), word())                                                 \
    EVENT(ThreadTaskCreate, 1, C, word(), word())                                                  \
    EVENT(ThreadTaskSwitch, 1, C, word(), word())                                                  \
    EVENT(ThreadTaskComplete, 1, C, word(), word())                                                \
    EVENT(ThreadCreate, 1, C, number())                                                            \
    EVENT(ThreadBegin, 1, C, number())                                                             \
    EVENT(ThreadWait, 1, C, number())                                                              \
    EVENT(ThreadEnd, 1, C, number())                                                               \
    EVENT(CallingContextEnter, 2, reference(CONTEXTS), below(5))                                   \
    EVENT(CallingContextLeave, 2, reference(CONTEXTS))                                             \
    EVENT(CallingContextSample, 4, reference(CONTEXTS), below(5), reference(2))                    \
    EVENT(IoCreateHandle, 1, word(), B, word(), word())                                            \
    EVENT(IoDestroyHandle, 1, word())                                                              \
    EVENT(IoDuplicateHandle, 1, word(), word(), word())                                            \
    EVENT(IoSeek, 1, word(), (int64_t)number(), B, number())                                       \
    EVENT(IoChangeStatusFlags, 1, word(), word())                                                  \
    EVENT(IoDeleteFile, 1, B, word())                                                              \
    EVENT(IoOperationBegin, 1, word(), B, word(), number(), number())                              \
    EVENT(IoOperationTest, 1, word(), number())                                                    \
    EVENT(IoOperationIssued, 1, word(), number())                                                  \
    EVENT(IoOperationComplete, 1, word(), number(), number())                                      \
    EVENT(IoOperationCancelled, 1, word(), number())                                               \
    EVENT(IoAcquireLock, 1, word(), B)                                                             \
    EVENT(IoReleaseLock, 1, word(), B)                                                             \
    EVENT(IoTryLock, 1, word(), B)                                                                 \
    EVENT(ProgramEnd, 1, (int64_t)number())                                                        \
    EVENT(NonBlockingCollectiveRequest, 3, ID)                                                     \
    EVENT(NonBlockingCollectiveComplete, 3, B, C, word(), number(), number(), ID)                  \
    EVENT(CommCreate, 2, C)                                                                        \
    EVENT(CommDestroy, 1, C)

enum {
#define KIND(name, weight, ...) KIND_##name,
    EVENTS(KIND) KIND_METRIC,
    KIND_PROGRAM_BEGIN,
    KINDS
};

static const uint32_t weights[KINDS] = {
#define WEIGHT(name, weight, ...) weight,
    EVENTS(WEIGHT) 5, 1};

static uint32_t random_kind(void)
{
    uint32_t sum = 0, kind = 0;
    for (uint32_t i = 0; i < KINDS; ++i) {
        sum += weights[i];
    }
    for (uint32_t left = below(sum); left >= weights[kind]; ++kind) {
        left -= weights[kind];
    }
    return kind;
}

static uint64_t write_events(OTF2_Archive *archive, uint64_t location, uint32_t count)
{
    OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(archive, location);
    demand(w != NULL, "OTF2_Archive_GetEvtWriter");
    uint32_t regions_open[8], open_regions = 0;
    /* Some clocks begin at 0, which OTF2 takes for no time in the first record. */
    uint64_t t = below(3) == 0 ? 0 : random_bits() >> 16, written = 0;
    for (uint32_t i = 0; i < count; ++i) {
        t += below(4) == 0 ? 0 : below(1000);
        OTF2_AttributeList *a = below(8) == 0 ? random_attributes() : NULL;
        uint32_t kind = random_kind();
        switch (kind) {
#define CASE(name, weight, ...)                                                                    \
    case KIND_##name:                                                                              \
        WRITE(OTF2_EvtWriter_##name(w, a, t __VA_OPT__(, ) __VA_ARGS__));                          \
        break;
            EVENTS(CASE)
        case KIND_METRIC:
            write_metric(w, a, t);
            break;
        default:
            write_program_begin(w, a, t);
            break;
        }
        if (kind == KIND_Enter && open_regions < 8) {
            regions_open[open_regions++] = below(REGIONS);
        }
    }
    WRITE(OTF2_EvtWriter_GetNumberOfEvents(w, &written));
    WRITE(OTF2_Archive_CloseEvtWriter(archive, w));
    return written;
}

/* A table that renames all numbers, or exchanges two of them. Attributes must keep distinct ones.
 */
static void write_map(OTF2_DefWriter *writer, OTF2_MappingType type, uint32_t count)
{
    bool is_dense = below(2) == 0;
    OTF2_IdMap *map = OTF2_IdMap_Create(is_dense ? OTF2_ID_MAP_DENSE : OTF2_ID_MAP_SPARSE, count);
    uint32_t shift = below(count);
    if (is_dense) {
        for (uint32_t i = 0; i < count; ++i) {
            WRITE(OTF2_IdMap_AddIdPair(map, i, (i + shift) % count));
        }
    } else {
        WRITE(OTF2_IdMap_AddIdPair(map, 0, shift));
        if (shift != 0) {
            WRITE(OTF2_IdMap_AddIdPair(map, shift, 0));
        }
    }
    WRITE(OTF2_DefWriter_WriteMappingTable(writer, type, map));
    OTF2_IdMap_Free(map);
}

static void write_local_definitions(OTF2_Archive *archive, uint64_t location)
{
    static const struct {
        OTF2_MappingType type;
        uint32_t count;
    } tables[] = {{OTF2_MAPPING_REGION, REGIONS},
                  {OTF2_MAPPING_COMM, COMMUNICATORS},
                  {OTF2_MAPPING_RMA_WIN, WINDOWS},
                  {OTF2_MAPPING_GROUP, GROUPS},
                  {OTF2_MAPPING_STRING, STRING_COUNT},
                  {OTF2_MAPPING_ATTRIBUTE, ATTRIBUTE_COUNT},
                  {OTF2_MAPPING_METRIC, 2},
                  {OTF2_MAPPING_SOURCE_CODE_LOCATION, REGIONS}};
    OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(archive, location);
    demand(writer != NULL, "OTF2_Archive_GetDefWriter");
    uint64_t time = random_bits() >> 16;
    for (uint32_t offsets = below(6); offsets > 0; --offsets) {
        int64_t offset = (int64_t)(random_bits() >> 40) - ((int64_t)1 << 23);
        WRITE(OTF2_DefWriter_WriteClockOffset(writer, time, offset, 0.5));
        time += ((uint64_t)1 << 20) + (random_bits() >> (20 + below(44)));
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i) {
        if (below(3) == 0) {
            write_map(writer, tables[i].type, tables[i].count);
        }
    }
    WRITE(OTF2_Archive_CloseDefWriter(archive, writer));
}

static OTF2_GlobalDefWriter *definitions;
static uint32_t next_string;

static uint32_t string(const char *text)
{
    WRITE(OTF2_GlobalDefWriter_WriteString(definitions, next_string, text));
    return next_string++;
}

static void write_processes(const uint64_t *event_counts)
{
    uint32_t empty = string("");
    WRITE(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions, 0, string("node"), string("node"),
                                                   OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    uint64_t first_threads[PROCESSES], numbers[] = {0, 1, 2};
    for (uint32_t process = 0; process < PROCESSES; ++process) {
        WRITE(OTF2_GlobalDefWriter_WriteLocationGroup(definitions, process, empty,
                                                      OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                      OTF2_UNDEFINED_LOCATION_GROUP));
        for (uint32_t thread = 0; thread < THREADS; ++thread) {
            uint64_t location = process * THREADS + thread;
            WRITE(OTF2_GlobalDefWriter_WriteLocation(definitions, location, empty,
                                                     OTF2_LOCATION_TYPE_CPU_THREAD,
                                                     event_counts[location], process));
        }
        first_threads[process] = process * THREADS;
    }
    WRITE(OTF2_GlobalDefWriter_WriteGroup(definitions, 0, empty, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                          OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, PROCESSES,
                                          first_threads));
    for (uint32_t group = 1; group < GROUPS; ++group) {
        WRITE(OTF2_GlobalDefWriter_WriteGroup(definitions, group, empty, OTF2_GROUP_TYPE_COMM_GROUP,
                                              OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                              group == 1 ? PROCESSES : group - 1, numbers));
    }
    for (uint32_t i = 0; i < COMMUNICATORS; ++i) {
        WRITE(OTF2_GlobalDefWriter_WriteComm(definitions, i, string(i == 0 ? "MPI_COMM_WORLD" : ""),
                                             i == 0 ? 1 : i + 1, i == 0 ? OTF2_UNDEFINED_COMM : 0,
                                             OTF2_COMM_FLAG_NONE));
    }
    for (uint32_t i = 0; i < WINDOWS; ++i) {
        WRITE(OTF2_GlobalDefWriter_WriteRmaWin(definitions, i, empty, i, OTF2_RMA_WIN_FLAG_NONE));
    }
}

/* Of all types; events name others, too. */
static void write_parameters(void)
{
    for (uint32_t i = 0; i < 6; ++i) {
        WRITE(OTF2_GlobalDefWriter_WriteParameter(definitions, i, string(i < 3 ? "a" : "b"),
                                                  (OTF2_ParameterType)(i % 3)));
    }
}

static void write_metrics(void)
{
    uint32_t name = string("counter");
    for (uint32_t i = 0; i < 3; ++i) {
        WRITE(OTF2_GlobalDefWriter_WriteMetricMember(
            definitions, i, name, name, OTF2_METRIC_TYPE_USER, OTF2_METRIC_ABSOLUTE_POINT,
            OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0, name));
    }
    const OTF2_MetricMemberRef first[] = {0, 1}, second[] = {2};
    WRITE(OTF2_GlobalDefWriter_WriteMetricClass(definitions, 0, 2, first, OTF2_METRIC_ASYNCHRONOUS,
                                                OTF2_RECORDER_KIND_CPU));
    WRITE(OTF2_GlobalDefWriter_WriteMetricClass(definitions, 1, 1, second, OTF2_METRIC_ASYNCHRONOUS,
                                                OTF2_RECORDER_KIND_CPU));
}

/* Call stacks, some of which lead in a circle. Interrupts stand for time in every other archive. */
static void write_contexts(bool is_sampled)
{
    for (uint32_t i = 0; i < CONTEXTS; ++i) {
        const uint32_t parent = i == 0   ? OTF2_UNDEFINED_CALLING_CONTEXT
                                : i < 13 ? i / 2
                                         : 13 + (i - 12) % 3;
        WRITE(OTF2_GlobalDefWriter_WriteCallingContext(
            definitions, i, i % REGIONS, OTF2_UNDEFINED_SOURCE_CODE_LOCATION, parent));
    }
    for (uint32_t i = 0; i < 2; ++i) {
        WRITE(OTF2_GlobalDefWriter_WriteInterruptGenerator(
            definitions, i, string(is_sampled ? "cycles" : "cache misses"),
            OTF2_INTERRUPT_GENERATOR_MODE_COUNT, OTF2_BASE_DECIMAL, 6, i + 1));
    }
}

static void write_definitions(OTF2_Archive *archive, const uint64_t *event_counts)
{
    definitions = OTF2_Archive_GetGlobalDefWriter(archive);
    WRITE(OTF2_GlobalDefWriter_WriteClockProperties(definitions, 1000000000, 0, UINT64_MAX >> 8,
                                                    OTF2_UNDEFINED_TIMESTAMP));
    write_processes(event_counts);
    for (uint32_t i = 0; i < REGIONS; ++i) {
        uint32_t name = string(regions[i]);
        WRITE(OTF2_GlobalDefWriter_WriteRegion(
            definitions, i, name, name, name, OTF2_REGION_ROLE_FUNCTION,
            strncmp(regions[i], "MPI_", 4) == 0 ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER,
            strcmp(regions[i], "step") == 0 ? OTF2_REGION_FLAG_PHASE : OTF2_REGION_FLAG_NONE, name,
            i, i));
        WRITE(OTF2_GlobalDefWriter_WriteSourceCodeLocation(definitions, i, name, i + 1));
    }
    for (uint32_t i = 0; i < ATTRIBUTE_COUNT; ++i) {
        uint32_t name = string(attributes[i].name);
        WRITE(OTF2_GlobalDefWriter_WriteAttribute(definitions, i, name, name, attributes[i].type));
    }
    write_parameters();
    write_metrics();
    write_contexts(below(2) == 0);
    WRITE(OTF2_Archive_CloseGlobalDefWriter(archive, definitions));
}

/* Records of OTF2 1.0, those of numbers that are not known, known ones that have become longer, and
 * lengths of nine bytes where one would do: all of that can be skipped. */
static void write_other_records(const char *directory)
{
    static const uint8_t header[18] = {3, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0x42 : 0x23};
    static const uint8_t records[] = {
        5,   1, 2,   3,   4,  5,  6,  7,   0,         /* a time */
        24,  1, 7,   25,  0,  26, 4,  1,   1,  1, 2,  /* OmpFork ... */
        27,  2, 0,   255, 28, 0,  29, 255, 30, 8,     /* OmpTask ... */
        1,   2, 3,   4,   5,  6,  7,  8,              /* ... Complete */
        100, 0, 101, 3,   9,  9,  9,                  /* unknown */
        12,  1, 3,                                    /* Enter */
        14,  9, 0,   0,   1,  5,  1,  8,   9,  9, 9}; /* a longer MpiSend */
    static const uint8_t last[] = {13, 1, 3, 2};      /* Leave, end of the file */
    char path[4096];
    snprintf(path, sizeof path, "%s/traces/%d.evt", directory, LOCATIONS - 1);
    FILE *file = fopen(path, "wb");
    demand(file != NULL, "fopen");
    fwrite(header, sizeof header, 1, file);
    fwrite(records, sizeof records, 1, file);
    const uint64_t length = 1000;
    fputc(200, file); /* an unknown record */
    fputc(UINT8_MAX, file);
    fwrite(&length, sizeof length, 1, file);
    for (unsigned i = 0; i < length; ++i) {
        fputc((int)below(256), file);
    }
    fwrite(last, sizeof last, 1, file);
    demand(fclose(file) == 0, "fclose");
}

int main(int argc, char **argv)
{
    static const OTF2_FlushCallbacks callbacks = {flush, NULL};
    if (argc != 4) {
        fprintf(stderr, "usage: write_random_events DIRECTORY SEED EVENTS\n");
        return 2;
    }
    state = strtoull(argv[2], NULL, 10) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    OTF2_Archive *archive =
        OTF2_Archive_Open(argv[1], "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_MIN,
                          OTF2_CHUNK_SIZE_MIN, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    demand(archive != NULL, "OTF2_Archive_Open");
    OTF2_Archive_SetFlushCallbacks(archive, &callbacks, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    uint64_t event_counts[LOCATIONS];
    WRITE(OTF2_Archive_OpenEvtFiles(archive));
    WRITE(OTF2_Archive_OpenDefFiles(archive));
    for (uint32_t i = 0; i < LOCATIONS; ++i) {
        /* Some are empty, most small, the first larger than a chunk. */
        uint32_t count = (uint32_t)strtoul(argv[3], NULL, 10);
        event_counts[i] = write_events(archive, i,
                                       i == 0           ? count
                                       : below(10) == 0 ? 0
                                                        : below(count / 10 + 1));
        write_local_definitions(archive, i);
    }
    WRITE(OTF2_Archive_CloseDefFiles(archive));
    WRITE(OTF2_Archive_CloseEvtFiles(archive));
    write_definitions(archive, event_counts);
    WRITE(OTF2_Archive_Close(archive));
    write_other_records(argv[1]);
    return 0;
}
