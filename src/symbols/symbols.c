/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/symbols.h"

#include "symbols/call_names.h"
#include "symbols/library_code.h"
#include "symbols/symbol_name.h"
#include "symbols/symbol_table.h"
#include "symbols/variable_table.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A part of the code and the compilation unit or function that it belongs to. */
struct range {
    Dwarf_Addr low, high;
    Dwarf_Off die;
};

/* Parts that do not overlap, ascending. */
struct ranges {
    struct range *items;
    size_t count, room;
};

/* The functions of a compilation unit. */
struct unit {
    Dwarf_Off die;
    struct ranges functions;
    struct unit *next;
};

/* A binary; `module` is NULL if it cannot be used. */
struct binary {
    char *path;
    Dwfl *session;
    Dwfl_Module *module;
    GElf_Addr symbol_bias;         /* address for libdwfl = address in the file + bias */
    struct fm_symbol_table *table; /* NULL: not asked for yet */
    struct fm_call_names *calls;   /* NULL: not asked for yet */
    enum fm_library_code code;
    Dwarf *dwarf; /* NULL: no debug information */
    Dwarf_Addr dwarf_bias;
    struct fm_variables *variables; /* NULL: not asked for yet */
    bool units_read;
    struct ranges units;
    struct unit *functions; /* of the units that were asked for */
    struct binary *next;
};

struct fm_symbols {
    struct binary *binaries;
};

struct fm_symbols *fm_symbols_open(void)
{
    return calloc(1, sizeof(struct fm_symbols));
}

/* ---- binaries ---- */

static bool has_build_id(Dwfl_Module *module, const char *wanted)
{
    const unsigned char *bits;
    GElf_Addr place;
    char text[2 * 64 + 1] = "";
    int length = dwfl_module_build_id(module, &bits, &place);
    for (int i = 0; i < length && i < 64; i++) {
        snprintf(text + (size_t)i * 2, 3, "%02x", bits[i]);
    }
    /* The recorder keeps the first 20 bytes. */
    return wanted[0] == '\0' || strncmp(text, wanted, strlen(wanted)) == 0;
}

static void open_binary(struct binary *binary, const char *build_id)
{
    static char *no_path;
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo,
                                             .section_address = dwfl_offline_section_address,
                                             .debuginfo_path = &no_path};
    binary->session = dwfl_begin(&callbacks);
    if (binary->session == NULL) {
        return;
    }
    dwfl_report_begin(binary->session);
    Dwfl_Module *module = dwfl_report_offline(binary->session, binary->path, binary->path, -1);
    dwfl_report_end(binary->session, NULL, NULL);
    if (module == NULL || dwfl_module_getelf(module, &binary->symbol_bias) == NULL ||
        !has_build_id(module, build_id)) {
        return;
    }
    binary->module = module;
    binary->code = fm_library_code(dwfl_module_getelf(module, &binary->symbol_bias), binary->path);
    binary->dwarf = dwfl_module_getdwarf(module, &binary->dwarf_bias);
}

static struct binary *find_binary(struct fm_symbols *symbols, const char *path,
                                  const char *build_id)
{
    struct binary *binary = symbols->binaries;
    while (binary != NULL && strcmp(binary->path, path) != 0) {
        binary = binary->next;
    }
    if (binary == NULL) {
        binary = calloc(1, sizeof *binary);
        char *copy = strdup(path);
        if (binary == NULL || copy == NULL) {
            free(binary);
            free(copy);
            return NULL;
        }
        binary->path = copy;
        binary->next = symbols->binaries;
        symbols->binaries = binary;
        open_binary(binary, build_id);
    }
    return binary->module != NULL ? binary : NULL;
}

void fm_symbols_close(struct fm_symbols *symbols)
{
    while (symbols != NULL && symbols->binaries != NULL) {
        struct binary *binary = symbols->binaries;
        symbols->binaries = binary->next;
        while (binary->functions != NULL) {
            struct unit *unit = binary->functions;
            binary->functions = unit->next;
            free(unit->functions.items);
            free(unit);
        }
        fm_symbol_table_free(binary->table);
        fm_call_names_free(binary->calls);
        fm_variables_free(binary->variables);
        if (binary->session != NULL) {
            dwfl_end(binary->session);
        }
        free(binary->units.items);
        free(binary->path);
        free(binary);
    }
    free(symbols);
}

/* ---- compilation units and their functions ---- */

