/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The Python functions that the calling thread is in, in the order in which the interpreter keeps
 * them: from the innermost.
 *
 * Consistent outside of signal handlers, since only the thread itself changes its frames; it may
 * have released the global interpreter lock. In signal handlers a change may be half done.
 */
#ifndef FERMATA_RECORD_STACK_PYTHON_FRAMES_H
#define FERMATA_RECORD_STACK_PYTHON_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

enum {
    FM_PYTHON_DEEPEST = 1024, /**< frames that are kept: the outermost ones */
    FM_PYTHON_LOOPS = 512     /**< activations of the evaluation loop */
};

struct fm_python_frame {
    uint64_t frame, instruction;
    uint64_t mark; /**< of its code object (code.h) */
};

/** An activation of the evaluation loop in C. */
struct fm_python_loop {
    uint64_t place; /**< of a variable in its C frame */
    uint32_t end;   /**< number of frames up to its outermost one */
};

struct fm_python_frames {
    uint64_t thread; /**< thread state; 0: the thread is not in Python */
    uint32_t count;  /**< frames, of which the last FM_PYTHON_DEEPEST are kept */
    uint32_t loop_count;
    struct fm_python_loop loops[FM_PYTHON_LOOPS];
    struct fm_python_frame frames[FM_PYTHON_DEEPEST]; /**< frame i at i % FM_PYTHON_DEEPEST */
    uint32_t sites[FM_PYTHON_DEEPEST];
};

enum fm_python_found {
    FM_PYTHON_NO_FRAMES, /**< the thread is not in Python */
    FM_PYTHON_FRAMES,
    FM_PYTHON_TORN /**< the frames cannot be read: a signal has interrupted their change, or their
                        layout is not as expected */
};

/** Finds the frames, none if the thread is not in Python. Async-signal-safe. The interpreter is
 * present (fm_python_is_present). */
enum fm_python_found fm_python_frames_find(struct fm_python_frames *frames, bool in_signal);

/** Whether the interpreter's structures have the expected layout, as far as these frames show it:
 * which thread this is, and the texts of the functions. Changes nothing. */
bool fm_python_frames_are_sound(const struct fm_python_frames *frames);

/** A frame that is kept: the words by which it is recognized. Of the function's name these are the
 * first and the last bytes, which differ in functions that are made one after the other at the same
 * address. */
struct fm_python_kept_frame {
    uint64_t frame, instruction, code; /**< addresses */
    uint64_t name, lines;              /**< of the code object */
    uint64_t length, begin, end; /**< of the name: characters, its text's first and last word */
    uint64_t begin_at, end_at;   /**< addresses of these words */
};

/** Frames of a stack that is kept, innermost first. */
enum { FM_PYTHON_KEPT = 32 };
struct fm_python_kept {
    uint64_t thread;
    uint32_t count;
    struct fm_python_kept_frame frames[FM_PYTHON_KEPT];
};

/** Keeps frames. Outside of signal handlers only. @return false: there are too many */
bool fm_python_keep(struct fm_python_kept *kept, const struct fm_python_frames *frames);

/** Whether the thread's frames are those that were kept, at the same instructions. Outside of
 * signal handlers only. */
bool fm_python_is_as_kept(const struct fm_python_kept *kept);

#endif
