/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The programming models (paradigms.def) and the regions that belong to them.
 */
#ifndef FERMATA_FUNCTIONS_PARADIGM_NAMES_H
#define FERMATA_FUNCTIONS_PARADIGM_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/** Programming models, as far as the analysis distinguishes them. */
typedef enum {
#define FM_PARADIGM_ROW(symbol, name, title, otf2, claims, place) FM_PARADIGM_##symbol,
#include "functions/paradigms.def"
#undef FM_PARADIGM_ROW
} fm_paradigm_t;

/** @return the programming model of a region.
 * @param otf2_paradigm  OTF2_Paradigm of its definition
 * @param name           its name; decides where the definition does not */
fm_paradigm_t fm_paradigm_classify(uint8_t otf2_paradigm, const char *name);

/** @return the programming model whose functions begin like `name`, spelled as in C; "MPI_Recv":
 * FM_PARADIGM_MPI, anything else: FM_PARADIGM_USER. Those of accelerators are whole words:
 * "cudaMalloc", not "cudarized". */
fm_paradigm_t fm_paradigm_of_function(const char *name);

/** @return OTF2_Paradigm of the regions of a programming model. OTF2 has none for ARMCI:
 * OTF2_PARADIGM_UNKNOWN. */
uint8_t fm_paradigm_otf2(fm_paradigm_t paradigm);

/** @return the model that fm_paradigm_name() calls so; FM_PARADIGM_USER: none. */
fm_paradigm_t fm_paradigm_named(const char *name);

/** @return whether streams of accelerators execute code of the model. */
bool fm_paradigm_is_of_accelerators(fm_paradigm_t paradigm);

/** @return "user", "mpi", ... as Cube and OTF2 tools call it. */
const char *fm_paradigm_name(fm_paradigm_t paradigm);

/** @return "MPI", "Coarrays", ... as people call it. */
const char *fm_paradigm_title(fm_paradigm_t paradigm);

/** Source file in the definitions of the C library's functions that block, which are recorded as
 * functions of the program: they contain no others. */
#define FM_C_LIBRARY_FILE "C library"

#endif