static int compare_ranges(const void *a, const void *b)
{
    const struct range *left = a, *right = b;
    return left->low < right->low ? -1 : left->low > right->low;
}

/* Adds the code of a unit or function. */
static void add_ranges(struct ranges *ranges, Dwarf_Die *die)
{
    struct range range = {.die = dwarf_dieoffset(die)};
    Dwarf_Addr base;
    for (ptrdiff_t i = 0; (i = dwarf_ranges(die, i, &base, &range.low, &range.high)) > 0;) {
        if (ranges->count == ranges->room) {
            size_t room = ranges->room != 0 ? 2 * ranges->room : 256;
            struct range *items = realloc(ranges->items, room * sizeof *items);
            if (items == NULL) {
                return;
            }
            ranges->items = items;
            ranges->room = room;
        }
        ranges->items[ranges->count++] = range;
    }
}

static void sort_ranges(struct ranges *ranges)
{
    if (ranges->count != 0) {
        qsort(ranges->items, ranges->count, sizeof *ranges->items, compare_ranges);
    }
}

static bool find_range(struct binary *binary, const struct ranges *ranges, Dwarf_Addr address,
                       Dwarf_Die *die)
{
    size_t low = 0, high = ranges->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranges->items[middle].low <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 && address < ranges->items[low - 1].high &&
           dwarf_offdie(binary->dwarf, ranges->items[low - 1].die, die) != NULL;
}

/* From the ranges of the units themselves: not every compiler writes .debug_aranges. */
static bool find_unit(struct binary *binary, Dwarf_Addr address, Dwarf_Die *unit)
{
    Dwarf_Off offset = 0, next;
    size_t header;
    while (!binary->units_read &&
           dwarf_nextcu(binary->dwarf, offset, &next, &header, NULL, NULL, NULL) == 0) {
        Dwarf_Die die;
        if (dwarf_offdie(binary->dwarf, offset + header, &die) != NULL) {
            add_ranges(&binary->units, &die);
        }
        offset = next;
    }
    if (!binary->units_read) {
        binary->units_read = true;
        sort_ranges(&binary->units);
    }
    return find_range(binary, &binary->units, address, unit);
}

/* Functions stand in units, in namespaces and modules, and inside other functions, whose code does
 * not enclose theirs. */
static void add_functions(struct ranges *functions, Dwarf_Die *parent, int depth)
{
    enum { DEEPEST = 64 };
    Dwarf_Die child;
    if (depth == DEEPEST || dwarf_child(parent, &child) != 0) {
        return;
    }
    do {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_subprogram) {
            add_ranges(functions, &child);
        }
        if (tag == DW_TAG_subprogram || tag == DW_TAG_namespace || tag == DW_TAG_module ||
            tag == DW_TAG_lexical_block || (tag == DW_TAG_structure_type && depth > 0) ||
            (tag == DW_TAG_class_type && depth > 0)) {
            add_functions(functions, &child, depth + 1);
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

static bool find_function(struct binary *binary, Dwarf_Die *unit, Dwarf_Addr address,
                          Dwarf_Die *function)
{
    struct unit *found = binary->functions;
    while (found != NULL && found->die != dwarf_dieoffset(unit)) {
        found = found->next;
    }
    if (found == NULL) {
        found = calloc(1, sizeof *found);
        if (found == NULL) {
            return false;
        }
        found->die = dwarf_dieoffset(unit);
        found->next = binary->functions;
        binary->functions = found;
        add_functions(&found->functions, unit, 0);
        sort_ranges(&found->functions);
    }
    return find_range(binary, &found->functions, address, function);
}

/* ---- names ---- */

static char *copy_of(const char *text)
{
    return text != NULL ? strdup(text) : NULL;
}

/* The path of a source file. Compilers name files as they were named on their command line:
 * relative to the folder in which they ran, which the unit names.
 * @return to be freed with free(); NULL: not known */
static char *path_of(Dwarf_Die *unit, const char *file)
{
    Dwarf_Attribute attribute;
    const char *folder = file != NULL && file[0] != '/'
                             ? dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute))
                             : NULL;
    char *path = NULL;
    if (folder == NULL || folder[0] != '/') {
        return copy_of(file);
    }
    while (strncmp(file, "./", 2) == 0) {
        file += 2;
    }
    return asprintf(&path, "%s/%s", folder, file) < 0 ? NULL : path;
}

