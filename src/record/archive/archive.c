/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/archive/archive.h"

#include "record/archive/archive_space.h"
#include "record/conversion/convert.h"
#include "record/conversion/convert_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    OTF2_Archive *handle;
    const struct fm_exchange *exchange;
    uint64_t definition_chunk; /* bytes */
    char failure[256];
} archive;

bool fm_archive_has_failed;

OTF2_Archive *fm_archive_handle(void)
{
    return archive.handle;
}

uint64_t fm_archive_chunk(void)
{
    return archive.definition_chunk;
}

/* OTF2 prints several lines for each failing call unless a callback is registered. The callback
 * also gets errors that no call returns: the record that fills a buffer does not return the failed
 * write of that buffer, and closing the file afterwards uses freed memory. */
static OTF2_ErrorCode keep_first_error(void *data, const char *file, uint64_t line,
                                       const char *function, OTF2_ErrorCode code,
                                       const char *format, va_list arguments)
{
    (void)data, (void)file, (void)line, (void)function;
    if (code == OTF2_SUCCESS || code == OTF2_WARNING || code == OTF2_DEPRECATED) {
        return code;
    }
    fm_archive_has_failed = true;
    if (archive.failure[0] == '\0') {
        int length = snprintf(archive.failure, sizeof archive.failure,
                              "%s: ", OTF2_Error_GetDescription(code));
        if (format != NULL && length > 0 && (size_t)length < sizeof archive.failure) {
            vsnprintf(archive.failure + length, sizeof archive.failure - (size_t)length, format,
                      arguments);
        }
    }
    return code;
}

void fm_archive_check(OTF2_ErrorCode code)
{
    if (code != OTF2_SUCCESS && !fm_archive_has_failed) {
        fm_archive_has_failed = true;
        if (archive.failure[0] == '\0') {
            snprintf(archive.failure, sizeof archive.failure, "%s",
                     OTF2_Error_GetDescription(code));
        }
    }
}

void fm_archive_fail(const char *format, ...)
{
    if (!fm_archive_has_failed) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(archive.failure, sizeof archive.failure, format, arguments);
        va_end(arguments);
        fm_archive_has_failed = true;
    }
}

const char *fm_archive_failure(void)
{
    return fm_archive_has_failed ? archive.failure : NULL;
}

/* ---- OTF2's collective calls, on top of the exchange ---- */

static OTF2_CallbackCode outcome(void)
{
    return archive.exchange->failure == NULL ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_ERROR;
}

static size_t size_of(OTF2_Type type, uint32_t elements)
{
    static const unsigned char sizes[] = {
        [OTF2_TYPE_UINT8] = 1,  [OTF2_TYPE_UINT16] = 2, [OTF2_TYPE_UINT32] = 4,
        [OTF2_TYPE_UINT64] = 8, [OTF2_TYPE_INT8] = 1,   [OTF2_TYPE_INT16] = 2,
        [OTF2_TYPE_INT32] = 4,  [OTF2_TYPE_INT64] = 8,  [OTF2_TYPE_FLOAT] = 4,
        [OTF2_TYPE_DOUBLE] = 8,
    };
    return type < sizeof sizes ? (size_t)sizes[type] * elements : 0;
}

