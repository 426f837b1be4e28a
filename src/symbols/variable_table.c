/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/variable_table.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct place {
    Dwarf_Addr low, size;
    Dwarf_Off die;
};

struct fm_variables {
    struct place *items; /* ascending */
    size_t count, room;
};

/* ---- the list ---- */

static void add(struct fm_variables *variables, const struct place *place)
{
    if (variables->count == variables->room) {
        size_t room = variables->room != 0 ? 2 * variables->room : 256;
        struct place *items = realloc(variables->items, room * sizeof *items);
        if (items == NULL) {
            return;
        }
        variables->items = items;
        variables->room = room;
    }
    variables->items[variables->count++] = *place;
}

/* @return whether the variable has one address, in the file, for its whole life */
static bool address_of(Dwarf_Die *die, Dwarf_Addr *address)
{
    Dwarf_Attribute attribute, indirect;
    Dwarf_Op *operations;
    size_t count;
    if (dwarf_attr(die, DW_AT_location, &attribute) == NULL ||
        dwarf_getlocation(&attribute, &operations, &count) != 0 || count != 1) {
        return false;
    }
    if (operations[0].atom == DW_OP_addr) {
        *address = operations[0].number;
        return true;
    }
    return (operations[0].atom == DW_OP_addrx || operations[0].atom == DW_OP_GNU_addr_index) &&
           dwarf_getlocation_attr(&attribute, &operations[0], &indirect) == 0 &&
           dwarf_formaddr(&indirect, address) == 0;
}

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;
    return dwarf_attr_integrate(die, DW_AT_type, &attribute) != NULL &&
           dwarf_formref_die(&attribute, type) != NULL && dwarf_peel_type(type, type) == 0;
}

static void add_variable(struct fm_variables *variables, Dwarf_Die *die)
{
    struct place place = {.die = dwarf_dieoffset(die)};
    Dwarf_Die type;
    if (address_of(die, &place.low) && type_of(die, &type) &&
        dwarf_aggregate_size(&type, &place.size) == 0 && place.size != 0) {
        add(variables, &place);
    }
}