/* The declaration of a function, which lies where its name is declared. */
static void find_declaration(Dwarf_Die *die)
{
    static const unsigned ways[] = {DW_AT_abstract_origin, DW_AT_specification};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        Dwarf_Attribute attribute;
        Dwarf_Die other;
        if (dwarf_attr(die, ways[i], &attribute) != NULL &&
            dwarf_formref_die(&attribute, &other) != NULL) {
            *die = other;
        }
    }
}

/* Puts a name in front of another one. */
static char *join(const char *outer, char *name)
{
    char *whole = NULL;
    if (name == NULL || asprintf(&whole, "%s::%s", outer, name) < 0) {
        return name;
    }
    free(name);
    return whole;
}

/* The name of a C++ function or variable without a linkage name, such as that of a lambda function:
 * with the functions, classes and namespaces around it. A lambda function is `main::{lambda}`. */
static char *qualified_name(Dwarf_Die *die)
{
    Dwarf_Die declaration = *die, *scopes = NULL;
    char *name = copy_of(dwarf_diename(die));
    find_declaration(&declaration);
    int count = dwarf_getscopes_die(&declaration, &scopes);
    for (int i = 1; i < count; i++) {
        int tag = dwarf_tag(&scopes[i]);
        const char *outer = dwarf_diename(&scopes[i]);
        if (outer == NULL && tag == DW_TAG_namespace) {
            outer = "(anonymous namespace)";
        }
        bool is_class =
            tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
        bool is_lambda = is_class && name != NULL && strcmp(name, "operator()") == 0 &&
                         (outer == NULL || strncmp(outer, "<lambda", 7) == 0);
        if (is_lambda) {
            free(name);
            name = strdup("{lambda}");
        } else if (outer != NULL && (is_class || tag == DW_TAG_namespace)) {
            name = join(outer, name);
        } else if (outer != NULL && tag == DW_TAG_subprogram) {
            /* Its code need not stand in its namespace: its declaration does. */
            char *function_name = qualified_name(&scopes[i]);
            name = join(function_name != NULL ? function_name : outer, name);
            free(function_name);
            break;
        }
    }
    free(scopes);
    return name;
}

static bool is_in_cpp(Dwarf_Die *die)
{
    Dwarf_Die unit;
    if (dwarf_diecu(die, &unit, NULL, NULL) == NULL) {
        return false;
    }
    switch (dwarf_srclang(&unit)) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
        return true;
    default:
        return false;
    }
}

/* The file that a function or variable is declared in, to be freed with free(). In DWARF 5 the file
 * 0 is the unit's own one, for which dwarf_decl_file() has no answer. */
static char *declaring_file(Dwarf_Die *die)
{
    const char *file = dwarf_decl_file(die);
    Dwarf_Attribute attribute;
    Dwarf_Word number;
    Dwarf_Half version;
    Dwarf_Files *files;
    Dwarf_Die unit;
    if (dwarf_diecu(die, &unit, NULL, NULL) == NULL) {
        return copy_of(file);
    }
    if (file == NULL &&
        dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_file, &attribute), &number) == 0 &&
        number == 0 && dwarf_cu_info(die->cu, &version, NULL, NULL, NULL, NULL, NULL, NULL) == 0 &&
        version >= 5 && dwarf_getsrcfiles(&unit, &files, NULL) == 0) {
        file = dwarf_filesrc(files, 0, NULL, NULL);
    }
    return path_of(&unit, file);
}

/* A function's or an inlined function's names and place. */
static void describe_function(Dwarf_Die *die, struct fm_symbol_frame *frame)
{
    Dwarf_Attribute attribute;
    int line = 0;
    const char *name = dwarf_diename(die), *symbol = NULL;
    if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) != NULL ||
        dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute) != NULL) {
        symbol = dwarf_formstring(&attribute);
    }
    frame->symbol = copy_of(symbol != NULL ? symbol : name);
    const bool is_qualified = symbol == NULL && name != NULL && is_in_cpp(die);
    frame->name = symbol != NULL ? fm_symbol_name(symbol)
                  : is_qualified ? qualified_name(die)
                                 : copy_of(name);
    if (is_qualified && frame->name != NULL) {
        fm_symbol_name_shorten(frame->name);
    }
    /* Where the symbol needs no demangling, the name is better: symbols of Fortran's main program
     * and of internal procedures do not contain their names. */
    if (symbol != NULL && name != NULL && frame->name != NULL && strcmp(symbol, frame->name) == 0) {
        free(frame->name);
        frame->name = copy_of(name);
    }
    frame->file = declaring_file(die);
    frame->line = dwarf_decl_line(die, &line) == 0 && line > 0 ? (uint32_t)line : 0;
}

