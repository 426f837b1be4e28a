/* A path whose changes are remembered against one whose changes are worked out: the same random
 * changes write the same. */
#include "record/archive/path_memo.h"

#include "record/capture/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { SITES = 64, REGIONS = 8 };

static struct fm_callsite_frame frames[2 * SITES];
static uint32_t first[SITES + 1], called[SITES];
static struct fm_callsites sites = {
    .count = SITES, .first = first, .frames = frames, .called = called};

/* Every call site is in one of eight functions at a line of its own. Into every seventh another one
 * is inlined, every ninth calls a function for sure, every eleventh is not shown. */
static int make_sites(void **state)
{
    uint32_t next = 0;
    (void)state;
    for (uint32_t i = 0; i < SITES; i++) {
        first[i] = next;
        called[i] = i % 9 == 0 ? i / 9 % REGIONS : FM_DEFINE_NONE;
        for (uint32_t k = 0; k < (i % 11 == 0 ? 0 : i % 7 == 0 ? 2 : 1); k++) {
            frames[next++] = (struct fm_callsite_frame){(i / 4 + k) % REGIONS, 100 + i};
        }
    }
    first[SITES] = next;
    return 0;
}

/* What is written: each event counts, and its place among them. */
struct written {
    uint64_t sum, count, last;
};

static void write_event(void *context, bool enter, uint32_t event_region, uint64_t time)
{
    struct written *written = context;
    uint64_t event = (uint64_t)event_region << 1 | enter;
    written->sum = (written->sum ^ event ^ time << 32) * 0x9e3779b97f4a7c15u;
    written->sum ^= written->sum >> 29;
    written->count++;
    assert_true(time >= written->last);
    written->last = time;
}

static uint32_t number_region(void *context, uint32_t region, uint32_t line)
{
    (void)context;
    return region + 64 * (line == FM_DEFINE_NONE ? 0 : line);
}

static bool is_marked_by(void *context, uint32_t function, uint32_t region)
{
    (void)context;
    return function == 3 && region == 20;
}

/* A path, and what it has written. */
struct side {
    struct fm_path path;
    struct written written;
    struct fm_path_memo *memo; /* NULL: nothing is remembered */
};

static struct fm_path_writer writer_of(struct side *side)
{
    return (struct fm_path_writer){write_event, number_region, is_marked_by, &side->written};
}

static const struct fm_path *value_of(const struct side *side)
{
    return side->memo != NULL ? fm_path_memo_value(side->memo, &side->path) : &side->path;
}

static struct fm_path *own_path(struct side *side)
{
    assert_true(side->memo == NULL || fm_path_memo_leave(side->memo, &side->path));
    return &side->path;
}

/* The same by the path's own functions. */
static bool work_out(struct side *side, uint64_t header, const struct fm_path_times *times)
{
    uint32_t ref = fm_record_ref(header), aux = fm_record_aux(header);
    struct fm_path_writer writer = writer_of(side);
    struct fm_path *path = &side->path;
    if (header == FM_PATH_SETTLE) {
        return fm_path_settle(path, &sites, &writer, times->over, times->begun);
    }
    switch (fm_record_kind(header)) {
    case FM_RECORD_REGION_ENTER:
        return fm_path_begin(path, &sites, ref, &writer, times);
    case FM_RECORD_REGION_LEAVE:
        fm_path_end(path, ref, &writer, times->marked);
        return true;
    case FM_RECORD_FUNCTION_ENTER:
        return fm_path_enter_function(path, &sites, ref, aux, &writer, times);
    case FM_RECORD_FUNCTION_LEAVE:
        fm_path_leave_functions(path, ref, &writer, times->marked);
        return true;
    default:
        break;
    }
    if (fm_record_kind(header) == FM_RECORD_STACK &&
        !fm_path_pop(path, aux & ~(uint32_t)FM_STACK_CUT, (aux & FM_STACK_CUT) != 0)) {
        return false;
    }
    return ref == FM_STACK_NO_SITE || fm_path_push(path, ref);
}

/* A record at a time. */
static void step(struct side *side, uint64_t header, uint64_t time)
{
    struct fm_path_writer writer = writer_of(side);
    struct fm_path_times times = {.over = side->written.last, .begun = time - 1, .marked = time};
    assert_true(side->memo != NULL
                    ? fm_path_memo_step(side->memo, &side->path, &sites, header, &writer, &times)
                    : work_out(side, header, &times));
}

static uint32_t line_of(const struct side *side)
{
    return side->memo != NULL ? fm_path_memo_line(side->memo, &side->path, &sites)
                              : fm_path_line(&side->path, &sites);
}

static uint64_t random_state;

static uint32_t draw(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33);
}

/* How a program goes. */
struct way {
    uint32_t deepest;    /* functions on the stack, about */
    uint32_t site_count; /* call sites that it comes back to */
    uint32_t loop;       /* changes, before it goes on to other call sites; 0: never */
    uint32_t marks;      /* one in that many changes is a region of the program, or a function that
                            tells of itself; 0: none */
};

/* A region or a function begins or ends; there are few at a time. */
static uint64_t draw_mark(const struct fm_path *path)
{
    uint32_t region = 20 + draw() % 2;
    bool begins = fm_path_open(path) < 4, function = draw() % 4 == 0;
    if (function) {
        return begins ? fm_record_header(FM_RECORD_FUNCTION_ENTER,
                                         draw() % 3 == 0 ? FM_PATH_APART : 0, 1 + draw() % 4)
                      : fm_record_header(FM_RECORD_FUNCTION_LEAVE, 0,
                                         path->instrumented != 0 ? path->instrumented - 1 : 0);
    }
    return fm_record_header(
        begins && draw() % 2 == 0 ? FM_RECORD_REGION_ENTER : FM_RECORD_REGION_LEAVE, 0, region);
}

