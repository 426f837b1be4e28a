/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks that the members of each collective operation call the same function, with the same root
 * and with sizes that fit together.
 *
 * An operation is the k-th one on a communicator or window, as in the analysis: non-blocking
 * operations count at their start; Init, Finalize and calls that make a communicator by a part of
 * its parent (MPI_Comm_create_group, MPI_Comm_spawn) have no place in the order. Starts of
 * persistent collectives have no order among different ones and are not compared.
 *
 * After the first operation whose members differ the numbers of later ones mean nothing: one
 * finding is reported for each communicator or window. The operations are kept, by 64 bytes each,
 * not their members. */
#include "trace/validate/validator.h"

#include "base/containers/sort.h"

#include <ctype.h>
#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <string.h>

/* Whether all members of an operation send, or receive, the same number of bytes. */
enum agreement { NO_SIZE, SENT_TO_ROOT, RECEIVED_FROM_ROOT, SENT_AND_RECEIVED };

enum { NO_SCOPE = UINT32_MAX };

/* The part of the current process in an operation. */
struct part {
    uint64_t enter; /* of the call that takes part */
    uint64_t call;  /* number of this call among those of the process */
    uint64_t sent, received;
    uint32_t scope;
    uint32_t function; /* position in `functions` */
    uint32_t root;
    uint32_t location;
    uint32_t position; /* in the order of the records */
    bool is_pending;   /* it has started and is not completed yet */
    bool is_root;
};

struct member {
    uint64_t enter;
    uint32_t location;
};

/* The k-th operation of a scope, as its first member has it. */
struct operation {
    struct member first;
    struct member sized; /* the first member whose sizes have to be those of others */
    uint64_t sent, received;
    uint32_t function;
    uint32_t root;
    uint32_t alike; /* members so far that do as the first one */
    bool has_sizes;
};

typedef enum { OTHER_FUNCTION, OTHER_ROOT, OTHER_SENT, OTHER_RECEIVED } difference_t;

/* The operations on a communicator or a window. */
struct scope {
    uint32_t reference;
    bool is_window;
    bool is_uncertain; /* it has operations that another thread started */
    uint32_t next;     /* number of the next operation of the current process */
    uint32_t process;  /* for which `next` counts */
    FM_VECTOR(struct operation) operations;
    bool has_difference;
    uint32_t number; /* of the first operation whose members differ */
    difference_t difference;
    struct member other;     /* the member that differs from the first one */
    uint32_t unlike;         /* number of these */
    uint32_t function, root; /* of `other` */
    uint64_t bytes, first_bytes;
};

struct function {
    char *key; /* in lower case, without underscores at the end and the suffix of large counts */
    uint32_t region;
    enum agreement agreement;
    bool has_root;
};

struct fm_collective_check {
    uint64_t calls;         /* of the current process */
    struct fm_map requests; /* of the current process: position in `parts` */
    FM_VECTOR(struct part) parts;
    FM_VECTOR(struct function) functions;
    struct fm_map function_of; /* region -> position in `functions` */
    struct fm_map scope_of;
    FM_VECTOR(struct scope) scopes;
};

void fm_validator_begin_collectives(struct fm_validator *validator)
{
    validator->collectives = fm_allocate(1, sizeof *validator->collectives);
}

static enum agreement agreement_of(const char *key)
{
    static const struct {
        const char *name;
        enum agreement agreement;
    } rows[] = {
        {"bcast", RECEIVED_FROM_ROOT},    {"scatter", RECEIVED_FROM_ROOT},
        {"gather", SENT_TO_ROOT},         {"reduce", SENT_TO_ROOT},
        {"allgather", SENT_AND_RECEIVED}, {"allreduce", SENT_AND_RECEIVED},
        {"alltoall", SENT_AND_RECEIVED},  {"reduce_scatter_block", SENT_AND_RECEIVED},
    };
    const char *name = strncmp(key, "mpi_", 4) == 0 ? key + 4 : "";
    name += name[0] == 'i';
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            return rows[i].agreement;
        }
    }
    return NO_SIZE;
}