/* Where an inlined function was called. */
static void describe_call(Dwarf_Die *die, Dwarf_Die *unit, struct fm_symbol_frame *caller)
{
    Dwarf_Attribute attribute;
    Dwarf_Files *files;
    Dwarf_Word number;
    if (dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attribute), &number) == 0) {
        caller->call_line = (uint32_t)number;
    }
    if (dwarf_getsrcfiles(unit, &files, NULL) == 0 &&
        dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attribute), &number) == 0) {
        caller->call_file = path_of(unit, dwarf_filesrc(files, (size_t)number, NULL, NULL));
    }
}

static void describe_line(Dwarf_Die *unit, Dwarf_Addr address, struct fm_symbol_frame *frame)
{
    Dwarf_Line *line = dwarf_getsrc_die(unit, address);
    int number;
    if (line != NULL && dwarf_lineno(line, &number) == 0 && number > 0) {
        frame->call_file = path_of(unit, dwarf_linesrc(line, NULL, NULL));
        frame->call_line = frame->call_file != NULL ? (uint32_t)number : 0;
    }
}

/* The block, or the function inlined into it, in a function or block that the address is in.
 * @return false: there is none */
static bool find_inner(Dwarf_Die *outer, Dwarf_Addr address, Dwarf_Die *inner)
{
    if (dwarf_child(outer, inner) != 0) {
        return false;
    }
    do {
        int tag = dwarf_tag(inner);
        if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) &&
            dwarf_haspc(inner, address) > 0) {
            return true;
        }
    } while (dwarf_siblingof(inner, inner) == 0);
    return false;
}

/* Whether an inlined function is a part of the function that it is inlined into: compilers split
 * functions, and may inline the parts again. The call of such a part is at the line of the
 * function's declaration. */
static bool is_part(Dwarf_Die *inlined, Dwarf_Die *unit, const struct fm_symbol_frame *outer)
{
    struct fm_symbol_frame caller = {.name = NULL}, callee = {.name = NULL};
    describe_call(inlined, unit, &caller);
    describe_function(inlined, &callee);
    bool part = outer->line != 0 && caller.call_line == outer->line && callee.line == outer->line &&
                callee.name != NULL && strcmp(callee.name, outer->name) == 0 &&
                caller.call_file != NULL && outer->file != NULL &&
                strcmp(caller.call_file, outer->file) == 0;
    fm_symbols_free_frames(&caller, 1);
    fm_symbols_free_frames(&callee, 1);
    return part;
}

/* By debug information: the function, and those inlined into it. */
static size_t find_by_scopes(struct binary *binary, Dwarf_Addr address,
                             struct fm_symbol_frame *frames)
{
    Dwarf_Die unit, scope, inner;
    size_t count = 0;
    if (!find_unit(binary, address, &unit) || !find_function(binary, &unit, address, &scope)) {
        return 0;
    }
    for (;;) {
        int tag = dwarf_tag(&scope);
        bool inlined = tag == DW_TAG_inlined_subroutine && count > 0;
        if (tag != DW_TAG_lexical_block &&
            !(inlined && is_part(&scope, &unit, &frames[count - 1]))) {
            if (count > 0) {
                describe_call(&scope, &unit, &frames[count - 1]);
            }
            frames[count] = (struct fm_symbol_frame){.name = NULL};
            describe_function(&scope, &frames[count]);
            if (frames[count++].name == NULL) {
                fm_symbols_free_frames(frames, count);
                return 0;
            }
        }
        if (count == FM_SYMBOL_FRAMES_MOST || !find_inner(&scope, address, &inner)) {
            break;
        }
        scope = inner;
    }
    describe_line(&unit, address, &frames[count - 1]);
    return count;
}

/* The name of the symbol that contains an address. A preceding symbol without a size belongs to
 * another function, unless the function is known to begin there, or nothing is known of its begin,
 * as of code in assembly without unwind information. */
