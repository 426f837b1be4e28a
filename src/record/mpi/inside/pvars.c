/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/mpi/inside/pvars.h"

#include "counters/catalogue.h"
#include "counters/counter_layout.h"
#include "record/counting/library_counters.h"
#include "record/experiment/kept_variables.h"
#include "record/mpi/inside/pvar_objects.h"
#include "record/mpi/inside/pvar_value.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARIABLES_MOST = 256 };

#define SPC_VARIABLE "runtime_spc_" FM_SPC_PREFIX

/* Variable of the environment that switches Open MPI's counters on. */
#define SPC_ATTACH "OMPI_MCA_mpi_spc_attach"

static struct {
    bool prepared;
    atomic_bool ended;
    MPI_T_pvar_session session;
    bool has_objects; /* there are variables of windows or files */
    size_t count;
    struct variable {
        MPI_T_pvar_handle handle;
        struct fm_pvar_sort sort;
        int elements;
        bool keeps;    /* reading resets it: the counter is the extreme value of all readings */
        bool was_read; /* of such a one */
        uint32_t slot;
        const void *object; /* that the handle is bound to */
    } variables[VARIABLES_MOST];
} pvars;

static MPI_Comm world = MPI_COMM_NULL;

/* ---- before MPI_Init ---- */

void fm_pvars_prepare(void)
{
    bool is_named = fm_library_counters_named(FM_COUNTER_MPIT, "");
    int provided;
    if (pvars.prepared || (!is_named && !fm_library_spc_named(NULL))) {
        return;
    }
#if defined(OPEN_MPI)
    if (fm_library_spc_named(NULL)) {
        setenv(SPC_ATTACH, "all", 0);
    }
    if (fm_library_counters_named(FM_COUNTER_MPIT, "monitoring")) {
        setenv("OMPI_MCA_pml_monitoring_enable", "2", 0);
    }
#endif
    pvars.prepared = PMPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS;
}

/* ---- what a variable is ---- */

struct description {
    char name[256], meaning[1024];
    int class, binding, is_continuous;
    MPI_Datatype type;
};

static bool describe(int index, struct description *d)
{
    int name_length = sizeof d->name, meaning_length = sizeof d->meaning;
    int verbosity, is_readonly, is_atomic;
    MPI_T_enum names;
    return PMPI_T_pvar_get_info(index, d->name, &name_length, &verbosity, &d->class, &d->type,
                                &names, d->meaning, &meaning_length, &d->binding, &is_readonly,
                                &d->is_continuous, &is_atomic) == MPI_SUCCESS;
}

/* The counter's name: that of the variable, as far as there is room. */
static void set_name(char name[FM_COUNTER_NAME], const struct description *d)
{
    snprintf(name, FM_COUNTER_NAME, FM_COUNTER_MPIT "%.*s",
             FM_COUNTER_NAME - (int)sizeof FM_COUNTER_MPIT, d->name);
}

static uint32_t kind_of(const struct description *d)
{
    bool is_real = d->type == MPI_DOUBLE;
    switch (d->class) {
    case MPI_T_PVAR_CLASS_COUNTER:
    case MPI_T_PVAR_CLASS_AGGREGATE:
    case MPI_T_PVAR_CLASS_TIMER:
        return is_real ? FM_COUNTER_REAL : FM_COUNTER_COUNT;
    case MPI_T_PVAR_CLASS_HIGHWATERMARK:
        return is_real ? FM_COUNTER_REAL_LEVEL : FM_COUNTER_HIGH_WATERMARK;
    case MPI_T_PVAR_CLASS_LOWWATERMARK:
        return is_real ? FM_COUNTER_REAL_LEVEL : FM_COUNTER_LOW_WATERMARK;
    default:
        return is_real ? FM_COUNTER_REAL_LEVEL : FM_COUNTER_LEVEL;
    }
}

/* Name of one of Open MPI's counters that a variable is; NULL: it is none. */
static const char *name_of_spc(const struct description *d)
{
    size_t length = strlen(SPC_VARIABLE);
    return strncmp(d->name, SPC_VARIABLE, length) == 0 ? d->name + length : NULL;
}

