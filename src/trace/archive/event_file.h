/** @file
 * The files of an archive that belong to one location, chunk by chunk. Private to src/trace.
 *
 * An archive NAME.otf2 keeps the events of location N in NAME/N.evt and its definitions in
 * NAME/N.def (OTF2's substrate "POSIX"). A file is a sequence of chunks of the size that the anchor
 * file tells, of which the last one may be shorter. A chunk begins with the byte 3, a byte for its
 * byte order (0x42: little, 0x23: big) and the numbers of its first and last event, 8 bytes each.
 * Records follow (event_decoder.h), and after the last one the byte 0 (go on with the next chunk),
 * which fills what is left, or 2 (the end). Source: OTF2 3.0 (BSD licence), OTF2_Buffer.c.
 */
#ifndef FERMATA_TRACE_ARCHIVE_EVENT_FILE_H
#define FERMATA_TRACE_ARCHIVE_EVENT_FILE_H

#include "trace/archive/event_bytes.h"

#include <otf2/otf2.h>

/** Bytes of the header of a chunk. */
enum { FM_FILE_HEADER = 18 };

/** What may stand where a record begins, besides events and definitions. */
enum { FM_FILE_NEXT_CHUNK = 0, FM_FILE_END = 2, FM_FILE_TIME = 5, FM_FILE_ATTRIBUTES = 6 };

typedef enum { FM_FILES_EVENTS, FM_FILES_DEFINITIONS } fm_files_t;

/** The files of one archive, of which one at a time is open; used by one thread. */
struct fm_event_files {
    fm_files_t kind;
    char *folder; /**< NULL: the files are not of the kind that is understood here */
    uint64_t chunk_size;
    uint8_t *chunk; /**< of `chunk_size` and FM_EVENT_SLACK bytes */
    int file;       /**< -1: none */
    uint64_t position, size;
};

/** Prepares reading. Afterwards fm_event_files_usable() tells whether it makes sense.
 * @param archive  open
 * @param anchor   path of the anchor file that it was opened with */
void fm_event_files_open(struct fm_event_files *files, fm_files_t kind, OTF2_Reader *archive,
                         const char *anchor);

/** Prepares reading of files in a folder.
 * @param folder  copied */
void fm_event_files_use(struct fm_event_files *files, fm_files_t kind, const char *folder,
                        uint64_t chunk_size);

void fm_event_files_close(struct fm_event_files *files);

static inline bool fm_event_files_usable(const struct fm_event_files *files)
{
    return files->folder != NULL;
}

/** Opens the file of a location, and closes the one before.
 * @return false if there is no such regular file, or it cannot be read */
bool fm_event_files_select(struct fm_event_files *files, uint64_t location);

/** Likewise, a file that is open; it is closed with the others. */
bool fm_event_files_select_open(struct fm_event_files *files, int file);

/** Reads the next chunk of the file.
 * @param bytes  out: what is behind its header, at least one byte; valid until the next call
 * @return false at the end of the file, or if it cannot be read, or is of another byte order, or
 * not a chunk */
bool fm_event_files_next(struct fm_event_files *files, struct fm_event_bytes *bytes);

#endif
