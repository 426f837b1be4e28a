/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Common header of all files with wrappers of GNU Fortran's coarray library. They are built without
 * the header of any library, from the interface of GNU Fortran 8 to 14 (libcaf.h), and call the
 * functions of the library that the process has loaded.
 *
 * The library is based on MPI: its calls of MPI are inside recorded calls and therefore not
 * recorded. The recorder's own communication is that of MPI's wrappers, which begin and end the run
 * inside the calls in which the library begins and ends MPI (FM_DEPTH_LENDING).
 *
 * Processes are numbered from 0, as in all archives: image 1 is process 0. The coarrays of all
 * images are one window, created at the begin. The members of a team have a window of their own in
 * records of collective operations and locks; these windows are not created by a record.
 */
#ifndef FERMATA_RECORD_CAF_CAF_H
#define FERMATA_RECORD_CAF_CAF_H

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FM_CAF_MOST_DIMENSIONS = 15 };

/** Array descriptor of GNU Fortran. */
struct fm_caf_array {
    void *data;
    size_t offset;
    struct {
        size_t length; /**< bytes of an element */
        int version;
        signed char rank, type;
        short attribute;
    } element;
    ptrdiff_t span;
    struct {
        ptrdiff_t stride, lower, upper;
    } dimensions[];
};

/** Subscripts of a dimension: a vector of `count` indices, or, if that is 0, a range. */
struct fm_caf_vector {
    size_t count;
    union {
        struct {
            void *indices;
            int kind;
        } vector;
        struct {
            ptrdiff_t lower, upper, stride;
        } range;
    } of;
};

/** A step from a coarray to a part of it: a component, or elements of an array. */
struct fm_caf_reference {
    struct fm_caf_reference *next;
    int type;          /**< enum fm_caf_reference_type */
    size_t item_bytes; /**< of a component or an element */
    union {
        struct {
            ptrdiff_t offset, token_offset;
        } component;
        struct {
            unsigned char mode[FM_CAF_MOST_DIMENSIONS]; /**< enum fm_caf_reference_mode */
            int static_type;
            union {
                struct {
                    ptrdiff_t start, end, stride;
                } range;
                struct {
                    void *indices;
                    size_t count;
                    int kind;
                } vector;
            } dimensions[FM_CAF_MOST_DIMENSIONS];
        } elements;
    } of;
};

enum fm_caf_reference_type { FM_CAF_COMPONENT, FM_CAF_ELEMENTS, FM_CAF_STATIC_ELEMENTS };
enum fm_caf_reference_mode {
    FM_CAF_NO_DIMENSION,
    FM_CAF_VECTOR,
    FM_CAF_FULL,
    FM_CAF_RANGE,
    FM_CAF_SINGLE
};

/** Kinds of memory that the library registers. */
enum fm_caf_registration {
    FM_CAF_STATIC,
    FM_CAF_ALLOCATABLE,
    FM_CAF_LOCK_STATIC,
    FM_CAF_LOCK_ALLOCATABLE,
    FM_CAF_CRITICAL,
    FM_CAF_EVENT_STATIC,
    FM_CAF_EVENT_ALLOCATABLE,
    FM_CAF_COMPONENT_REGISTER,
    FM_CAF_COMPONENT_ALLOCATE
};

enum { FM_CAF_DEREGISTER = 0 }; /**< how memory is deregistered: with its token */

/** The operation of co_reduce. */
typedef void *fm_caf_operator_t(void *, void *);

#include "functions.h"
#include "prototypes.h"
#include "record/paradigm/open_call.h"
#include "record/paradigm/wrapper.h"