static char *key_of(const char *name)
{
    char *key = fm_copy_string(name);
    size_t length = strlen(key);
    for (size_t i = 0; i < length; i++) {
        key[i] = (char)tolower((unsigned char)key[i]);
    }
    while (length > 0 && key[length - 1] == '_') {
        key[--length] = '\0';
    }
    if (length > 2 && strncmp(key, "mpi_", 4) == 0 && strcmp(key + length - 2, "_c") == 0) {
        key[length - 2] = '\0';
    }
    return key;
}

/* @param region  index
 * @return position in `functions`: equal for the names of one function */
static uint32_t function_of(struct fm_validator *validator, uint32_t region)
{
    struct fm_collective_check *check = validator->collectives;
    const uint32_t known = fm_map_get(&check->function_of, region);
    if (known != FM_MAP_ABSENT) {
        return known;
    }
    char *key = key_of(validator->functions[region].name);
    uint32_t position = 0;
    while (position < check->functions.count &&
           strcmp(check->functions.items[position].key, key) != 0) {
        position++;
    }
    if (position < check->functions.count) {
        fm_free(key);
    } else {
        const fm_call_t call = validator->functions[region].call;
        fm_vector_push(&check->functions,
                       (struct function){
                           .key = key,
                           .region = region,
                           .agreement = agreement_of(key),
                           .has_root = call == FM_CALL_ONE_TO_ALL || call == FM_CALL_ALL_TO_ONE,
                       });
    }
    return *fm_map_at(&check->function_of, region, position);
}

/* @return position of a communicator or window with the operations of one programming model; those
 * on a window are numbered together
 * @param index  of the communicator or window */
static uint32_t scope_of(struct fm_collective_check *check, fm_paradigm_t paradigm, bool is_window,
                         uint32_t index, uint32_t reference)
{
    const uint64_t key =
        (is_window ? (uint64_t)1 << 63 : (uint64_t)paradigm << 32) | (uint64_t)index;
    const uint32_t next = (uint32_t)check->scopes.count;
    const uint32_t scope = *fm_map_at(&check->scope_of, key, next);
    if (scope == next) {
        fm_vector_push(&check->scopes, (struct scope){.reference = reference,
                                                      .is_window = is_window,
                                                      .process = FM_SURVEY_NONE});
    }
    return scope;
}

/* @return the region of the call that is being made; FM_SURVEY_NONE if there is none */
static uint32_t current_region(const struct fm_validator *validator)
{
    return validator->stack.count == 0
               ? FM_SURVEY_NONE
               : fm_survey_find(&validator->survey->region_index,
                                validator->stack.items[validator->stack.count - 1]);
}

/* Adds the part of the current call. @return it; NULL if its operations have no order */
static struct part *add_part(struct fm_validator *validator)
{
    struct fm_collective_check *check = validator->collectives;
    const uint32_t region = current_region(validator);
    if (region == FM_SURVEY_NONE) {
        return NULL;
    }
    const struct fm_called_function *called = &validator->functions[region];
    const bool is_library =
        called->paradigm == FM_PARADIGM_MPI || called->paradigm == FM_PARADIGM_SHMEM ||
        called->paradigm == FM_PARADIGM_ARMCI || called->paradigm == FM_PARADIGM_CAF;
    if (!is_library || called->call == FM_CALL_INIT || called->call == FM_CALL_FINALIZE ||
        called->call == FM_CALL_DETACHED_COMMUNICATOR) {
        return NULL;
    }
    const uint32_t position = (uint32_t)check->parts.count;
    fm_vector_push(&check->parts, (struct part){
                                      .enter = validator->entered.items[validator->stack.count - 1],
                                      .call = check->calls,
                                      .scope = NO_SCOPE,
                                      .function = function_of(validator, region),
                                      .location = validator->location,
                                      .position = position,
                                  });
    return &check->parts.items[check->parts.count - 1];
}

/* @return the communicator of a record: an index; FM_SURVEY_NONE if it is not defined, has one
 * member (MPI_COMM_SELF is one of each process), or the current process is none of them
 * @param index  of the communicator, or of the window */