static const char *symbol_at(struct binary *binary, uint64_t function, uint64_t address)
{
    GElf_Sym symbol;
    GElf_Off offset = 0;
    const GElf_Addr place = address + binary->symbol_bias;
    if (binary->table == NULL) {
        binary->table = fm_symbol_table_read(binary->module);
    }
    if (binary->table != NULL) {
        const char *name = fm_symbol_table_find(binary->table, place, &offset);
        if (name != NULL || (function != 0 && !fm_symbol_table_has_label(
                                                  binary->table, function + binary->symbol_bias))) {
            return name;
        }
    }
    const char *name =
        dwfl_module_addrinfo(binary->module, place, &offset, &symbol, NULL, NULL, NULL);
    if (name == NULL || name[0] == '\0') {
        return NULL;
    }
    bool is_begin = function != 0 && address - offset == function;
    bool may_be_begin =
        function == 0 && symbol.st_size == 0 && GELF_ST_TYPE(symbol.st_info) == STT_FUNC;
    return offset < symbol.st_size || is_begin || may_be_begin ? name : NULL;
}

static size_t find_by_symbol(struct binary *binary, uint64_t function, uint64_t address,
                             struct fm_symbol_frame *frames)
{
    const char *name = symbol_at(binary, function, address);
    if (name == NULL) {
        return 0;
    }
    frames[0] = (struct fm_symbol_frame){.name = fm_symbol_name(name), .symbol = strdup(name)};
    return frames[0].name != NULL;
}

/* Functions of libraries have the library instead of a source file. */
static void name_library(const struct binary *binary, struct fm_symbol_frame *frame)
{
    const char *slash = strrchr(binary->path, '/');
    if (binary->code == FM_CODE_OF_RUNTIME ||
        (binary->code == FM_CODE_OF_LIBRARY && frame->file == NULL)) {
        free(frame->file);
        frame->file = strdup(slash != NULL ? slash + 1 : binary->path);
        frame->line = 0;
    }
}

