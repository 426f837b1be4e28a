/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Types of MPI 4 that headers of older MPI libraries lack, so that the wrappers of the functions
 * that use them exist also when fermata is built with such a header: a program may use a newer
 * version of the library, of the same ABI.
 */
#ifndef FERMATA_RECORD_MPI_NEWER_H
#define FERMATA_RECORD_MPI_NEWER_H

#include <mpi.h>

#if defined(OPEN_MPI)
#define FM_LACKS_MPI_4 (OMPI_MAJOR_VERSION < 5)
typedef struct ompi_instance_t *MPI_Session;
#if FM_LACKS_MPI_4
typedef struct ompi_mpit_event_registration_t *MPI_T_event_registration;
typedef struct ompi_mpit_event_instance_t *MPI_T_event_instance;
typedef struct fm_f08_status MPI_F08_status; /* used by pointer only */
#endif
#elif defined(MPICH)
#define FM_LACKS_MPI_4 (MPICH_NUMVERSION < 40000000)
#if FM_LACKS_MPI_4
typedef int MPI_Session;
typedef struct MPIR_T_event_registration_s *MPI_T_event_registration;
typedef struct MPIR_T_event_instance_s *MPI_T_event_instance;
#endif
#endif

#if FM_LACKS_MPI_4
typedef enum { FM_T_CB_REQUIRE_NONE } MPI_T_cb_safety;
typedef enum { FM_T_SOURCE_ORDERED } MPI_T_source_order;
typedef void(MPI_T_event_cb_function)(MPI_T_event_instance event_instance,
                                      MPI_T_event_registration event_registration,
                                      MPI_T_cb_safety cb_safety, void *user_data);
typedef void(MPI_T_event_free_cb_function)(MPI_T_event_registration event_registration,
                                           MPI_T_cb_safety cb_safety, void *user_data);
typedef void(MPI_T_event_dropped_cb_function)(MPI_Count count,
                                              MPI_T_event_registration event_registration,
                                              int source_index, MPI_T_cb_safety cb_safety,
                                              void *user_data);
typedef void(MPI_Session_errhandler_function)(MPI_Session *, int *, ...);
#endif

/** An element of the list of partitions of MPI_Pready_list, which MPICH 4.0 does not declare const.
 */
#if defined(MPICH) && MPICH_NUMVERSION >= 40000000 && MPICH_NUMVERSION < 40100000
typedef int fm_partition_t;
#else
typedef const int fm_partition_t;
#endif

/* An equal definition may be repeated. */
typedef void(MPI_User_function_c)(void *, void *, MPI_Count *, MPI_Datatype *);
typedef int(MPI_Datarep_conversion_function_c)(void *, MPI_Datatype, MPI_Count, void *, MPI_Offset,
                                               void *);
typedef void(MPI_Handler_function)(MPI_Comm *, int *, ...);

#endif
