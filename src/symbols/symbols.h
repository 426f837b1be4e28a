/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Resolves addresses in binaries to functions, source files and lines: by debug information if
 * there is any (also in separate files, found by build-id or debug link), else by the symbol table.
 */
#ifndef FERMATA_SYMBOLS_SYMBOLS_H
#define FERMATA_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A function that an address is in. */
struct fm_symbol_frame {
    char *name;      /**< source-level name (symbol_name.h) */
    char *symbol;    /**< the compiler's name */
    char *file;      /**< where it is defined; NULL: unknown */
    uint32_t line;   /**< 0: unknown */
    char *call_file; /**< where in it the address is, or the call of the function inlined into it
                          that the address is in; NULL: unknown */
    uint32_t call_line;
};

enum { FM_SYMBOL_FRAMES_MOST = 64 };

/** Opened binaries. */
struct fm_symbols;

/** @return NULL without memory. */
struct fm_symbols *fm_symbols_open(void);

/** Finds the function of an address and those inlined into it there.
 * @param path      of the binary
 * @param build_id  of the one that was running, hexadecimal digits; "": unknown. A file with
 *                  another build-id is not the binary that was running: nothing is found.
 * @param function  where the function begins, as unwind information has it; 0: unknown
 * @param address   in the file, as function
 * @param frames    out: outermost first; to be freed with fm_symbols_free_frames(). Names are never
 *                  NULL.
 * @return their number; 0: not found. Not thread-safe. */
size_t fm_symbols_find(struct fm_symbols *symbols, const char *path, const char *build_id,
                       uint64_t function, uint64_t address,
                       struct fm_symbol_frame frames[FM_SYMBOL_FRAMES_MOST]);

/** A call instruction. */
struct fm_symbol_call {
    const char *path, *build_id; /**< of its binary, as in fm_symbols_find() */
    uint64_t address;            /**< of its last byte, in the file */
};

/** As fm_symbols_find(), for a function that begins at `function` and is called by `call`. A
 * function of a library, and one without a symbol, has the name by which the call names it, if it
 * does (call_names.h). */
size_t fm_symbols_find_called(struct fm_symbols *symbols, const char *path, const char *build_id,
                              uint64_t function, const struct fm_symbol_call *call,
                              struct fm_symbol_frame frames[FM_SYMBOL_FRAMES_MOST]);

/** Receives a function that has a symbol.
 * @param address  of its first instruction, in the file
 * @param frame    its name, symbol, file and line; valid during the call */
typedef void fm_symbol_visitor_t(void *context, uint64_t address,
                                 const struct fm_symbol_frame *frame);

/** Calls `visit` for each function of a binary; parameters as in fm_symbols_find(). A function
 * with several symbols may be visited several times. Not thread-safe. */
void fm_symbols_visit(struct fm_symbols *symbols, const char *path, const char *build_id,
                      fm_symbol_visitor_t *visit, void *context);

/** Finds the variable that an address lies in.
 * @param path, build_id, address  as in fm_symbols_find()
 * @param text  receives its name, the element or member that begins at the address, and where the
 *              variable is declared, as far as this is known: "queues[1].lock (queue.c:17)"; by a
 *              symbol alone "queues+64"
 * @return false: not found. Not thread-safe. */
bool fm_symbols_variable(struct fm_symbols *symbols, const char *path, const char *build_id,
                         uint64_t address, char *text, size_t size);

void fm_symbols_free_frames(struct fm_symbol_frame *frames, size_t count);

void fm_symbols_close(struct fm_symbols *symbols);

#endif
