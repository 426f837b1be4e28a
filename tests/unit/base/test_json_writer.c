/* SPDX-License-Identifier: BSD-3-Clause */
/* The JSON writer: commas, lines, escapes, the three styles. */
#include "base/json/json_writer.h"
#include "check.h"

#include <math.h>
#include <stdlib.h>

static void put_document(struct fm_json *json)
{
    fm_json_object(json, NULL);
    fm_json_string(json, "a\"", "\xff");
    fm_json_string(json, "none", NULL);
    fm_json_array(json, "numbers");
    fm_json_unsigned(json, NULL, UINT64_MAX);
    fm_json_signed(json, NULL, INT64_MIN);
    fm_json_double(json, NULL, 0.1);
    fm_json_double(json, NULL, NAN);
    fm_json_format(json, NULL, "%u.%03u", 1, 20);
    fm_json_end(json);
    fm_json_array(json, "empty");
    fm_json_end(json);
    fm_json_object(json, "inner");
    fm_json_bool(json, "yes", true);
    fm_json_end(json);
    fm_json_raw(json, "raw", "[\n1]");
    fm_json_end(json);
}

static void expect(enum fm_json_style style, void (*put)(struct fm_json *json),
                   const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    struct fm_json json = fm_json_begin(stream, style);
    put(&json);
    fclose(stream);
    assert_string_equal(text, expected);
    free(text);
}

static void test_styles(void **state)
{
    (void)state;
    expect(FM_JSON_COMPACT, put_document,
           "{\"a\\\"\":\"\xef\xbf\xbd\",\"none\":null,"
           "\"numbers\":[18446744073709551615,-9223372036854775808,0.1,null,1.020],"
           "\"empty\":[],\"inner\":{\"yes\":true},\"raw\":[\n1]}");
    expect(FM_JSON_SPACED, put_document,
           "{\"a\\\"\": \"\xef\xbf\xbd\", \"none\": null, "
           "\"numbers\": [18446744073709551615, -9223372036854775808, 0.1, null, 1.020], "
           "\"empty\": [], \"inner\": {\"yes\": true}, \"raw\": [\n1]}");
    expect(FM_JSON_INDENTED, put_document,
           "{\n  \"a\\\"\": \"\xef\xbf\xbd\",\n  \"none\": null,\n  \"numbers\": [\n"
           "    18446744073709551615,\n    -9223372036854775808,\n    0.1,\n    null,\n"
           "    1.020\n  ],\n  \"empty\": [],\n  \"inner\": {\n    \"yes\": true\n  },\n"
           "  \"raw\": [\n  1]\n}");
}

static void put_lines(struct fm_json *json)
{
    fm_json_array(json, NULL);
    for (unsigned i = 0; i < 2; i++) {
        fm_json_line(json, 1);
        fm_json_object(json, NULL);
        fm_json_unsigned(json, "i", i);
        fm_json_unsigned(json, "j", i);
        fm_json_end(json);
    }
    fm_json_line(json, 0);
    fm_json_end(json);
}

static void test_lines(void **state)
{
    (void)state;
    expect(FM_JSON_COMPACT, put_lines, "[\n {\"i\":0,\"j\":0},\n {\"i\":1,\"j\":1}\n]");
    expect(FM_JSON_SPACED, put_lines, "[\n {\"i\": 0, \"j\": 0},\n {\"i\": 1, \"j\": 1}\n]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_styles),
        cmocka_unit_test(test_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