/* Whether the value of SPC_ATTACH, names separated by commas, switches a counter on. */
static bool is_attached(const char *list, const char *spc)
{
    size_t prefix = strlen(FM_SPC_PREFIX);
    for (const char *word = list; *word != '\0'; word += strspn(word, ",")) {
        size_t length = strcspn(word, ",");
        const char *name = strncmp(word, FM_SPC_PREFIX, prefix) == 0 ? word + prefix : word;
        word += length;
        length = (size_t)(word - name);
        if ((length == strlen(spc) && strncmp(name, spc, length) == 0) ||
            (length == 3 && strncmp(name, "all", 3) == 0)) {
            return true;
        }
    }
    return false;
}

/* Name of one of Open MPI's counters that a variable of another name has: that of Open MPI for
 * MPI_COMM_WORLD, that of MPICH for the messages that the network does not match itself; NULL: the
 * variable has none. */
static const char *name_of_relative(const struct description *d)
{
    static const struct {
        const char *variable, *counter;
    } relatives[] = {
        {"pml_ob1_unexpected_msgq_length", "UNEXPECTED_IN_QUEUE"},
        {"unexpected_recvq_length", "UNEXPECTED_IN_QUEUE"},
    };
    for (size_t i = 0; i < sizeof relatives / sizeof relatives[0]; i++) {
        if (strcmp(d->name, relatives[i].variable) == 0) {
            return relatives[i].counter;
        }
    }
    return NULL;
}

/* Whether a variable of windows can be read from each window. Open MPI's components for one-sided
 * communication (osc) read the memory of any window as that of their own. Which component a window
 * has is known if there is only one. */
static bool is_of_all_windows(const struct description *d, const char *version)
{
    const char *selected = fm_variable("OMPI_MCA_osc");
    if (strncmp(version, "Open MPI", 8) != 0 || strncmp(d->name, "osc_", 4) != 0) {
        return true;
    }
    size_t length = strcspn(d->name + 4, "_");
    return selected != NULL && strlen(selected) == length &&
           strncmp(selected, d->name + 4, length) == 0;
}

/* Why a variable must not or cannot be read; NULL: for no known reason. */
static const char *obstacle(const struct description *d, const char *version, bool has_world)
{
    const char *attached = getenv(SPC_ATTACH), *spc = name_of_spc(d);
    if (strncmp(d->name, "mtl_psm2_", 9) == 0) {
        return "reading it crashes unless the library uses a PSM2 network";
    }
    if (!fm_pvar_type_is_known(d->type)) {
        return "its values are not numbers";
    }
    if (d->binding == MPI_T_BIND_MPI_COMM && !has_world) {
        return "it belongs to single communicators, and the program has no MPI_COMM_WORLD";
    }
    if (d->binding != MPI_T_BIND_NO_OBJECT && d->binding != MPI_T_BIND_MPI_COMM &&
        !fm_pvar_objects_have(d->binding)) {
        return "it belongs to single objects of the program other than communicators, windows and "
               "files";
    }
    if (d->binding == MPI_T_BIND_MPI_WIN && !is_of_all_windows(d, version)) {
        return "Open MPI reads it from windows of one component (osc) only, without a test: it is "
               "had if OMPI_MCA_osc, or --mca osc, selects that one alone";
    }
    if (spc != NULL && fm_library_spc_kind(spc) == FM_COUNTER_HIGH_WATERMARK &&
        strncmp(version, "Open MPI v5.", 12) == 0) {
        return "Open MPI 5 never raises it: its comparison is the wrong way round "
               "(ompi_spc_update_watermark)";
    }
    if (spc != NULL && (attached == NULL || !is_attached(attached, spc))) {
        return "it is switched off: the environment sets " SPC_ATTACH " without it";
    }
    return NULL;
}

/* ---- adding ---- */

static bool open_handle(int index, const struct description *d, struct variable *v)
{
    v->object = d->binding == MPI_T_BIND_MPI_COMM ? &world : NULL;
    if (PMPI_T_pvar_handle_alloc(pvars.session, index, (void *)v->object, &v->handle,
                                 &v->elements) != MPI_SUCCESS) {
        return false;
    }
    bool is_started =
        d->is_continuous || PMPI_T_pvar_start(pvars.session, v->handle) == MPI_SUCCESS;
    if (!is_started || !fm_pvar_is_readable(pvars.session, v->handle, v->elements)) {
        PMPI_T_pvar_handle_free(pvars.session, &v->handle);
        return false;
    }
    return true;
}

