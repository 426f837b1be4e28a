/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrappers of the functions of MPI_T for performance variables: the recorder's counters stand among
 * those of the library, if they are offered (offered_pvars.h). What is not theirs goes to the
 * library as it is, MPI_T_PVAR_ALL_HANDLES included: continuous, read-only variables are left out
 * of what that does. */
#include "record/counting/offered_counters.h"
#include "record/mpi/inside/offered_pvars.h"
#include "record/mpi/wrap.h"

#include <stdio.h>
#include <string.h>

/* ---- which variables there are ---- */

static int get_num(int *num_pvar)
{
    int result = PMPI_T_pvar_get_num(num_pvar);
    if (result == MPI_SUCCESS && fm_offered_pvars_are_there()) {
        *num_pvar += fm_offered_pvars_count();
    }
    return result;
}

int fm_MPI_T_pvar_get_num(int *num_pvar)
{
    FM_RECORD_LOCAL(int, MPI_T_pvar_get_num, get_num(num_pvar));
}

static int get_index(const char *name, int var_class, int *pvar_index)
{
    if (!fm_offered_pvars_are_there()) {
        return PMPI_T_pvar_get_index(name, var_class, pvar_index);
    }
    int index = name != NULL ? fm_offered_pvar_index(name, var_class) : -1;
    if (index >= 0 && pvar_index != NULL) {
        *pvar_index = index;
        return MPI_SUCCESS;
    }
    int result = PMPI_T_pvar_get_index(name, var_class, pvar_index);
    if (result == MPI_SUCCESS) {
        *pvar_index = fm_offered_index_of_program(*pvar_index);
    }
    return result;
}

int fm_MPI_T_pvar_get_index(const char *name, int var_class, int *pvar_index)
{
    FM_RECORD_LOCAL(int, MPI_T_pvar_get_index, get_index(name, var_class, pvar_index));
}

/* Returns a text as the functions of MPI_T do: as much of it as there is room for, and the room
 * that all of it needs. */
static void return_text(const char *text, char *buffer, int *length)
{
    if (length == NULL) {
        return;
    }
    if (buffer != NULL && *length > 0) {
        snprintf(buffer, (size_t)*length, "%s", text);
    }
    *length = (int)strlen(text) + 1;
}

static void return_number(int *place, int number)
{
    if (place != NULL) {
        *place = number;
    }
}

static int get_info(int pvar_index, char *name, int *name_len, int *verbosity, int *var_class,
                    MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc, int *desc_len,
                    int *bind, int *readonly, int *continuous, int *atomic)
{
    bool are_there = fm_offered_pvars_are_there();
    const struct fm_offered_counter *counter = are_there ? fm_offered_pvar(pvar_index) : NULL;
    if (counter == NULL) {
        int index = are_there ? fm_offered_index_of_library(pvar_index) : pvar_index;
        return PMPI_T_pvar_get_info(index, name, name_len, verbosity, var_class, datatype, enumtype,
                                    desc, desc_len, bind, readonly, continuous, atomic);
    }
    return_text(counter->name, name, name_len);
    return_number(verbosity, MPI_T_VERBOSITY_USER_BASIC);
    return_number(var_class, fm_offered_pvar_class(counter));
    if (datatype != NULL) {
        *datatype = fm_offered_pvar_type(counter);
    }
    if (enumtype != NULL) {
        *enumtype = MPI_T_ENUM_NULL;
    }
    return_text(counter->meaning, desc, desc_len);
    return_number(bind, MPI_T_BIND_NO_OBJECT);
    return_number(readonly, 1);
    return_number(continuous, 1);
    return_number(atomic, 0);
    return MPI_SUCCESS;
}

int fm_MPI_T_pvar_get_info(int pvar_index, char *name, int *name_len, int *verbosity,
                           int *var_class, MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc,
                           int *desc_len, int *bind, int *readonly, int *continuous, int *atomic)
{
    FM_RECORD_LOCAL(int, MPI_T_pvar_get_info,
                    get_info(pvar_index, name, name_len, verbosity, var_class, datatype, enumtype,
                             desc, desc_len, bind, readonly, continuous, atomic));
}

/* Number of the library's variables in a category; 0: there is none. */
static int size_of_category(int category)
{
    char name[2], meaning[2];
    int name_length = sizeof name, meaning_length = sizeof meaning;
    int controls, variables, categories;
    int result = PMPI_T_category_get_info(category, name, &name_length, meaning, &meaning_length,
                                          &controls, &variables, &categories);
    return result == MPI_SUCCESS ? variables : 0;
}

static int category_get_pvars(int cat_index, int len, int indices[])
{
    int result = PMPI_T_category_get_pvars(cat_index, len, indices);
    if (result == MPI_SUCCESS && fm_offered_pvars_are_there()) {
        int size = size_of_category(cat_index);
        for (int i = 0; i < len && i < size; i++) {
            indices[i] = fm_offered_index_of_program(indices[i]);
        }
    }
    return result;
}

