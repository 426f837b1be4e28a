/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/symbol_table.h"

#include "base/containers/search.h"

#include <stdlib.h>

struct symbol {
    GElf_Addr begin, end;
    GElf_Addr reach; /* largest end of this one and those before it */
    const char *name;
    int number;  /* in the binary */
    int binding; /* the higher the better */
};

struct fm_symbol_table {
    struct symbol *symbols; /* ascending by begin; those of one begin by number */
    size_t count;
    GElf_Addr *labels; /* symbols without a size, ascending */
    size_t label_count;
    int first_global; /* number of the first symbol that other binaries may see */
};

static int binding_of(const GElf_Sym *symbol)
{
    switch (GELF_ST_BIND(symbol->st_info)) {
    case STB_GLOBAL:
        return 3;
    case STB_WEAK:
        return 2;
    case STB_LOCAL:
        return 1;
    default:
        return 0;
    }
}

static bool is_place(const GElf_Sym *symbol, const char *name)
{
    const unsigned type = GELF_ST_TYPE(symbol->st_info);
    return name != NULL && name[0] != '\0' && symbol->st_shndx != SHN_UNDEF &&
           type != STT_SECTION && type != STT_FILE && type != STT_TLS;
}

static int compare_symbols(const void *a, const void *b)
{
    const struct symbol *left = a, *right = b;
    if (left->begin != right->begin) {
        return left->begin < right->begin ? -1 : 1;
    }
    return left->number - right->number;
}

static int compare_addresses(const void *a, const void *b)
{
    GElf_Addr left = *(const GElf_Addr *)a, right = *(const GElf_Addr *)b;
    return left < right ? -1 : left > right;
}

struct fm_symbol_table *fm_symbol_table_read(Dwfl_Module *module)
{
    struct fm_symbol_table *table = calloc(1, sizeof *table);
    const int count = dwfl_module_getsymtab(module);
    if (table == NULL || count <= 0) {
        return table;
    }
    table->symbols = malloc((size_t)count * sizeof *table->symbols);
    table->labels = malloc((size_t)count * sizeof *table->labels);
    if (table->symbols == NULL || table->labels == NULL) {
        fm_symbol_table_free(table);
        return NULL;
    }
    table->first_global = dwfl_module_getsymtab_first_global(module);
    for (int i = 1; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr begin;
        const char *name = dwfl_module_getsym_info(module, i, &symbol, &begin, NULL, NULL, NULL);
        if (!is_place(&symbol, name)) {
            continue;
        }
        if (symbol.st_size == 0) {
            table->labels[table->label_count++] = begin;
        } else {
            table->symbols[table->count++] = (struct symbol){
                .begin = begin,
                .end = begin + symbol.st_size,
                .name = name,
                .number = i,
                .binding = binding_of(&symbol),
            };
        }
    }
    qsort(table->labels, table->label_count, sizeof *table->labels, compare_addresses);
    qsort(table->symbols, table->count, sizeof *table->symbols, compare_symbols);
    GElf_Addr reach = 0;
    for (size_t i = 0; i < table->count; i++) {
        reach = table->symbols[i].end > reach ? table->symbols[i].end : reach;
        table->symbols[i].reach = reach;
    }
    return table;
}

void fm_symbol_table_free(struct fm_symbol_table *table)
{
    if (table != NULL) {
        free(table->symbols);
        free(table->labels);
        free(table);
    }
}

/* @return how many symbols begin at an address or before it */
static size_t count_begun(const struct fm_symbol_table *table, GElf_Addr address)
{
    return table->count == 0 ? 0
                             : fm_count_below(&table->symbols->begin, table->count,
                                              sizeof *table->symbols, address + 1);
}

/* @return whether the later of two symbols in the binary is the better name */
static bool is_better(const struct symbol *symbol, const struct symbol *than)
{
    return than->begin < symbol->begin || than->binding < symbol->binding ||
           (than->begin == symbol->begin && than->end > symbol->end &&
            than->binding <= symbol->binding);
}

/* Visits the symbols around an address in the order of the binary, as libdwfl does: the choice
 * among several depends on this order. */
static const struct symbol *best_of(const struct fm_symbol_table *table, size_t begun,
                                    GElf_Addr address, bool global)
{
    const struct symbol *best = NULL;
    int number = -1;
    for (;;) {
        const struct symbol *next = NULL;
        for (size_t i = begun; i-- > 0 && table->symbols[i].reach > address;) {
            const struct symbol *symbol = &table->symbols[i];
            if (symbol->end > address && symbol->number > number &&
                (symbol->number >= table->first_global) == global &&
                (next == NULL || symbol->number < next->number)) {
                next = symbol;
            }
        }
        if (next == NULL) {
            return best;
        }
        number = next->number;
        best = best == NULL || is_better(next, best) ? next : best;
    }
}

const char *fm_symbol_table_find(const struct fm_symbol_table *table, GElf_Addr address,
                                 GElf_Off *offset)
{
    const size_t begun = count_begun(table, address);
    const struct symbol *best = best_of(table, begun, address, true);
    best = best != NULL ? best : best_of(table, begun, address, false);
    if (best == NULL) {
        return NULL;
    }
    *offset = address - best->begin;
    return best->name;
}

bool fm_symbol_table_has_label(const struct fm_symbol_table *table, GElf_Addr address)
{
    return table->label_count != 0 && bsearch(&address, table->labels, table->label_count,
                                              sizeof address, compare_addresses) != NULL;
}
