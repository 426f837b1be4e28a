/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The Python interpreter (CPython) in this process, in the program's file or in a shared library.
 *
 * It is found by its exported symbols when its binary is loaded. Its structures are read only after
 * a test of the first Python stack has confirmed their layout. Nothing of the interpreter is called
 * but PyGILState_GetThisThreadState(), which reads a thread-local value: no lock is taken, least of
 * all the global interpreter lock, which MPI calls have usually released.
 */
#ifndef FERMATA_RECORD_STACK_PYTHON_INTERPRETER_H
#define FERMATA_RECORD_STACK_PYTHON_INTERPRETER_H

#include "record/stack/python/layout.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

enum fm_python_state {
    FM_PYTHON_ABSENT,
    FM_PYTHON_UNKNOWN, /**< this version or build is not supported */
    FM_PYTHON_FOUND,   /**< the layout is to be tested */
    FM_PYTHON_WORKS,
    FM_PYTHON_DIFFERS /**< the test has failed */
};

struct fm_python {
    const struct fm_python_layout *layout;
    uint64_t code_type, text_type, bytes_type; /**< addresses of the types of objects */
    void *(*thread_state)(void); /**< of the calling thread; NULL: Python does not know it */
    uint64_t version;            /**< as the interpreter's Py_Version */
    uint64_t base;               /**< of its binary */
    uint32_t state;              /**< enum fm_python_state; atomic */
};
extern struct fm_python fm_python;

/** Whether Python frames may be read: the state is FOUND or WORKS. */
static inline bool fm_python_is_present(void)
{
    uint32_t state = __atomic_load_n(&fm_python.state, __ATOMIC_ACQUIRE);
    return __builtin_expect(state == FM_PYTHON_FOUND || state == FM_PYTHON_WORKS, 0);
}

/** Called for each binary that is loaded: notes the interpreter if it is in it. Calls must not
 * overlap.
 * @param path  of the binary's file
 * @return whether functions of the binary are not shown, because Python functions are shown in
 *         their place: it is the interpreter's file or library, or an extension module of its
 *         standard library. A program with an interpreter linked into it is shown. */
bool fm_python_binary_loaded(const struct dl_phdr_info *binary, const char *path);

/** Called for each binary that was unloaded. */
void fm_python_binary_unloaded(uint64_t base);

/** States the result of the test. */
void fm_python_tested(bool works);

/** Why Python functions are not shown in this process, as a sentence; NULL: they are, or there are
 * none. The text stays valid until the next call. */
const char *fm_python_complaint(void);

#endif