/** The library's function _gfortran_caf_NAME; not to be called if fm_caf_has(NAME) is false. */
#define FM_CAF_FUNCTION(name) FM_FUNCTION__gfortran_caf_##name
#define FM_CAF(name)                                                                               \
    ((__typeof__(&fm__gfortran_caf_##name))fm_next_functions[FM_CAF_FUNCTION(name)])
#define fm_caf_has(name) (fm_next_functions[FM_CAF_FUNCTION(name)] != NULL)

/* ---- teams of images (team.c) ---- */

/** A team of images. The statements of coarrays number the images of the current team from 1. */
struct fm_caf_team {
    uint32_t window, communicator; /**< numbers of their definitions */
    int size, rank;                /**< rank: of this image; from 0 */
    int *members;                  /**< processes; NULL: all, in their order */
    uint32_t teams;                /**< number of `form team` in it so far */
    uint64_t locks;                /**< number of locks established in it so far */
    const void *handle;            /**< of the library */
    struct fm_caf_team *next;      /**< list of all teams */
    struct fm_caf_team *outer;     /**< current one before this one; of an active team */
};

/** The initial team. size == 0: nothing is recorded. */
extern FM_HIDDEN struct fm_caf_team fm_caf_world;

/** The current team. */
extern FM_HIDDEN struct fm_caf_team *fm_caf_team;

/** Defines the initial team.
 * @param rank  number of the process */
void fm_caf_teams_begin(int rank, int size);

/** Process of an image of a team, numbered from 1; 0: this image. @return -1: there is none */
static inline int fm_caf_process(const struct fm_caf_team *team, int image)
{
    if (image == 0) {
        image = team->rank + 1;
    }
    if (image < 1 || image > team->size) {
        return -1;
    }
    return team->members != NULL ? team->members[image - 1] : image - 1;
}

/* The functions below, and those of this header that take a thread first, end a recorded call (they
 * call fm_thread_leave and fm_thread_done), if not stated otherwise. */

/** State that the open call is an image control statement, or collective subroutine, of all images
 * of a team (`root`: an image; 0: none; they do not end a recorded call), or `sync images`. */
static inline void fm_caf_awaits(struct fm_thread *thread, const struct fm_caf_team *team, int root)
{
    if (team != NULL && team->size != 0) {
        fm_open_rma_collective(thread, team->communicator, root - 1);
    }
}

void fm_caf_awaits_images(struct fm_thread *thread, int count, const int *images);

/** sync images.
 * @param count  of `images`; -1: all others
 * @param good   whether the images met; else only the call is recorded */
void fm_caf_sync_images(struct fm_thread *thread, int count, const int *images, bool good);

/* ---- one-sided operations (operation.c) ---- */

/** Bytes of a section of an array.
 * @param vectors  the subscripts of each dimension; NULL: the whole array */
uint64_t fm_caf_section_bytes(const struct fm_caf_array *array,
                              const struct fm_caf_vector *vectors);

/** Bytes that references lead to, as far as the image knows the other one's arrays: a whole
 * allocatable component counts as one element. */
uint64_t fm_caf_reference_bytes(const struct fm_caf_reference *reference);

/** Operations on an image of the current team. All are complete. */
void fm_caf_put(struct fm_thread *thread, uint64_t bytes, int image);
void fm_caf_get(struct fm_thread *thread, uint64_t bytes, int image);

/** A get from one image and a put to another one. */
void fm_caf_copy(struct fm_thread *thread, uint64_t got, int from, uint64_t put, int to);

/** An atomic operation. */
void fm_caf_atomic(struct fm_thread *thread, OTF2_RmaAtomicType type, uint64_t sent,
                   uint64_t received, int image);

/* ---- collective operations (collective.c) ---- */

/** An image control statement of all images of a team. */
void fm_caf_synchronize(struct fm_thread *thread, OTF2_CollectiveOp operation,
                        const struct fm_caf_team *team);

/** A collective subroutine on `a`; images of the current team. `result_image` 0: all images. */
void fm_caf_broadcast(struct fm_thread *thread, const struct fm_caf_array *a, int source_image);
void fm_caf_reduce(struct fm_thread *thread, const struct fm_caf_array *a, int result_image);

/* ---- begin (run.c) ---- */

/** Whether the library has begun, and its end is not recorded yet. */
extern FM_HIDDEN bool fm_caf_has_begun;

#endif