static OTF2_CallbackCode get_size(void *data, OTF2_CollectiveContext *context, uint32_t *size)
{
    (void)data, (void)context;
    *size = archive.exchange->size;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode get_rank(void *data, OTF2_CollectiveContext *context, uint32_t *rank)
{
    (void)data, (void)context;
    *rank = archive.exchange->rank;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode barrier(void *data, OTF2_CollectiveContext *context)
{
    (void)data, (void)context;
    archive.exchange->barrier();
    return outcome();
}

static OTF2_CallbackCode bcast(void *data, OTF2_CollectiveContext *context, void *values,
                               uint32_t elements, OTF2_Type type, uint32_t root)
{
    (void)data, (void)context;
    archive.exchange->broadcast(values, size_of(type, elements), root);
    return outcome();
}

static OTF2_CallbackCode gather(void *data, OTF2_CollectiveContext *context, const void *in,
                                void *out, uint32_t elements, OTF2_Type type, uint32_t root)
{
    (void)data, (void)context;
    archive.exchange->gather(in, out, size_of(type, elements), root);
    return outcome();
}

static OTF2_CallbackCode scatter(void *data, OTF2_CollectiveContext *context, const void *in,
                                 void *out, uint32_t elements, OTF2_Type type, uint32_t root)
{
    (void)data, (void)context;
    archive.exchange->scatter(in, out, size_of(type, elements), root);
    return outcome();
}

static OTF2_CallbackCode gatherv(void *data, OTF2_CollectiveContext *context, const void *in,
                                 uint32_t elements, void *out, const uint32_t *counts,
                                 OTF2_Type type, uint32_t root)
{
    (void)data, (void)context;
    const struct fm_exchange *exchange = archive.exchange;
    if (exchange->rank != root) {
        exchange->send(in, size_of(type, elements), root);
        return outcome();
    }
    char *place = out;
    for (uint32_t i = 0; i < exchange->size; place += size_of(type, counts[i]), i++) {
        if (i == root) {
            memcpy(place, in, size_of(type, elements));
        } else {
            exchange->receive(place, size_of(type, counts[i]), i);
        }
    }
    return outcome();
}

static OTF2_CallbackCode scatterv(void *data, OTF2_CollectiveContext *context, const void *in,
                                  const uint32_t *counts, void *out, uint32_t elements,
                                  OTF2_Type type, uint32_t root)
{
    (void)data, (void)context;
    const struct fm_exchange *exchange = archive.exchange;
    if (exchange->rank != root) {
        exchange->receive(out, size_of(type, elements), root);
        return outcome();
    }
    const char *place = in;
    for (uint32_t i = 0; i < exchange->size; place += size_of(type, counts[i]), i++) {
        if (i == root) {
            memcpy(out, place, size_of(type, elements));
        } else {
            exchange->send(place, size_of(type, counts[i]), i);
        }
    }
    return outcome();
}

static const OTF2_CollectiveCallbacks collectives = {
    .otf2_get_size = get_size,
    .otf2_get_rank = get_rank,
    .otf2_barrier = barrier,
    .otf2_bcast = bcast,
    .otf2_gather = gather,
    .otf2_gatherv = gatherv,
    .otf2_scatter = scatter,
    .otf2_scatterv = scatterv,
};

/* ---- the archive ---- */

static OTF2_FlushType always_flush(void *data, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool final)
{
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static void set_properties(OTF2_Archive *handle, const struct fm_exchange *exchange)
{
    static const struct {
        const char *name;
        bool value;
    } properties[] = {
        {"OTF2::MPI_COMMUNICATION_COMPLETE", true},
        {"OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE", true},
        {"OTF2::THREAD_CREATE_WAIT_EVENT_COMPLETE", true},
        {"OTF2::THREAD_LOCK_EVENT_COMPLETE", true},
        {"OTF2::PTHREAD_LOCATION_REUSED", false},
    };
    if (exchange->rank != 0) {
        return;
    }
    for (size_t i = 0; i < sizeof properties / sizeof properties[0]; i++) {
        fm_archive_check(
            OTF2_Archive_SetBoolProperty(handle, properties[i].name, properties[i].value, true));
    }
    fm_archive_check(OTF2_Archive_SetCreator(handle, "fermata " FERMATA_VERSION));
    fm_archive_check(OTF2_Archive_SetMachineName(handle, "Linux"));
}

bool fm_archive_open(const char *directory, const struct fm_exchange *exchange, uint64_t entries)
{
    static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = always_flush};
    archive.exchange = exchange;
    if (exchange->failure != NULL) {
        fm_archive_fail("%s", exchange->failure);
        return false;
    }
    /* All processes use one size: rank 0 writes it into the anchor file. */
    exchange->reduce(&entries, 1, FM_REDUCE_MAX);
    archive.definition_chunk = fm_archive_definition_chunk(entries, exchange->size);
    OTF2_Error_RegisterCallback(keep_first_error, NULL);
    OTF2_Archive *handle =
        OTF2_Archive_Open(directory, "traces", OTF2_FILEMODE_WRITE, FM_ARCHIVE_EVENT_CHUNK,
                          archive.definition_chunk, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    archive.handle = handle;
    if (handle == NULL) {
        fm_archive_check(OTF2_ERROR_FILE_INTERACTION);
    } else {
        fm_archive_check(OTF2_Archive_SetFlushCallbacks(handle, &flush, NULL));
        fm_archive_check(OTF2_Archive_SetMemoryCallbacks(handle, fm_archive_memory(), NULL));
        fm_archive_check(
            OTF2_Archive_SetCollectiveCallbacks(handle, &collectives, NULL, NULL, NULL));
        set_properties(handle, exchange);
    }
    if (!fm_archive_agree()) {
        return false;
    }
    fm_archive_check(OTF2_Archive_OpenEvtFiles(handle));
    return fm_archive_agree();
}

bool fm_archive_agree(void)
{
    uint64_t good = !fm_archive_has_failed;
    archive.exchange->reduce(&good, 1, FM_REDUCE_MIN);
    if (archive.exchange->failure != NULL) {
        fm_archive_fail("%s", archive.exchange->failure);
    }
    return good != 0;
}

uint64_t fm_archive_location(uint32_t rank, uint32_t thread)
{
    return (uint64_t)rank | (uint64_t)thread << 32;
}

static bool has_writer(struct fm_thread *thread)
{
    if (thread->writer == NULL && archive.handle != NULL && !fm_archive_has_failed) {
        thread->writer = OTF2_Archive_GetEvtWriter(
            archive.handle, fm_archive_location(thread->rank, thread->index));
        if (thread->writer == NULL) {
            fm_archive_check(OTF2_ERROR_MEM_FAULT);
        }
    }
    return thread->writer != NULL && !fm_archive_has_failed;
}

bool fm_archive_write(struct fm_thread *thread, const uint64_t *records, size_t words,
                      size_t functions)
{
    return !has_writer(thread) || fm_convert_records(thread, records, words, functions);
}

bool fm_archive_write_memory(struct fm_thread *thread, size_t functions)
{
    bool good = true;
    thread->current->used = thread->cursor;
    if (thread->converted_chunk == NULL) {
        struct fm_extent rest = fm_thread_unsaved(thread); /* earlier ones come from the journal */
        thread->converted_chunk = rest.first;
        thread->converted = rest.begin;
    }
    for (;;) {
        struct fm_chunk *chunk = thread->converted_chunk;
        good = fm_archive_write(thread, thread->converted,
                                (size_t)(chunk->used - thread->converted), functions) &&
               good;
        thread->converted = chunk->used;
        if (chunk->next == NULL) {
            return good;
        }
        thread->converted_chunk = chunk->next;
        thread->converted = chunk->next->words;
    }
}

void fm_archive_last(struct fm_thread *thread, uint64_t time)
{
    if (has_writer(thread)) {
        fm_convert_pending(thread, UINT64_MAX);
        fm_convert_not_before(thread, time);
    }
}

void fm_archive_settle(struct fm_thread *thread, bool over)
{
    if (has_writer(thread)) {
        fm_convert_pending(thread, UINT64_MAX);
        if (over) {
            fm_convert_end(thread);
        } else {
            fm_convert_open_call(thread);
        }
    }
}

bool fm_archive_write_open(struct fm_thread *thread, const struct fm_shown_call *open,
                           size_t functions)
{
    if (has_writer(thread)) {
        fm_convert_open(thread, open, functions);
    }
    return thread->is_in_call;
}

void fm_archive_settle_killed(struct fm_thread *thread)
{
    if (has_writer(thread)) {
        fm_convert_end_killed(thread);
    }
}

void fm_archive_close_events(struct fm_thread *thread)
{
    if (thread->writer != NULL && !fm_archive_has_failed) {
        fm_archive_check(OTF2_Archive_CloseEvtWriter(archive.handle, thread->writer));
    }
    thread->writer = NULL;
}

void fm_archive_end_events(void)
{
    fm_archive_check(OTF2_Archive_CloseEvtFiles(archive.handle));
}

void fm_archive_abandon(void)
{
    archive.handle = NULL;
    fm_archive_has_failed = false;
    archive.failure[0] = '\0';
}

void fm_archive_close(bool locations_reused)
{
    if (locations_reused && archive.exchange->rank == 0) {
        fm_archive_check(OTF2_Archive_SetBoolProperty(archive.handle,
                                                      "OTF2::PTHREAD_LOCATION_REUSED", true, true));
    }
    fm_archive_check(OTF2_Archive_Close(archive.handle));
    archive.handle = NULL;
}
