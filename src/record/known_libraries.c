/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/known_libraries.h"

const struct fm_paradigm_library fm_paradigm_libraries[] = {
#define FM_LIBRARY(number, begin_of_name, file, people, is_c)                                      \
    {.soname = begin_of_name, .wrappers = file, .title = people, .is_system = is_c},
#include "libraries.inc"
#undef FM_LIBRARY
};
const size_t fm_paradigm_library_count =
    sizeof fm_paradigm_libraries / sizeof fm_paradigm_libraries[0];
