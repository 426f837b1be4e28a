/** @file
 * Names of the objects by which threads synchronize, at the end of the run.
 */
#ifndef FERMATA_RECORD_SESSION_SESSION_OBJECTS_H
#define FERMATA_RECORD_SESSION_SESSION_OBJECTS_H

#include "record/archive/define.h"

/** Defines the objects of all paradigms of this process that records refer to: by the variable that
 * contains an object, else by its address.
 * @param rank  of the process
 * @return false without memory */
bool fm_session_define_objects(struct fm_definitions *set, uint32_t rank);

#endif
