/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of calls: what they contain, and that damage is refused. */
#include "check.h"
#include "counters/call_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 16 };

/* The rows that were read, as text. */
struct rows {
    size_t count;
    char text[MOST][256];
};

static fm_status_t take(void *context, const struct fm_call_row *row, struct fm_error *error)
{
    struct rows *rows = context;
    (void)error;
    assert_true(rows->count < MOST);
    char *text = rows->text[rows->count++];
    int length =
        snprintf(text, sizeof rows->text[0], "%d %u %g %g %s", (int)row->kind, row->thread,
                 row->numbers[0], row->numbers[1], row->function != NULL ? row->function : "-");
    if (row->file != NULL) {
        length +=
            snprintf(text + length, sizeof rows->text[0] - (size_t)length, " in '%s'", row->file);
    }
    for (size_t i = 0; i < row->frame_count; i++) {
        length +=
            snprintf(text + length, sizeof rows->text[0] - (size_t)length, " > %s", row->frames[i]);
    }
    return FM_OK;
}

static fm_status_t read_text(const char *text, struct rows *rows, struct fm_error *error)
{
    char path[] = "/tmp/fermata-calls-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
    close(descriptor);
    *rows = (struct rows){0};
    fm_status_t status = fm_call_profile_read(path, take, rows, error);
    unlink(path);
    return status;
}

static void test_rows(void **state)
{
    struct rows rows;
    struct fm_error error;
    (void)state;
    assert_int_equal(read_text(FM_CALL_PROFILE_HEAD
                               "\n"
                               "thread\t0\t1.5\n"
                               "call\t0\t3\t0.25\t10\t20\tMPI_Send\tmain (a.c:3)\tsolve\n"
                               "call\t0\t1\t0.5\t0\t0\tMPI_Init\n"
                               "thread\t2\t0.5\n"
                               "stretch\t2\t7\t0.1\t0\t0\t0\t0\t12\t0\t1\t2\tmain\n"
                               "function\t2\t9\t0.3\t1\tsolve\tsrc/a.c\n"
                               "function\t2\t8\t0\t0\t?\t\n"
                               "begun\t2\t5\tmain (a.c:3)\tsolve\n"
                               "end\n",
                               &rows, &error),
                     FM_OK);
    static const char *const expected[] = {
        "0 0 1.5 0 -",        "1 0 3 0.25 MPI_Send > main (a.c:3) > solve",
        "1 0 1 0.5 MPI_Init", "0 2 0.5 0 -",
        "2 2 7 0.1 - > main", "3 2 9 0.3 solve in 'src/a.c'",
        "3 2 8 0 ? in ''",    "4 2 5 0 - > main (a.c:3) > solve"};
    assert_int_equal(rows.count, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < rows.count; i++) {
        assert_string_equal(rows.text[i], expected[i]);
    }
}

static void test_damage(void **state)
{
    static const char *const texts[] = {
        "",
        "calls\tseconds\n",
        "fermata-calls 1\n",
        FM_CALL_PROFILE_HEAD "\nthread\t0\n",
        FM_CALL_PROFILE_HEAD "\nthread\t0\t1", /* of 1.5: cut */
        FM_CALL_PROFILE_HEAD "\nthread\t0\t1\tmain\n",
        FM_CALL_PROFILE_HEAD "\ncall\t0\t3\t0.25\t10\t20\n",
        FM_CALL_PROFILE_HEAD "\ncall\t0\t3\tx\t10\t20\tMPI_Send\n",
        FM_CALL_PROFILE_HEAD "\ncall\t0\t-3\t1\t10\t20\tMPI_Send\n",
        FM_CALL_PROFILE_HEAD "\ncall\t99999999\t3\t1\t10\t20\tMPI_Send\n",
        FM_CALL_PROFILE_HEAD "\nfunction\t0\t9\t0.3\t1\tsolve\n",
        FM_CALL_PROFILE_HEAD "\nfunction\t0\t9\t0.3\t1\tsolve\ta.c\tb.c\n",
        FM_CALL_PROFILE_HEAD "\nbegun\t0\n",
        FM_CALL_PROFILE_HEAD "\n\n",
        FM_CALL_PROFILE_HEAD "\nother\t0\t1\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct rows rows;
        struct fm_error error;
        char text[128];
        snprintf(text, sizeof text, "%send\n", texts[i]);
        assert_int_equal(read_text(text, &rows, &error), FM_ERR_DATA);
        assert_int_equal(rows.count, 0);
    }
    struct rows rows;
    struct fm_error error;
    assert_int_equal(read_text(FM_CALL_PROFILE_HEAD "\nthread\t0\t1.5\n", &rows, &error),
                     FM_ERR_DATA);
    assert_int_equal(read_text(FM_CALL_PROFILE_HEAD "\nend\nthread\t0\t1.5\n", &rows, &error),
                     FM_ERR_DATA);
}

static void test_frames(void **state)
{
    static const struct {
        const char *text, *name, *file;
        uint32_t line;
    } frames[] = {{"main (a.c:3)", "main", "a.c", 3},
                  {"main", "main", NULL, 0},
                  {"f(int) (b c.h:12)", "f(int)", "b c.h", 12},
                  {"g(a::b)", "g(a::b)", NULL, 0},
                  {"?", "?", NULL, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s", frames[i].text);
        struct fm_call_frame frame = fm_call_frame_take_apart(text);
        assert_string_equal(frame.name, frames[i].name);
        assert_int_equal(frame.line, frames[i].line);
        assert_true((frame.file == NULL) == (frames[i].file == NULL));
        if (frame.file != NULL) {
            assert_string_equal(frame.file, frames[i].file);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
