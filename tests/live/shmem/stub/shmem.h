/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The part of OpenSHMEM 1.5 that the stub library defines. Its constants have other values than
 * those of Open MPI, and it has no profiling names, as Sandia OpenSHMEM is built by default.
 */
#ifndef STUB_SHMEM_H
#define STUB_SHMEM_H

#include <stddef.h>
#include <stdint.h>

typedef struct stub_team *shmem_team_t;
typedef struct stub_context *shmem_ctx_t;

enum { SHMEM_CMP_EQ = 1, SHMEM_CMP_NE };
enum { SHMEM_SIGNAL_SET, SHMEM_SIGNAL_ADD };
extern shmem_team_t SHMEM_TEAM_WORLD, SHMEM_TEAM_SHARED;

void shmem_init(void);
void shmem_finalize(void);
int shmem_my_pe(void);
int shmem_n_pes(void);
void shmem_info_get_version(int *major, int *minor);
void shmem_info_get_name(char *name);
void *shmem_malloc(size_t size);
void shmem_free(void *ptr);
void shmem_barrier_all(void);
void shmem_fence(void);
void shmem_quiet(void);
void shmem_ctx_quiet(shmem_ctx_t ctx);

void shmem_putmem(void *dest, const void *source, size_t nelems, int pe);
void shmem_long_p(long *dest, long value, int pe);
void shmem_ctx_int_put(shmem_ctx_t ctx, int *dest, const int *source, size_t nelems, int pe);
void shmem_int_put_signal(int *dest, const int *source, size_t nelems, uint64_t *sig_addr,
                          uint64_t signal, int sig_op, int pe);
void shmem_putmem_signal_nbi(void *dest, const void *source, size_t nelems, uint64_t *sig_addr,
                             uint64_t signal, int sig_op, int pe);
void shmem_int_atomic_fetch_add_nbi(int *fetch, int *dest, int value, int pe);
uint64_t shmem_signal_fetch(const uint64_t *sig_addr);
uint64_t shmem_signal_wait_until(uint64_t *sig_addr, int cmp, uint64_t value);

void shmem_long_wait_until(long *ivar, int cmp, long value);
int shmem_long_test(long *ivar, int cmp, long value);
void shmem_int_wait_until_all(int *ivars, size_t nelems, const int *status, int cmp, int value);
size_t shmem_int_wait_until_any(int *ivars, size_t nelems, const int *status, int cmp, int value);
size_t shmem_int_test_any(int *ivars, size_t nelems, const int *status, int cmp, int value);
size_t shmem_int_test_some(int *ivars, size_t nelems, size_t *indices, const int *status, int cmp,
                           int value);

int shmem_team_my_pe(shmem_team_t team);
int shmem_team_n_pes(shmem_team_t team);
int shmem_team_translate_pe(shmem_team_t team, int pe, shmem_team_t other_team);
int shmem_team_split_strided(shmem_team_t team, int start, int stride, int size, const void *config,
                             long config_mask, shmem_team_t *new_team);
int shmem_team_split_2d(shmem_team_t team, int xrange, const void *xaxis_config, long xaxis_mask,
                        shmem_team_t *xaxis_team, const void *yaxis_config, long yaxis_mask,
                        shmem_team_t *yaxis_team);
void shmem_team_destroy(shmem_team_t team);
int shmem_team_sync(shmem_team_t team);
int shmem_team_create_ctx(shmem_team_t team, long options, shmem_ctx_t *ctx);
void shmem_ctx_destroy(shmem_ctx_t ctx);
int shmem_broadcastmem(shmem_team_t team, void *dest, const void *source, size_t nelems, int root);
int shmem_int_sum_reduce(shmem_team_t team, int *dest, const int *source, size_t nreduce);

#endif
