/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings: who outdoes whom, what values must be, and configuration files. */
#include "base/files/file_tree.h"
#include "record/sampling/sample_rate.h"
#include "record/settings/configuration_file.h"
#include "temporary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct fm_settings settings;
static struct fm_error error;

static int begin(void **state)
{
    (void)state;
    for (int id = 0; id < FM_SETTING_COUNT; id++) {
        unsetenv(fm_settings_known[id].variable);
    }
    unsetenv("FERMATA_CONFIG");
    return 0;
}

static int end(void **state)
{
    (void)state;
    fm_settings_free(&settings);
    return 0;
}

static fm_status_t parse(const char *text)
{
    error.message[0] = '\0';
    return fm_configuration_parse(text, strlen(text), "run.conf", &settings, FM_SET_BY_FILE,
                                  &error);
}

static void expect(enum fm_setting_id id, const char *text, const char *origin)
{
    assert_non_null(settings.values[id].text);
    assert_string_equal(settings.values[id].text, text);
    assert_string_equal(settings.values[id].origin, origin);
}

static void expect_mistake(const char *text, const char *message)
{
    assert_int_equal(parse(text), FM_ERR_USAGE);
    assert_string_equal(error.message, message);
}

static void files_set_what_they_name(void **state)
{
    (void)state;
    assert_int_equal(parse("# first\n"
                           "\n"
                           "memory = 2M\n"
                           "  callpath=depth=3   # the outer ones\r\n"
                           "output = \"a place # 7 \"  # quoted\n"
                           "verbose\t=\tOFF"),
                     FM_OK);
    expect(FM_SETTING_MEMORY, "2M", "run.conf:3");
    expect(FM_SETTING_CALLPATH, "depth=3", "run.conf:4");
    expect(FM_SETTING_OUTPUT, "a place # 7 ", "run.conf:5");
    expect(FM_SETTING_VERBOSE, "0", "run.conf:6");
    assert_null(settings.values[FM_SETTING_SAMPLE].text);
    assert_int_equal(parse("output = a#b#"), FM_OK); /* no blank before it: no comment */
    expect(FM_SETTING_OUTPUT, "a#b#", "run.conf:1");
    assert_int_equal(parse(""), FM_OK);
}

static void mistakes_name_their_line(void **state)
{
    static const char zero[] = "memory = 1M\noutput = a\0b\n";
    (void)state;
    expect_mistake("memory = 2M\nnonsense\n", "run.conf:2: no `name = value`");
    expect_mistake("\n\nmemroy = 2M",
                   "run.conf:3: 'memroy' is no setting; see fermata record --help");
    expect_mistake("= 2M", "run.conf:1: '' is no setting; see fermata record --help");
    expect_mistake("memory = 2M\nverbose=1\nmemory = 3M",
                   "run.conf:3: memory is set a second time");
    expect_mistake("memory = 64 M", "run.conf:1: memory needs a size such as 64M");
    expect_mistake("memory =  # none", "run.conf:1: memory needs a value");
    expect_mistake("output = \"\"", "run.conf:1: output needs a value");
    expect_mistake("output = \"a", "run.conf:1: the quotation mark has no partner");
    expect_mistake("output = \"a\" b", "run.conf:1: text behind the closing quotation mark");
    expect_mistake("verbose = maybe", "run.conf:1: verbose needs yes or no");
    assert_int_equal(fm_configuration_parse(zero, sizeof zero - 1, "run.conf", &settings,
                                            FM_SET_BY_FILE, &error),
                     FM_ERR_USAGE);
    assert_string_equal(error.message, "run.conf:2: a zero byte: this is no text");
}

