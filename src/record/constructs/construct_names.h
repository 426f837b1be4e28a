/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Names of the regions of constructs (construct.h): with the source line of the call that enters
 * the construct. Compilers know no line for calls that they add, and the line of any statement
 * before such a call appears there: the text of the source, if it can be read at the end of the
 * run, says which directive is meant, and which barriers are not explicit but at the end of another
 * construct.
 */
#ifndef FERMATA_RECORD_CONSTRUCTS_CONSTRUCT_NAMES_H
#define FERMATA_RECORD_CONSTRUCTS_CONSTRUCT_NAMES_H

#include "record/archive/callsites.h"
#include "record/constructs/construct.h"

/** Names the regions of constructs in the definitions of a process: these are changed in place.
 * @param sites  functions and lines of the process's call sites */
void fm_constructs_name(struct fm_definitions *set, const struct fm_callsites *sites);

/** What a line of source text is to a construct. */
enum fm_directive_line {
    FM_SOURCE_OTHER,
    FM_SOURCE_DIRECTIVE, /**< its directive; for an implicit barrier: one that ends with a barrier
                          */
    FM_SOURCE_BEGIN      /**< the begin of a parallel region */
};

/** @return what a line in C, C++ or Fortran is to the construct. */
enum fm_directive_line fm_directive_in_line(const char *text, enum fm_construct construct);

#endif
