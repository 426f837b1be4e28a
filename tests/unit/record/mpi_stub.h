/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * An MPI library in the test's process, with the standard ABI (PMPI_ functions only), for recording
 * by many threads. It transfers nothing. It takes no lock and has no common state that changes, so
 * that it orders none of the recorder's accesses. Every operation is complete at once, but the
 * first test of a request says that it is not. The process is rank 0 of STUB_SIZE and receives what
 * it asks for. Functions that the test does not call are missing.
 */
#ifndef FERMATA_TESTS_UNIT_RECORD_MPI_STUB_H
#define FERMATA_TESTS_UNIT_RECORD_MPI_STUB_H

#include "record/mpi/wrap.h"

enum {
    STUB_SIZE = 2,       /**< of all communicators but MPI_COMM_SELF and those split off */
    STUB_SHARED_TAG = 77 /**< sends with this tag share one request, as complete ones in MPICH */
};

/** Makes a request; its status states the message. @return MPI_SUCCESS */
int stub_request(MPI_Request *request, bool persistent, int source, int tag, MPI_Count bytes);

#endif
