/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Parameters (OTF2's ParameterInt) by which archives state what an open call waits for: a call that
 * was entered and never left. They stand behind its Enter. Names of parameters and properties in
 * archives.
 *
 * A receive or probe: communicator, source and tag. A collective operation: communicator and root,
 * or window. Calls that complete requests: for each of them the same, and an MpiRequestTest with
 * its id behind; a send has this record only. Flushes and unlocks of a window, and operations on
 * it: window and target. Locks of threads: for each owner the thread, the time since when it has
 * the lock and the call that took it. A group of parameters ends with an MpiRequestTest, or with a
 * parameter that is in it already; an owner begins one.
 */
#ifndef FERMATA_BASE_AWAITED_NAMES_H
#define FERMATA_BASE_AWAITED_NAMES_H

#define FM_AWAITED_COMMUNICATOR "awaited communicator" /**< reference of the definition */
#define FM_AWAITED_SOURCE       "awaited source"       /**< rank in it; -1: any */
#define FM_AWAITED_TAG          "awaited tag"          /**< -1: any */
#define FM_AWAITED_ROOT         "awaited root"         /**< rank in it; -1: none */
#define FM_AWAITED_WINDOW       "awaited window"       /**< reference of the definition */
#define FM_AWAITED_TARGET       "awaited target"       /**< rank in its communicator; -1: all */
#define FM_AWAITED_OWNER        "awaited owner"        /**< number of the thread in its process */
#define FM_AWAITED_SINCE        "awaited since"    /**< time of the trace's clock; 0: not known */
#define FM_AWAITED_TAKEN_IN     "awaited taken in" /**< text: function (file:line) */
#define FM_AWAITED_OMITTED      "awaited omitted"  /**< requests that are not stated */

/* Properties of locations, the same for all of a process, UINT64. Times in ticks of its clock. */
#define FM_PROPERTY_HEARTBEAT                                                                      \
    "FERMATA::HEARTBEAT"                       /**< last time at which it is known to have lived */
#define FM_PROPERTY_JOB_END "FERMATA::JOB_END" /**< end of the job */
#define FM_PROPERTY_ENDED   "FERMATA::ENDED"   /**< 1: the process ended by itself */
/** What MPI_Query_thread states: 0 single, 1 funneled, 2 serialized, 3 multiple. */
#define FM_PROPERTY_THREAD_LEVEL "FERMATA::THREAD_LEVEL"

#endif