static void values_are_checked(void **state)
{
    static const struct {
        const char *(*refuse)(const char *text);
        const char *good[10], *bad[14];
    } values[] = {
        {fm_refuse_size,
         {"1", "64M", "64m", "7k", "64MB", "64MiB", "1T", "8589934591G"},
         {"0", "0K", "M", "-1M", "64Mb/s", "64X", "1.5G", "8589934592G", "99999999999999999999",
          " 1"}},
        {fm_refuse_max_size,
         {"1M", "1MB", "10GiB", "2t", "none", "0"},
         {"1023K", "5", "1MX", "all", "-1G"}},
        {fm_refuse_size_bins, {"64", "64,1K,64KB"}, {"64,64", "64 KB", "64,"}},
        {fm_refuse_flight_recorder, {"16M", "16MB,always"}, {"0", "16M,never", "16X"}},
        {fm_refuse_progress, {"target", "async"}, {"Target", "", "targets"}},
        {fm_refuse_callpath,
         {"stack", "flat", "depth=1", "depth=40"},
         {"depth=", "depth=0", "depth=-1", "depth= 1", "depth=3x", "deep", "depth=1e99",
          "depth=99999999999999999999"}},
        {fm_refuse_names, {"short", "full"}, {"long", "", "Full"}},
        {fm_refuse_sample,
         {"1Hz", "100", "2.5kHz", "10KHZ", "off", "2ms", "0.5s", "100us", "1s"},
         {"0", "11kHz", "1MHz", "Hz", "-5", "99us", "1.1s", "0ms", "0s", "2 ms"}},
        {fm_refuse_sample_clock, {"perf", "timer"}, {"", "Perf", "timers", "tick"}},
        {fm_refuse_window,
         {"1s:2s", "500ms:2", "1:2", ":250ms", "2s:"},
         {"2s:1s", "1s", "1m:2m", "2s:1500ms"}},
        {fm_refuse_snapshot,
         {"0.05", "50ms", "0.5s", "2", "phase:step", "signal:USR2"},
         {"0", "49ms", "phase:", "signal:TERM", "often", "1e9", "nan"}},
        {fm_refuse_duration,
         {"0ns", "500ns", "1us", "2.5ms", ".5s", "86400s"},
         {"1", "us", "-1us", "1min", "1 us", "86401s", "nanus", "1e99s"}},
        {fm_refuse_flush_interval,
         {"0", "2", "0.5", ".5", "never", "2s", "500ms", "100us"},
         {"-1", "soon", "2m", ".", "nan", "Never"}},
        {fm_refuse_clock_exchange, {"auto", "always"}, {"never", "1"}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        for (size_t j = 0; values[i].good[j] != NULL; j++) {
            assert_null(values[i].refuse(values[i].good[j]));
        }
        for (size_t j = 0; values[i].bad[j] != NULL; j++) {
            if (values[i].refuse(values[i].bad[j]) == NULL) {
                fail_msg("%zu: '%s' is taken", i, values[i].bad[j]);
            }
        }
    }
}

static void later_sources_outdo_earlier_ones(void **state)
{
    (void)state;
    for (int source = FM_SET_BY_USER_FILE; source <= FM_SET_BY_COMMAND_LINE; source++) {
        char text[16];
        snprintf(text, sizeof text, "%dM", source);
        assert_int_equal(fm_settings_set(&settings, FM_SETTING_MEMORY, text,
                                         (enum fm_setting_source)source, "somebody", &error),
                         FM_OK);
        expect(FM_SETTING_MEMORY, text, "somebody");
        assert_int_equal(fm_settings_set(&settings, FM_SETTING_MEMORY, "9M", FM_SET_BY_DEFAULT,
                                         "nobody", &error),
                         FM_OK);
        expect(FM_SETTING_MEMORY, text, "somebody");
    }
    /* The last one of a source counts; one that is outdone must be a value, too. */
    assert_int_equal(fm_settings_set(&settings, FM_SETTING_MEMORY, "5M", FM_SET_BY_COMMAND_LINE,
                                     "--memory", &error),
                     FM_OK);
    expect(FM_SETTING_MEMORY, "5M", "--memory");
    assert_int_equal(
        fm_settings_set(&settings, FM_SETTING_MEMORY, "x", FM_SET_BY_FILE, "f:1", &error),
        FM_ERR_USAGE);
    assert_string_equal(error.message, "f:1: memory needs a size such as 64M");
}

static void messages_name_a_setting_once(void **state)
{
    (void)state;
    assert_int_equal(fm_settings_set(&settings, FM_SETTING_SNAPSHOT, "0", FM_SET_BY_COMMAND_LINE,
                                     "--snapshot", &error),
                     FM_ERR_USAGE);
    assert_string_equal(error.message, "--snapshot needs a period from 50ms on, phase:NAME, "
                                       "signal:USR1 or signal:USR2");
    assert_int_equal(
        fm_settings_set(&settings, FM_SETTING_SNAPSHOT, "0", FM_SET_BY_FILE, "run.conf:1", &error),
        FM_ERR_USAGE);
    assert_memory_equal(error.message, "run.conf:1: snapshot needs", 26);
    assert_int_equal(fm_settings_set(&settings, FM_SETTING_SNAPSHOT, "1s", FM_SET_BY_ENVIRONMENT,
                                     "FERMATA_SNAPSHOT", &error),
                     FM_OK);
    assert_int_equal(fm_settings_agree(&settings, &error), FM_ERR_USAGE);
    assert_string_equal(error.message, "FERMATA_SNAPSHOT needs counters: add --counters");
    assert_int_equal(parse("counters-only = yes\ncounters = none"), FM_OK);
    assert_int_equal(fm_settings_agree(&settings, &error), FM_ERR_USAGE);
    assert_string_equal(error.message, "counters-only (run.conf:1) needs counters: "
                                       "remove counters none (run.conf:2)");
}

static void periods_of_snapshots_are_durations(void **state)
{
    (void)state;
    assert_true(fm_snapshot_period("500ms") == 0.5);
    assert_true(fm_snapshot_period("2") == 2);
    assert_true(fm_snapshot_period("phase:step") == 0);
    assert_true(fm_snapshot_period(NULL) == 0);
}

static void sampling_has_a_rate_or_a_period(void **state)
{
    (void)state;
    assert_true(fm_sample_rate("500Hz") == 500);
    assert_true(fm_sample_rate("2ms") == 500);
    assert_true(fm_sample_rate("0.5s") == 2);
    assert_true(fm_sample_rate("2") == 2); /* a plain number is a rate */
    assert_true(fm_sample_rate("off") == 0);
    assert_true(fm_sample_rate("2s") < 0);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void all_places_are_searched(void **state)
{
    char folder[4096], before[4096], user[4096 + 64];
    (void)state;
    temporary_path(folder, sizeof folder, "settings");
    assert_non_null(mkdtemp(folder));
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    setenv("HOME", folder, 1);
    unsetenv("XDG_CONFIG_HOME");
    assert_int_equal(fm_settings_load(&settings, NULL, &error), FM_OK);
    for (int id = 0; id < FM_SETTING_COUNT; id++) {
        assert_null(settings.values[id].text);
    }

    assert_int_equal(mkdir(".config", 0700), 0);
    assert_int_equal(mkdir(".config/fermata", 0700), 0);
    write_file(".config/fermata/config", "memory = 1M\nsample = 1Hz\nprogress = async");
    write_file(".fermata.conf", "memory = 2M\nsample = 2Hz");
    write_file("other.conf", "memory = 4M");
    setenv("FERMATA_TOTAL_MEMORY", "3M", 1);
    setenv("FERMATA_CALLPATH", "", 1); /* as if it were not there */
    assert_int_equal(fm_settings_load(&settings, NULL, &error), FM_OK);
    snprintf(user, sizeof user, "%s/.config/fermata/config:3", folder);
    expect(FM_SETTING_MEMORY, "3M", "FERMATA_TOTAL_MEMORY");
    expect(FM_SETTING_SAMPLE, "2Hz", ".fermata.conf:2");
    expect(FM_SETTING_PROGRESS, "async", user);
    assert_null(settings.values[FM_SETTING_CALLPATH].text);
    fm_settings_export(&settings);
    assert_string_equal(getenv("FERMATA_SAMPLE"), "2Hz");

    /* A file that is named is the only one, and must be there. */
    begin(NULL);
    fm_settings_free(&settings);
    setenv("FERMATA_CONFIG", "nothing.conf", 1);
    assert_int_equal(fm_settings_load(&settings, "other.conf", &error), FM_OK);
    expect(FM_SETTING_MEMORY, "4M", "other.conf:1");
    assert_null(settings.values[FM_SETTING_SAMPLE].text);
    assert_int_equal(fm_settings_load(&settings, NULL, &error), FM_ERR_SYSTEM);
    assert_non_null(strstr(error.message, "nothing.conf: No such file or directory"));
    assert_int_equal(fm_settings_load(&settings, ".config", &error), FM_ERR_SYSTEM);

    setenv("FERMATA_VERBOSE", "perhaps", 1);
    assert_int_equal(fm_settings_load(&settings, "other.conf", &error), FM_ERR_USAGE);
    assert_string_equal(error.message, "FERMATA_VERBOSE needs yes or no");

    assert_int_equal(chdir(before), 0);
    assert_int_equal(fm_remove_tree(folder), 0);
}

static void large_files_are_refused(void **state)
{
    char path[4096];
    (void)state;
    temporary_path(path, sizeof path, "settings");
    int file = mkstemp(path);
    assert_int_equal(ftruncate(file, FM_CONFIGURATION_LARGEST + 1), 0);
    close(file);
    assert_int_equal(fm_configuration_read(path, &settings, FM_SET_BY_FILE, &error), FM_ERR_USAGE);
    assert_non_null(strstr(error.message, "too large"));
    unlink(path);
}

static void values_must_go_together(void **state)
{
    (void)state;
    assert_int_equal(parse("sample = 1Hz\ncallpath = depth=1"), FM_OK);
    assert_int_equal(fm_settings_agree(&settings, &error), FM_OK);
    assert_int_equal(parse("callpath = flat"), FM_OK);
    assert_int_equal(fm_settings_agree(&settings, &error), FM_ERR_USAGE);
    assert_string_equal(error.message, "samples (run.conf:1) need call paths: "
                                       "remove callpath flat (run.conf:1)");
    assert_int_equal(parse("max-size = 1G"), FM_OK);
    assert_int_equal(fm_settings_agree(&settings, &error), FM_ERR_USAGE);
    assert_int_equal(parse("callpath = stack"), FM_OK);
    assert_int_equal(fm_settings_agree(&settings, &error), FM_OK);
    assert_int_equal(parse("flight-recorder = 16M"), FM_OK);
    assert_int_equal(fm_settings_agree(&settings, &error), FM_ERR_USAGE);
    assert_string_equal(error.message, "the size of the flight recorder (run.conf:1) is the limit: "
                                       "remove max-size (run.conf:1)");
    assert_int_equal(parse("max-size = none"), FM_OK);
    assert_int_equal(fm_settings_agree(&settings, &error), FM_OK);
    assert_int_equal(parse("gpu = metrics"), FM_OK);
    assert_int_equal(fm_settings_agree(&settings, &error), FM_ERR_USAGE);
    assert_string_equal(error.message,
                        "flight-recorder (run.conf:1) keeps no work of accelerators: "
                        "remove gpu (run.conf:1)");
    assert_int_equal(parse("gpu = off"), FM_OK);
    assert_int_equal(fm_settings_agree(&settings, &error), FM_OK);
    assert_int_equal(parse("gpu = metric"), FM_ERR_USAGE);
    assert_string_equal(error.message, "run.conf:1: gpu needs yes, no or metrics");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_set_what_they_name, begin, end),
        cmocka_unit_test_setup_teardown(mistakes_name_their_line, begin, end),
        cmocka_unit_test_setup_teardown(values_are_checked, begin, end),
        cmocka_unit_test_setup_teardown(later_sources_outdo_earlier_ones, begin, end),
        cmocka_unit_test_setup_teardown(messages_name_a_setting_once, begin, end),
        cmocka_unit_test(periods_of_snapshots_are_durations),
        cmocka_unit_test(sampling_has_a_rate_or_a_period),
        cmocka_unit_test_setup_teardown(all_places_are_searched, begin, end),
        cmocka_unit_test_setup_teardown(large_files_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(values_must_go_together, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