static uint32_t shared_comm(struct fm_validator *validator, uint32_t index, bool is_window)
{
    const struct fm_survey *survey = validator->survey;
    const uint32_t comm =
        index == FM_SURVEY_NONE ? FM_SURVEY_NONE
        : is_window ? fm_survey_find(&survey->comm_index, survey->windows.items[index].comm)
                    : index;
    if (comm == FM_SURVEY_NONE || fm_survey_comm_size(survey, comm) < 2) {
        return FM_SURVEY_NONE;
    }
    const bool is_inter = survey->comms.items[comm].second_group != FM_SURVEY_NONE;
    return is_inter || fm_members_rank(&validator->members, comm) != FM_SURVEY_NONE
               ? comm
               : FM_SURVEY_NONE;
}

/* Sets what the record of a completed operation states. */
static void complete_part(struct fm_validator *validator, struct part *part,
                          const struct fm_survey_event *event, bool is_window)
{
    const struct fm_survey *survey = validator->survey;
    const uint32_t index =
        fm_survey_find(is_window ? &survey->window_index : &survey->comm_index, event->reference);
    const uint32_t comm = shared_comm(validator, index, is_window);
    if (comm == FM_SURVEY_NONE) {
        return;
    }
    struct fm_collective_check *check = validator->collectives;
    const uint32_t region = check->functions.items[part->function].region;
    part->scope =
        scope_of(check, validator->functions[region].paradigm, is_window, index, event->reference);
    part->root = is_window ? OTF2_COLLECTIVE_ROOT_NONE : event->peer;
    part->sent = event->bytes;
    part->received = event->received;
    if (survey->comms.items[comm].second_group != FM_SURVEY_NONE) {
        part->root = OTF2_COLLECTIVE_ROOT_NONE; /* root and sizes differ between the two groups */
        part->is_root = true;
    } else if (!is_window && check->functions.items[part->function].has_root) {
        part->is_root = fm_members_rank(&validator->members, comm) == event->peer;
    }
}

/* A call has one blocking operation on a scope: a second record is a copy. */
static void drop_copy(struct fm_collective_check *check)
{
    const struct part *last = &check->parts.items[check->parts.count - 1];
    for (size_t i = check->parts.count - 1; i-- > 0 && check->parts.items[i].call == last->call;) {
        if (check->parts.items[i].scope == last->scope) {
            check->parts.count--;
            return;
        }
    }
}

static void start_part(struct fm_validator *validator, uint64_t request)
{
    struct fm_collective_check *check = validator->collectives;
    struct part *part = add_part(validator);
    if (part != NULL) {
        part->is_pending = true;
        *fm_map_at(&check->requests, request, part->position) = part->position;
    }
}

static void finish_part(struct fm_validator *validator, const struct fm_survey_event *event)
{
    struct fm_collective_check *check = validator->collectives;
    const uint32_t started = fm_map_take(&check->requests, event->id);
    if (started == FM_MAP_ABSENT) {
        const uint32_t index = fm_survey_find(&validator->survey->comm_index, event->reference);
        if (index != FM_SURVEY_NONE) {
            const uint32_t scope = scope_of(check, FM_PARADIGM_MPI, false, index, event->reference);
            check->scopes.items[scope].is_uncertain = true;
        }
        return;
    }
    struct part *part = &check->parts.items[started];
    part->is_pending = false;
    if (strncmp(check->functions.items[part->function].key, "mpi_start", 9) != 0) {
        complete_part(validator, part, event, false);
    }
}

void fm_validator_note_collective(struct fm_validator *validator,
                                  const struct fm_survey_event *event)
{
    struct part *part;
    switch (event->kind) {
    case FM_SURVEY_ENTER:
        validator->collectives->calls++;
        break;
    case FM_SURVEY_MPI_COLLECTIVE_END:
    case FM_SURVEY_RMA_COLLECTIVE_END:
        part = add_part(validator);
        if (part != NULL) {
            complete_part(validator, part, event, event->kind == FM_SURVEY_RMA_COLLECTIVE_END);
            drop_copy(validator->collectives);
        }
        break;
    case FM_SURVEY_NON_BLOCKING_COLLECTIVE_REQUEST:
        start_part(validator, event->id);
        break;
    case FM_SURVEY_NON_BLOCKING_COLLECTIVE_COMPLETE:
        finish_part(validator, event);
        break;
    default:
        break;
    }
}