static void add_unavailable(const struct description *d, const char *spc, const char *reason)
{
    char name[FM_COUNTER_NAME];
    if (spc != NULL) {
        fm_library_spc_add(spc, FM_COUNTER_COUNT, FM_TIER_UNAVAILABLE, reason);
        return;
    }
    set_name(name, d);
    fm_library_counter_add(&(struct fm_added_counter){
        .name = name, .unit = "", .tier = FM_TIER_UNAVAILABLE, .bins = 1, .meaning = reason});
}

/* What the counter of a variable of windows or files is. */
static const char *of_objects(const struct description *d, const struct variable *v)
{
    bool is_win = d->binding == MPI_T_BIND_MPI_WIN;
    switch (v->sort.combination) {
    case FM_PVAR_MAXIMUM:
        return is_win ? ", largest of the windows that have it"
                      : ", largest of the files that have it";
    case FM_PVAR_MINIMUM:
        return is_win ? ", least of the windows that have it" : ", least of the files that have it";
    default:
        return is_win ? ", sum over the windows that have it" : ", sum over the files that have it";
    }
}

/* A variable by its own name. */
static uint32_t add_named(const struct description *d, const struct variable *v)
{
    char name[FM_COUNTER_NAME], meaning[FM_COUNTER_MEANING];
    const char *what = fm_pvar_objects_have(d->binding)         ? of_objects(d, v)
                       : v->elements == 1                       ? ""
                       : v->sort.combination == FM_PVAR_MAXIMUM ? ", largest of its elements"
                       : v->sort.combination == FM_PVAR_MINIMUM ? ", least of its elements"
                       : d->binding == MPI_T_BIND_MPI_COMM
                           ? ", sum over the ranks of MPI_COMM_WORLD"
                           : ", sum of its elements";
    size_t room = sizeof meaning - strlen(what) - 1;
    set_name(name, d);
    snprintf(meaning, sizeof meaning, "%.*s%s", (int)(room < 120 ? room : 120), d->meaning, what);
    bool is_seconds = d->class == MPI_T_PVAR_CLASS_TIMER && d->type == MPI_DOUBLE;
    return fm_library_counter_add(&(struct fm_added_counter){.name = name,
                                                             .unit = is_seconds ? "s" : "",
                                                             .kind = kind_of(d),
                                                             .tier = FM_TIER_LIBRARY,
                                                             .bins = 1,
                                                             .meaning = meaning});
}

/* One of Open MPI's counters. Its times are whole microseconds; reading its watermarks resets them.
 */
static uint32_t add_spc(const struct description *d, const char *spc, struct variable *v)
{
    const char *how =
        name_of_spc(d) != NULL ? "by the library's variable of this name"
        : d->binding == MPI_T_BIND_MPI_COMM
            ? "of MPI_COMM_WORLD, by a variable of the library"
            : "of all communicators, in the library's own queue, by a variable of the "
              "library";
    uint32_t kind = fm_library_spc_kind(spc);
    kind = kind == FM_COUNTER_TIMER ? FM_COUNTER_NANOSECONDS : kind;
    v->sort.factor = kind == FM_COUNTER_NANOSECONDS ? 1000 : 1;
    v->keeps = kind == FM_COUNTER_HIGH_WATERMARK;
    v->sort.combination = v->keeps ? FM_PVAR_MAXIMUM : FM_PVAR_SUM;
    v->sort.is_real = false;
    return fm_library_spc_add(spc, kind, FM_TIER_LIBRARY, how);
}

