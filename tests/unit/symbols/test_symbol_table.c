/* SPDX-License-Identifier: BSD-3-Clause */
/* Symbols are found by address as libdwfl finds them, in binaries of all kinds. */
#include "symbols/symbol_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* So many addresses of a binary are looked up: libdwfl takes long for each. */
enum { MOST_ADDRESSES = 4000 };

static unsigned compared, found;

static void compare(Dwfl_Module *module, const struct fm_symbol_table *table, GElf_Addr address)
{
    GElf_Sym symbol;
    GElf_Off expected = 0, offset = 0;
    const char *wanted =
        dwfl_module_addrinfo(module, address, &expected, &symbol, NULL, NULL, NULL);
    const char *name = fm_symbol_table_find(table, address, &offset);
    compared++;
    if (name == NULL) {
        assert_true(wanted == NULL || expected >= symbol.st_size);
        assert_true(wanted == NULL || fm_symbol_table_has_label(table, address - expected));
        return;
    }
    found++;
    assert_non_null(wanted);
    if (expected >= symbol.st_size) {
        return; /* it prefers labels of all to functions of a file */
    }
    assert_string_equal(name, wanted);
    assert_int_equal(offset, expected);
}

static void compare_binary(const char *path)
{
    static char *no_path;
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo,
                                             .section_address = dwfl_offline_section_address,
                                             .debuginfo_path = &no_path};
    Dwfl *session = dwfl_begin(&callbacks);
    assert_non_null(session);
    dwfl_report_begin(session);
    Dwfl_Module *module = dwfl_report_offline(session, path, path, -1);
    dwfl_report_end(session, NULL, NULL);
    assert_non_null(module);
    struct fm_symbol_table *table = fm_symbol_table_read(module);
    assert_non_null(table);
    int count = dwfl_module_getsymtab(module);
    int step = count > MOST_ADDRESSES / 4 ? count / (MOST_ADDRESSES / 4) : 1;
    for (int i = 1; i < count; i += step) {
        GElf_Sym symbol;
        GElf_Addr begin;
        if (dwfl_module_getsym_info(module, i, &symbol, &begin, NULL, NULL, NULL) != NULL &&
            symbol.st_shndx != SHN_UNDEF && begin != 0) {
            compare(module, table, begin - 1);
            compare(module, table, begin);
            compare(module, table, begin + symbol.st_size / 2);
            compare(module, table, begin + symbol.st_size);
        }
    }
    fm_symbol_table_free(table);
    dwfl_end(session);
}

static char **binaries;
static int binary_count;

static void names_are_those_of_libdwfl(void **state)
{
    (void)state;
    for (int i = 0; i < binary_count; i++) {
        compare_binary(binaries[i]);
    }
    printf("%u addresses compared, %u in symbols\n", compared, found);
    assert_true(found > 100);
}

int main(int argc, char **argv)
{
    binaries = argv + 1;
    binary_count = argc - 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_are_those_of_libdwfl)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