static int compare_parts(const void *left, const void *right)
{
    const struct part *a = left, *b = right;
    if (a->enter != b->enter) {
        return a->enter < b->enter ? -1 : 1;
    }
    return a->position < b->position ? -1 : a->position > b->position;
}

/* Whether the sizes of a part have to be those of the other members. */
static bool has_size(const struct fm_collective_check *check, const struct part *part,
                     bool is_received)
{
    switch (check->functions.items[part->function].agreement) {
    case SENT_AND_RECEIVED:
        return !part->is_root;
    case SENT_TO_ROOT:
        return !is_received && !part->is_root;
    case RECEIVED_FROM_ROOT:
        return is_received && !part->is_root;
    default:
        return false;
    }
}

static void note_difference(struct scope *scope, uint32_t number, const struct part *part,
                            difference_t difference, uint64_t first_bytes, uint64_t bytes)
{
    scope->has_difference = true;
    scope->number = number;
    scope->difference = difference;
    scope->other = (struct member){part->enter, part->location};
    scope->unlike = 1;
    scope->function = part->function;
    scope->root = part->root;
    scope->first_bytes = first_bytes;
    scope->bytes = bytes;
}

static bool are_ranks(uint32_t first, uint32_t second)
{
    return first < OTF2_COLLECTIVE_ROOT_THIS_GROUP && second < OTF2_COLLECTIVE_ROOT_THIS_GROUP;
}

/* Compares a part with the first member of its operation. */
static void compare_part(struct fm_collective_check *check, struct scope *scope, uint32_t number,
                         const struct part *part)
{
    struct operation *operation = &scope->operations.items[number];
    const bool is_known = scope->has_difference && scope->number == number;
    const bool counts_sent = has_size(check, part, false);
    const bool counts_received = has_size(check, part, true);
    const bool has_sizes = counts_sent || counts_received;
    difference_t difference;
    uint64_t first_bytes = 0, bytes = 0;
    if (operation->function != part->function) {
        difference = OTHER_FUNCTION;
    } else if (check->functions.items[part->function].has_root && operation->root != part->root &&
               are_ranks(operation->root, part->root)) {
        difference = OTHER_ROOT;
    } else if (operation->has_sizes && counts_sent && operation->sent != part->sent) {
        difference = OTHER_SENT;
        first_bytes = operation->sent;
        bytes = part->sent;
    } else if (operation->has_sizes && counts_received && operation->received != part->received) {
        difference = OTHER_RECEIVED;
        first_bytes = operation->received;
        bytes = part->received;
    } else {
        operation->alike++;
        if (has_sizes && !operation->has_sizes) {
            operation->has_sizes = true;
            operation->sized = (struct member){part->enter, part->location};
            operation->sent = part->sent;
            operation->received = part->received;
        }
        return;
    }
    if (is_known) {
        scope->unlike++;
    } else {
        note_difference(scope, number, part, difference, first_bytes, bytes);
    }
}

static void add_operation(struct fm_collective_check *check, struct scope *scope,
                          const struct part *part)
{
    const struct member member = {part->enter, part->location};
    fm_vector_push(&scope->operations,
                   (struct operation){
                       .first = member,
                       .sized = member,
                       .sent = part->sent,
                       .received = part->received,
                       .function = part->function,
                       .root = part->root,
                       .alike = 1,
                       .has_sizes = has_size(check, part, false) || has_size(check, part, true),
                   });
}

static void judge_part(struct fm_validator *validator, const struct part *part)
{
    struct fm_collective_check *check = validator->collectives;
    struct scope *scope = &check->scopes.items[part->scope];
    if (scope->process != validator->members.process) {
        scope->process = validator->members.process;
        scope->next = 0;
    }
    const uint32_t number = scope->next++;
    if (scope->has_difference && number > scope->number) {
        return;
    }
    if (number == scope->operations.count) {
        add_operation(check, scope, part);
    } else {
        compare_part(check, scope, number, part);
    }
}