/* A variable of windows or files. */
static void add_of_objects(int index, const struct description *d, struct variable *v)
{
    bool is_level = d->class == MPI_T_PVAR_CLASS_LEVEL || d->class == MPI_T_PVAR_CLASS_SIZE ||
                    d->class == MPI_T_PVAR_CLASS_PERCENTAGE || d->class == MPI_T_PVAR_CLASS_STATE;
    struct fm_pvar_of_objects variable = {.index = index,
                                          .binding = d->binding,
                                          .is_continuous = d->is_continuous != 0,
                                          .is_level = is_level,
                                          .sort = v->sort,
                                          .slot = add_named(d, v)};
    pvars.has_objects |= variable.slot != 0 && fm_pvar_objects_add(pvars.session, &variable);
}

static void add(int index, const struct description *d, const char *spc, const char *version,
                bool has_world)
{
    struct variable *v = &pvars.variables[pvars.count];
    const char *reason = obstacle(d, version, has_world);
    *v = (struct variable){
        .sort = {.type = d->type,
                 .factor = 1,
                 .is_real = d->type == MPI_DOUBLE,
                 .combination = d->class == MPI_T_PVAR_CLASS_HIGHWATERMARK  ? FM_PVAR_MAXIMUM
                                : d->class == MPI_T_PVAR_CLASS_LOWWATERMARK ? FM_PVAR_MINIMUM
                                                                            : FM_PVAR_SUM}};
    if (reason == NULL && pvars.count == VARIABLES_MOST - 1) {
        reason = "fermata reads no more than 255 variables";
    }
    if (reason == NULL && fm_pvar_objects_have(d->binding)) {
        add_of_objects(index, d, v);
        return;
    }
    if (reason == NULL && !open_handle(index, d, v)) {
        reason = "the library has it and refuses to read it";
    }
    if (reason != NULL) {
        add_unavailable(d, spc, reason);
        return;
    }
    v->slot = spc != NULL ? add_spc(d, spc, v) : add_named(d, v);
    if (v->slot != 0) {
        pvars.count++;
    } else {
        PMPI_T_pvar_handle_free(pvars.session, &v->handle);
    }
}

/* ---- reading ---- */

static void read_variable(struct variable *v, uint64_t *value)
{
    uint64_t now;
    if (!fm_pvar_read(pvars.session, v->handle, v->elements, &v->sort, &now)) {
        return;
    }
    if (!v->keeps || !v->was_read || (int64_t)now > (int64_t)*value) {
        *value = now;
    }
    v->was_read = true;
}

static void read_variables(uint64_t *values)
{
    for (size_t i = 0; !pvars.ended && i < pvars.count; i++) {
        read_variable(&pvars.variables[i], &values[pvars.variables[i].slot]);
    }
    if (pvars.has_objects && !pvars.ended) {
        fm_pvar_objects_read(values);
    }
}

/* ---- begin and end ---- */

static void add_all(const char *version, bool has_world)
{
    struct description d;
    int count = 0;
    PMPI_T_pvar_get_num(&count);
    for (int i = 0; i < count; i++) {
        char name[FM_COUNTER_NAME];
        if (!describe(i, &d)) {
            continue; /* a place that a component of the library has left */
        }
        const char *spc = name_of_spc(&d);
        set_name(name, &d);
        if (spc != NULL && fm_library_spc_named(spc)) {
            add(i, &d, spc, version, has_world);
        } else if (fm_library_counter_named(FM_COUNTER_MPIT, name)) {
            add(i, &d, NULL, version, has_world);
        }
    }
    for (int i = 0; i < count; i++) { /* of the counters that the library does not have itself */
        const char *spc = describe(i, &d) ? name_of_relative(&d) : NULL;
        if (spc != NULL && fm_library_spc_named(spc)) {
            add(i, &d, spc, version, has_world);
        }
    }
}

fm_counter_reader_t *fm_pvars_begin(const char *version, int has_world)
{
    if (!pvars.prepared || PMPI_T_pvar_session_create(&pvars.session) != MPI_SUCCESS) {
        return NULL;
    }
    world = has_world ? MPI_COMM_WORLD : MPI_COMM_NULL;
    add_all(version, has_world != 0);
    return pvars.count != 0 || pvars.has_objects ? read_variables : NULL;
}

void fm_pvars_end(void)
{
    if (!pvars.ended && (pvars.count != 0 || pvars.has_objects)) {
        fm_library_counters_end();
    }
    pvars.ended = true;
}