size_t fm_symbols_find(struct fm_symbols *symbols, const char *path, const char *build_id,
                       uint64_t function, uint64_t address,
                       struct fm_symbol_frame frames[FM_SYMBOL_FRAMES_MOST])
{
    size_t count = 0;
    struct binary *binary = find_binary(symbols, path, build_id);
    if (binary == NULL) {
        return 0;
    }
    Dwarf_Addr in_dwarf = address + binary->symbol_bias - binary->dwarf_bias;
    if (binary->dwarf != NULL) {
        count = find_by_scopes(binary, in_dwarf, frames);
    }
    if (count == 0) {
        Dwarf_Die unit;
        count = find_by_symbol(binary, function, address, frames);
        if (count > 0 && binary->dwarf != NULL && find_unit(binary, in_dwarf, &unit)) {
            describe_line(&unit, in_dwarf, &frames[0]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        name_library(binary, &frames[i]);
    }
    return count;
}

/* The compiler's name of a function in a call of it; NULL: unknown. */
static const char *name_in_call(struct fm_symbols *symbols, const struct fm_symbol_call *call)
{
    struct binary *caller = find_binary(symbols, call->path, call->build_id);
    GElf_Addr bias;
    if (caller == NULL) {
        return NULL;
    }
    if (caller->calls == NULL) {
        caller->calls = fm_call_names_read(dwfl_module_getelf(caller->module, &bias));
    }
    return caller->calls != NULL ? fm_call_names_find(caller->calls, call->address) : NULL;
}

size_t fm_symbols_find_called(struct fm_symbols *symbols, const char *path, const char *build_id,
                              uint64_t function, const struct fm_symbol_call *call,
                              struct fm_symbol_frame frames[FM_SYMBOL_FRAMES_MOST])
{
    size_t count = fm_symbols_find(symbols, path, build_id, function, function, frames);
    struct binary *binary = find_binary(symbols, path, build_id);
    const bool is_of_program =
        binary != NULL &&
        (binary->code == FM_CODE_OF_PROGRAM ||
         (binary->code == FM_CODE_OF_LIBRARY && count > 0 && frames[0].line != 0));
    const char *name =
        binary == NULL || (count > 0 && is_of_program) ? NULL : name_in_call(symbols, call);
    if (name == NULL) {
        return count;
    }
    struct fm_symbol_frame frame = {.name = fm_symbol_name(name), .symbol = strdup(name)};
    if (frame.name == NULL || frame.symbol == NULL) {
        fm_symbols_free_frames(&frame, 1);
        return count;
    }
    fm_symbols_free_frames(frames, count);
    name_library(binary, &frame);
    frames[0] = frame;
    return 1;
}

static bool variable_by_debug_information(struct binary *binary, uint64_t address, char *text,
                                          size_t size)
{
    Dwarf_Die die;
    uint64_t offset;
    struct fm_symbol_frame frame = {.name = NULL};
    if (binary->variables == NULL) {
        binary->variables = fm_variables_read(binary->dwarf);
    }
    if (binary->variables == NULL ||
        !fm_variables_find(binary->variables, binary->dwarf, address, &die, &offset)) {
        return false;
    }
    describe_function(&die, &frame); /* names of variables are made in the same way */
    const bool is_named = frame.name != NULL;
    if (is_named) {
        const char *slash = frame.file != NULL ? strrchr(frame.file, '/') : NULL;
        snprintf(text, size, "%s", frame.name);
        fm_variable_append_part(&die, offset, text, size);
        if (frame.file != NULL && frame.line != 0) {
            const size_t length = strlen(text);
            snprintf(text + length, size - length, " (%s:%u)",
                     slash != NULL ? slash + 1 : frame.file, frame.line);
        }
    }
    fm_symbols_free_frames(&frame, 1);
    return is_named;
}

static bool variable_by_symbol(struct binary *binary, uint64_t address, char *text, size_t size)
{
    GElf_Sym symbol;
    GElf_Off offset = 0;
    const char *name = dwfl_module_addrinfo(binary->module, address + binary->symbol_bias, &offset,
                                            &symbol, NULL, NULL, NULL);
    if (name == NULL || name[0] == '\0' || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT ||
        offset >= symbol.st_size) {
        return false;
    }
    char *shown = fm_symbol_name(name);
    snprintf(text, size, "%s", shown != NULL ? shown : name);
    free(shown);
    if (offset != 0) {
        const size_t length = strlen(text);
        snprintf(text + length, size - length, "+%" PRIu64, (uint64_t)offset);
    }
    return true;
}

bool fm_symbols_variable(struct fm_symbols *symbols, const char *path, const char *build_id,
                         uint64_t address, char *text, size_t size)
{
    struct binary *binary = find_binary(symbols, path, build_id);
    if (binary == NULL) {
        return false;
    }
    return (binary->dwarf != NULL &&
            variable_by_debug_information(
                binary, address + binary->symbol_bias - binary->dwarf_bias, text, size)) ||
           variable_by_symbol(binary, address, text, size);
}

/* The name of a function whose first instruction is known, by debug information or by its symbol.
 */
static void describe_begin(struct binary *binary, GElf_Addr address, const char *symbol,
                           struct fm_symbol_frame *frame)
{
    Dwarf_Die unit, function;
    Dwarf_Addr in_dwarf = address - binary->dwarf_bias;
    *frame = (struct fm_symbol_frame){.name = NULL};
    if (binary->dwarf != NULL && find_unit(binary, in_dwarf, &unit) &&
        find_function(binary, &unit, in_dwarf, &function)) {
        describe_function(&function, frame);
    }
    if (frame->name == NULL) {
        fm_symbols_free_frames(frame, 1);
        *frame = (struct fm_symbol_frame){.name = fm_symbol_name(symbol), .symbol = strdup(symbol)};
    }
}

void fm_symbols_visit(struct fm_symbols *symbols, const char *path, const char *build_id,
                      fm_symbol_visitor_t *visit, void *context)
{
    struct binary *binary = find_binary(symbols, path, build_id);
    int count = binary != NULL ? dwfl_module_getsymtab(binary->module) : 0;
    for (int i = 0; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        GElf_Word section;
        struct fm_symbol_frame frame;
        const char *name =
            dwfl_module_getsym_info(binary->module, i, &symbol, &address, &section, NULL, NULL);
        if (name == NULL || name[0] == '\0' || GELF_ST_TYPE(symbol.st_info) != STT_FUNC ||
            section == SHN_UNDEF) {
            continue;
        }
        describe_begin(binary, address, name, &frame);
        if (frame.name != NULL) {
            visit(context, address - binary->symbol_bias, &frame);
        }
        fm_symbols_free_frames(&frame, 1);
    }
}

void fm_symbols_free_frames(struct fm_symbol_frame *frames, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(frames[i].name);
        free(frames[i].symbol);
        free(frames[i].file);
        free(frames[i].call_file);
    }
}