void fm_validator_end_process_collectives(struct fm_validator *validator, bool is_whole)
{
    struct fm_collective_check *check = validator->collectives;
    if (is_whole && validator->members.process != FM_SURVEY_NONE) {
        struct part *parts = check->parts.items;
        if (validator->several_threads) {
            fm_sort(parts, check->parts.count, sizeof *parts, compare_parts);
        }
        for (size_t i = 0; i < check->parts.count; i++) {
            if (parts[i].is_pending) {
                break; /* on which communicator is not known: nor are the numbers of later ones */
            }
            if (parts[i].scope != NO_SCOPE) {
                judge_part(validator, &parts[i]);
            }
        }
    }
    check->parts.count = 0;
    check->calls = 0;
    fm_map_clear(&check->requests);
}

static const char *process_of(const struct fm_survey *survey, uint32_t location)
{
    const uint32_t process =
        fm_survey_find(&survey->process_index, survey->locations.items[location].process);
    return fm_survey_name(survey, survey->processes.items[process].name, "unnamed process");
}

static const char *function_name(const struct fm_validator *validator, uint32_t function)
{
    return validator->functions[validator->collectives->functions.items[function].region].name;
}

/* Reports the first operation of a scope whose members differ, at the member that differs from
 * most others. */
static void report_scope(struct fm_validator *validator, const struct scope *scope)
{
    const struct operation *operation = &scope->operations.items[scope->number];
    const bool by_bytes = scope->difference >= OTHER_SENT;
    const struct member first = by_bytes ? operation->sized : operation->first;
    const bool other_is_here = operation->alike >= scope->unlike;
    const struct member here = other_is_here ? scope->other : first;
    const char *there =
        process_of(validator->survey, (other_is_here ? first : scope->other).location);
    char where[64];
    snprintf(where, sizeof where, "collective operation %" PRIu32 " on %s %" PRIu32,
             scope->number + 1, scope->is_window ? "window" : "communicator", scope->reference);
    validator->location = here.location;
    const uint32_t functions[] = {operation->function, scope->function};
    const uint32_t roots[] = {operation->root, scope->root};
    const uint64_t bytes[] = {scope->first_bytes, scope->bytes};
    const size_t own = other_is_here ? 1 : 0;
    const char *name = function_name(validator, functions[own]);
    switch (scope->difference) {
    case OTHER_FUNCTION:
        fm_validator_find(validator, here.enter, "%s is %.50s here, %.50s on %.50s", where, name,
                          function_name(validator, functions[1 - own]), there);
        break;
    case OTHER_ROOT:
        fm_validator_find(validator, here.enter,
                          "%s, %.50s, has root %" PRIu32 " here, %" PRIu32 " on %.50s", where, name,
                          roots[own], roots[1 - own], there);
        break;
    default:
        fm_validator_find(validator, here.enter,
                          "%s, %.50s, %s %" PRIu64 " bytes here, %" PRIu64 " on %.50s", where, name,
                          scope->difference == OTHER_SENT ? "sends" : "receives", bytes[own],
                          bytes[1 - own], there);
        break;
    }
}

void fm_validator_end_collectives(struct fm_validator *validator)
{
    struct fm_collective_check *check = validator->collectives;
    for (size_t s = 0; s < check->scopes.count; s++) {
        struct scope *scope = &check->scopes.items[s];
        if (scope->has_difference && !scope->is_uncertain) {
            report_scope(validator, scope);
        }
        fm_vector_free(&scope->operations);
    }
    for (size_t f = 0; f < check->functions.count; f++) {
        fm_free(check->functions.items[f].key);
    }
    fm_vector_free(&check->parts);
    fm_vector_free(&check->functions);
    fm_vector_free(&check->scopes);
    fm_map_free(&check->requests);
    fm_map_free(&check->function_of);
    fm_map_free(&check->scope_of);
    fm_free(check);
}