/* Variables stand in units, in namespaces and modules, and in functions and their blocks. */
static void add_children(struct fm_variables *variables, Dwarf_Die *parent, int depth)
{
    enum { DEEPEST = 64 };
    Dwarf_Die child;
    if (depth == DEEPEST || dwarf_child(parent, &child) != 0) {
        return;
    }
    do {
        switch (dwarf_tag(&child)) {
        case DW_TAG_variable:
            add_variable(variables, &child);
            break;
        case DW_TAG_subprogram:
        case DW_TAG_lexical_block:
        case DW_TAG_namespace:
        case DW_TAG_module:
        case DW_TAG_common_block:
            add_children(variables, &child, depth + 1);
            break;
        default:
            break;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

static int compare(const void *a, const void *b)
{
    const struct place *left = a, *right = b;
    if (left->low != right->low) {
        return left->low < right->low ? -1 : 1;
    }
    return left->die < right->die ? -1 : left->die > right->die;
}

struct fm_variables *fm_variables_read(Dwarf *dwarf)
{
    struct fm_variables *variables = calloc(1, sizeof *variables);
    Dwarf_Off offset = 0, next;
    size_t header;
    while (variables != NULL &&
           dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL) == 0) {
        Dwarf_Die unit;
        if (dwarf_offdie(dwarf, offset + header, &unit) != NULL) {
            add_children(variables, &unit, 0);
        }
        offset = next;
    }
    if (variables != NULL && variables->count != 0) {
        qsort(variables->items, variables->count, sizeof *variables->items, compare);
    }
    return variables;
}

void fm_variables_free(struct fm_variables *variables)
{
    if (variables != NULL) {
        free(variables->items);
        free(variables);
    }
}

bool fm_variables_find(const struct fm_variables *variables, Dwarf *dwarf, Dwarf_Addr address,
                       Dwarf_Die *variable, uint64_t *offset)
{
    size_t low = 0, high = variables->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (variables->items[middle].low <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0 || address - variables->items[low - 1].low >= variables->items[low - 1].size) {
        return false;
    }
    *offset = address - variables->items[low - 1].low;
    return dwarf_offdie(dwarf, variables->items[low - 1].die, variable) != NULL;
}

/* ---- parts of a variable ---- */

static void append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void append(char *text, size_t size, const char *format, ...)
{
    const size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
}

/* @return whether the names of members and indices are written as in C */
static bool is_in_c(Dwarf_Die *die)
{
    Dwarf_Die unit;
    if (dwarf_diecu(die, &unit, NULL, NULL) == NULL) {
        return false;
    }
    switch (dwarf_srclang(&unit)) {
    case DW_LANG_Fortran77:
    case DW_LANG_Fortran90:
    case DW_LANG_Fortran95:
    case DW_LANG_Fortran03:
    case DW_LANG_Fortran08:
    case DW_LANG_Pascal83:
        return false;
    default:
        return true;
    }
}

/* The number of elements of a dimension; 0: not known. */
static uint64_t elements_of(Dwarf_Die *dimension)
{
    Dwarf_Attribute attribute;
    Dwarf_Word number;
    if (dwarf_formudata(dwarf_attr_integrate(dimension, DW_AT_count, &attribute), &number) == 0) {
        return number;
    }
    if (dwarf_formudata(dwarf_attr_integrate(dimension, DW_AT_upper_bound, &attribute), &number) ==
        0) {
        return number + 1;
    }
    return 0;
}

/* Appends the indices of the element at `*offset`, which becomes the offset in the element, whose
 * type `type` becomes. @return false: it is not known */
static bool append_indices(Dwarf_Die *type, uint64_t *offset, char *text, size_t size)
{
    enum { DIMENSIONS = 8 };
    uint64_t lengths[DIMENSIONS], indices[DIMENSIONS];
    Dwarf_Word bytes;
    Dwarf_Die child, element;
    size_t count = 0;
    if (!type_of(type, &element) || dwarf_aggregate_size(&element, &bytes) != 0 || bytes == 0 ||
        dwarf_child(type, &child) != 0) {
        return false;
    }
    do {
        if (dwarf_tag(&child) == DW_TAG_subrange_type) {
            if (count == DIMENSIONS) {
                return false;
            }
            lengths[count++] = elements_of(&child);
        }
    } while (dwarf_siblingof(&child, &child) == 0);
    uint64_t index = *offset / bytes;
    for (size_t d = count; d-- > 0;) {
        if (d > 0 && lengths[d] == 0) {
            return false;
        }
        indices[d] = d > 0 ? index % lengths[d] : index;
        index = d > 0 ? index / lengths[d] : 0;
    }
    for (size_t d = 0; d < count; d++) {
        append(text, size, "[%" PRIu64 "]", indices[d]);
    }
    *offset %= bytes;
    *type = element;
    return count != 0;
}

/* Appends the member, or the member of a base class, that contains `*offset`. Members of a union
 * share their place: none of them is known to be meant. @return false: there is none */
static bool append_member(Dwarf_Die *type, uint64_t *offset, char *text, size_t size)
{
    Dwarf_Die child;
    if (dwarf_child(type, &child) != 0) {
        return false;
    }
    do {
        const int tag = dwarf_tag(&child);
        Dwarf_Attribute attribute;
        Dwarf_Word begin, bytes;
        Dwarf_Die member;
        if ((tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
            dwarf_formudata(dwarf_attr(&child, DW_AT_data_member_location, &attribute), &begin) ==
                0 &&
            type_of(&child, &member) && dwarf_aggregate_size(&member, &bytes) == 0 &&
            *offset >= begin && *offset - begin < bytes) {
            const char *name = dwarf_diename(&child);
            if (tag == DW_TAG_member && name != NULL) {
                append(text, size, ".%s", name);
            }
            *offset -= begin;
            *type = member;
            return true;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

void fm_variable_append_part(Dwarf_Die *variable, uint64_t offset, char *text, size_t size)
{
    enum { DEEPEST = 32 };
    Dwarf_Die type;
    bool goes_on = is_in_c(variable) && type_of(variable, &type);
    for (int depth = 0; goes_on && depth < DEEPEST; depth++) {
        switch (dwarf_tag(&type)) {
        case DW_TAG_array_type:
            goes_on = append_indices(&type, &offset, text, size);
            break;
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
            goes_on = offset != 0 && append_member(&type, &offset, text, size);
            break;
        default:
            goes_on = false;
            break;
        }
    }
    if (offset != 0) {
        append(text, size, "+%" PRIu64, offset);
    }
}