int fm_MPI_T_category_get_pvars(int cat_index, int len, int indices[])
{
    FM_RECORD_LOCAL(int, MPI_T_category_get_pvars, category_get_pvars(cat_index, len, indices));
}

/* ---- handles ---- */

static int handle_alloc(MPI_T_pvar_session session, int pvar_index, void *obj_handle,
                        MPI_T_pvar_handle *handle, int *count)
{
    bool are_there = fm_offered_pvars_are_there();
    const struct fm_offered_counter *counter = are_there ? fm_offered_pvar(pvar_index) : NULL;
    if (counter == NULL) {
        int index = are_there ? fm_offered_index_of_library(pvar_index) : pvar_index;
        return PMPI_T_pvar_handle_alloc(session, index, obj_handle, handle, count);
    }
    if (session == MPI_T_PVAR_SESSION_NULL) {
        return MPI_T_ERR_INVALID_SESSION;
    }
    return_number(count, (int)counter->bins);
    return fm_offered_handle_new(session, counter, handle);
}

int fm_MPI_T_pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index, void *obj_handle,
                               MPI_T_pvar_handle *handle, int *count)
{
    FM_RECORD_LOCAL(int, MPI_T_pvar_handle_alloc,
                    handle_alloc(session, pvar_index, obj_handle, handle, count));
}

static int handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle *handle)
{
    if (handle == NULL || !fm_offered_handle_is(*handle)) {
        return PMPI_T_pvar_handle_free(session, handle);
    }
    if (fm_offered_handle_counter(session, *handle) == NULL) {
        return MPI_T_ERR_INVALID_HANDLE;
    }
    fm_offered_handle_free(*handle);
    *handle = MPI_T_PVAR_HANDLE_NULL;
    return MPI_SUCCESS;
}

int fm_MPI_T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle *handle)
{
    FM_RECORD_LOCAL(int, MPI_T_pvar_handle_free, handle_free(session, handle));
}

static int session_free(MPI_T_pvar_session *session)
{
    if (session != NULL) {
        fm_offered_handles_end(*session);
    }
    return PMPI_T_pvar_session_free(session);
}

int fm_MPI_T_pvar_session_free(MPI_T_pvar_session *session)
{
    FM_RECORD_LOCAL(int, MPI_T_pvar_session_free, session_free(session));
}

/* ---- values ---- */

static int read_counter(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf)
{
    const struct fm_offered_counter *counter = fm_offered_handle_counter(session, handle);
    if (counter == NULL) {
        return MPI_T_ERR_INVALID_HANDLE;
    }
    fm_offered_counter_read(counter, buf);
    return MPI_SUCCESS;
}

int fm_MPI_T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf)
{
    FM_RECORD_LOCAL(int, MPI_T_pvar_read,
                    fm_offered_handle_is(handle) ? read_counter(session, handle, buf)
                                                 : PMPI_T_pvar_read(session, handle, buf));
}

/* What a call returns that continuous, read-only variables do not permit. */
static int refusal(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int code)
{
    return fm_offered_handle_counter(session, handle) != NULL ? code : MPI_T_ERR_INVALID_HANDLE;
}

int fm_MPI_T_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf)
{
    FM_RECORD_LOCAL(int, MPI_T_pvar_readreset,
                    fm_offered_handle_is(handle)
                        ? refusal(session, handle, MPI_T_ERR_PVAR_NO_ATOMIC)
                        : PMPI_T_pvar_readreset(session, handle, buf));
}

int fm_MPI_T_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    FM_RECORD_LOCAL(int, MPI_T_pvar_reset,
                    fm_offered_handle_is(handle) ? refusal(session, handle, MPI_T_ERR_PVAR_NO_WRITE)
                                                 : PMPI_T_pvar_reset(session, handle));
}

int fm_MPI_T_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *buf)
{
    FM_RECORD_LOCAL(int, MPI_T_pvar_write,
                    fm_offered_handle_is(handle) ? refusal(session, handle, MPI_T_ERR_PVAR_NO_WRITE)
                                                 : PMPI_T_pvar_write(session, handle, buf));
}

int fm_MPI_T_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    FM_RECORD_LOCAL(int, MPI_T_pvar_start,
                    fm_offered_handle_is(handle)
                        ? refusal(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP)
                        : PMPI_T_pvar_start(session, handle));
}

int fm_MPI_T_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    FM_RECORD_LOCAL(int, MPI_T_pvar_stop,
                    fm_offered_handle_is(handle)
                        ? refusal(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP)
                        : PMPI_T_pvar_stop(session, handle));
}