static uint64_t draw_change(const struct way *way, uint32_t depth, uint32_t step)
{
    uint32_t loop = way->loop != 0 ? step / way->loop * 5 : 0;
    uint32_t site = (loop + draw() % way->site_count) % SITES, deepest = way->deepest;
    uint32_t kept = draw() % 3 == 0 ? draw() % (depth + 1) : depth;
    if (depth > deepest || kept == 0) {
        return fm_record_header(FM_RECORD_STACK, kept / 2,
                                draw() % 4 == 0 ? FM_STACK_NO_SITE : site);
    }
    if (draw() % 4 == 0) {
        return fm_record_header(FM_RECORD_STACK_SITE, 0, site);
    }
    uint32_t cut = draw() % 32 == 0 ? FM_STACK_CUT : 0;
    return fm_record_header(FM_RECORD_STACK, (kept - draw() % 2) | cut,
                            draw() % 8 == 0 ? FM_STACK_NO_SITE : site);
}

static void compare(const struct side *plain, const struct side *other)
{
    const struct fm_path *value = value_of(other);
    assert_int_equal(plain->written.count, other->written.count);
    assert_int_equal(plain->written.sum, other->written.sum);
    assert_int_equal(fm_path_due(&plain->path), fm_path_due(value));
    assert_int_equal(fm_path_is_settled(&plain->path), fm_path_is_settled(value));
    assert_int_equal(plain->path.site_count, value->site_count);
    if (fm_path_is_settled(value)) {
        assert_int_equal(line_of(plain), line_of(other));
    }
}

/* Two threads in turn, whose paths are made of the same values.
 * @return how often all was forgotten */
static size_t run(struct fm_path_memo *memo, const struct way *way, uint32_t steps)
{
    size_t forgotten = 0, bytes = 0;
    struct side plain[2] = {{.memo = NULL}, {.memo = NULL}};
    struct side remembered[2] = {{.memo = memo}, {.memo = memo}};
    uint32_t thread = 0;
    random_state = steps + way->deepest;
    for (uint32_t i = 0; i < steps; i++) {
        uint64_t time = 10 * (uint64_t)i + 10;
        struct side *pair[] = {&plain[thread], &remembered[thread]};
        uint32_t what = draw() % 4096;
        bool marked = way->marks != 0 && draw() % way->marks == 0;
        uint64_t header = marked ? draw_mark(&plain[thread].path)
                                 : draw_change(way, (uint32_t)plain[thread].path.site_count, i);
        for (int k = 0; k < 2; k++) {
            step(pair[k], header, time);
            if (what % 16 != 0) {
                step(pair[k], FM_PATH_SETTLE, time + 2);
            }
        }
        compare(pair[0], pair[1]);
        if (what == 0) {
            own_path(pair[1]);
            thread = 1 - thread;
        }
        forgotten += memo->bytes < bytes;
        bytes = memo->bytes;
    }
    own_path(&remembered[thread]);
    for (int k = 0; k < 2; k++) {
        struct fm_path_writer writer = writer_of(&plain[k]), other = writer_of(&remembered[k]);
        assert_int_equal(fm_path_open(&plain[k].path), fm_path_open(&remembered[k].path));
        fm_path_end_all(&plain[k].path, &writer, UINT32_MAX);
        fm_path_end_all(&remembered[k].path, &other, UINT32_MAX);
        assert_int_equal(plain[k].written.sum, remembered[k].written.sum);
        fm_path_free(&plain[k].path);
        fm_path_free(&remembered[k].path);
    }
    return forgotten;
}

static void what_comes_back_is_written_the_same(void **state)
{
    struct fm_path_memo memo = {0};
    struct way way = {.deepest = 2, .site_count = 4};
    (void)state;
    assert_int_equal(run(&memo, &way, 200000), 0);
    assert_true(memo.found > 150000);
    fm_path_memo_free(&memo);
}

static void regions_of_the_program_come_in_between(void **state)
{
    struct fm_path_memo memo = {0};
    struct way way = {.deepest = 1, .site_count = 3, .marks = 200};
    (void)state;
    run(&memo, &way, 100000);
    assert_false(memo.off);
    fm_path_memo_free(&memo);
}

static void limited_depth(void **state)
{
    struct fm_path_memo memo = {0};
    struct way way = {.deepest = 2, .site_count = 3};
    (void)state;
    sites.deepest = 2;
    assert_int_equal(run(&memo, &way, 100000), 0);
    sites.deepest = 0;
    assert_true(memo.found > 50000);
    fm_path_memo_free(&memo);
}

static void what_has_not_come_back_for_long_is_forgotten(void **state)
{
    struct fm_path_memo memo = {0};
    struct way way = {.deepest = 2, .site_count = 4, .loop = 20000};
    (void)state;
    assert_true(run(&memo, &way, 600000) > 0);
    assert_false(memo.off);
    fm_path_memo_free(&memo);
}

static void what_does_not_come_back_is_not_remembered(void **state)
{
    struct fm_path_memo memo = {0};
    struct way way = {.deepest = 60, .site_count = SITES, .marks = 1000};
    (void)state;
    assert_int_equal(run(&memo, &way, 100000), 1);
    assert_true(memo.off);
    assert_int_equal(memo.bytes, 0);
    fm_path_memo_free(&memo);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_back_is_written_the_same),
        cmocka_unit_test(regions_of_the_program_come_in_between),
        cmocka_unit_test(limited_depth),
        cmocka_unit_test(what_has_not_come_back_for_long_is_forgotten),
        cmocka_unit_test(what_does_not_come_back_is_not_remembered),
    };
    return cmocka_run_group_tests(tests, make_sites, NULL);
}
