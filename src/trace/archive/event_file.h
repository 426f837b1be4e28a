/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Reads the files of an archive that belong to one location, chunk by chunk. Private to src/trace.
 *
 * An archive NAME.otf2 keeps the events of location N in NAME/N.evt and its definitions in
 * NAME/N.def (OTF2's substrate "POSIX"). A file is a sequence of chunks of the size that the anchor
 * file states; the last chunk may be shorter:
 *
 *   byte 3 | byte order (0x42 little, 0x23 big) | first event, last event (8 bytes each) | records
 *
 * The byte 2 after the last record (event_decoder.h) ends the file; bytes 0 fill the rest of a
 * chunk that is followed by another one. Source: OTF2 3.0 (BSD licence), OTF2_Buffer.c.
 */
#ifndef FERMATA_TRACE_ARCHIVE_EVENT_FILE_H
#define FERMATA_TRACE_ARCHIVE_EVENT_FILE_H

#include "trace/archive/event_bytes.h"

#include <otf2/otf2.h>

/** Bytes of the header of a chunk. */
enum { FM_FILE_HEADER = 18 };

/** First bytes of records other than events and definitions. */
enum { FM_FILE_NEXT_CHUNK = 0, FM_FILE_END = 2, FM_FILE_TIME = 5, FM_FILE_ATTRIBUTES = 6 };

typedef enum { FM_FILES_EVENTS, FM_FILES_DEFINITIONS } fm_files_t;

/** The files of one archive. One file is open at a time. Not to be shared by threads. */
struct fm_event_files {
    fm_files_t kind;
    char *folder; /**< NULL: not usable, see fm_event_files_usable() */
    uint64_t chunk_size;
    uint8_t *chunk; /**< of `chunk_size` and FM_EVENT_SLACK bytes */
    int file;       /**< -1: none */
    uint64_t position, size;
};

/** Prepares reading; fm_event_files_usable() states whether the format is supported.
 * @param archive  open
 * @param anchor   path of the anchor file that it was opened with */
void fm_event_files_open(struct fm_event_files *files, fm_files_t kind, OTF2_Reader *archive,
                         const char *anchor);

/** Prepares reading of files in a folder.
 * @param folder  copied */
void fm_event_files_use(struct fm_event_files *files, fm_files_t kind, const char *folder,
                        uint64_t chunk_size);

void fm_event_files_close(struct fm_event_files *files);

/** Whether the files can be read here: uncompressed, of OTF2 1 to 3, in the file system. */
static inline bool fm_event_files_usable(const struct fm_event_files *files)
{
    return files->folder != NULL;
}

/** Opens the file of a location, and closes the previous one.
 * @return false if there is no such regular file, or it cannot be read */
bool fm_event_files_select(struct fm_event_files *files, uint64_t location);

/** Selects a file that is open already; fm_event_files_close() or the next selection closes it. */
bool fm_event_files_select_open(struct fm_event_files *files, int file);

/** Reads the next chunk of the file.
 * @param bytes  out: the data after its header, at least one byte; valid until the next call
 * @return false at the end of the file, or if it cannot be read, has another byte order or is no
 * chunk */
bool fm_event_files_next(struct fm_event_files *files, struct fm_event_bytes *bytes);

#endif
