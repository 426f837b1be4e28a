/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/stack/places.h"

#include "base/code/calls.h"
#include "record/stack/bounds.h"
#include "record/stack/modules.h"
#include "record/stack/python/interpreter.h"
#include "record/stack/registers.h"

#include <errno.h>
#include <sys/auxv.h>
#include <sys/mman.h>

enum {
    FIRST_SIZE = 4096,    /* places */
    ENTRY_SIZE = 64,      /* bytes of the program's first function */
    SITES_MOST = 1 << 21, /* address space is reserved for all; pages are allocated when used */
    OUTSIDE_MOST = 256,   /* pages */
    MISSED_MOST = 16,
    PAGE_BITS = 12
};

struct fm_places *fm_places;
uint64_t fm_places_generation;
struct fm_buffer_site *fm_sites_log;

static struct {
    unsigned char lock;
    size_t used; /* slots, including those of unloaded modules */
    struct fm_site *sites;
    uint32_t site_count;
    struct fm_site main;
    uint64_t entry; /* entry point of the program: the function that calls main */
    /* Pages of code outside of all modules, as of the last refresh of their list: generated at run
     * time. Later ones replace the first ones. */
    uint64_t outside[OUTSIDE_MOST];
    size_t outside_count;
    uint64_t missed[MISSED_MOST]; /* pages that signal handlers found outside since then */
    size_t missed_count;
} state;

static void *reserve(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

static struct fm_places *new_places(size_t size)
{
    struct fm_places *places = reserve(sizeof *places + size * sizeof places->slots[0]);
    if (places != NULL) {
        places->mask = size - 1;
        places->shift = (unsigned)__builtin_clzll((unsigned long long)places->mask);
    }
    return places;
}

bool fm_places_begin(void)
{
    if (fm_places != NULL) {
        return true;
    }
    struct fm_places *places = new_places(FIRST_SIZE);
    state.sites = reserve(SITES_MOST * sizeof *state.sites);
    if (places == NULL || state.sites == NULL) {
        return false;
    }
    state.site_count = FM_SITE_UNKNOWN + 1;
    state.entry = getauxval(AT_ENTRY);
    fm_modules_refresh();
    __atomic_store_n(&fm_places, places, __ATOMIC_RELEASE);
    return true;
}

static bool take_lock(bool wait)
{
    while (__atomic_test_and_set(&state.lock, __ATOMIC_ACQUIRE)) {
        if (!wait) {
            return false;
        }
    }
    return true;
}

static void release_lock(void)
{
    __atomic_clear(&state.lock, __ATOMIC_RELEASE);
}

/* Under the lock. The address is stored last: readers without the lock find complete places only.
 */
static struct fm_place *insert(struct fm_places *places, const struct fm_place *place)
{
    size_t i = (size_t)((place->address * 0x9e3779b97f4a7c15u) >> places->shift);
    while (places->slots[i].address > FM_PLACE_FORGOTTEN) {
        i = (i + 1) & places->mask;
    }
    struct fm_place *slot = &places->slots[i];
    state.used += slot->address != FM_PLACE_FORGOTTEN;
    slot->rule = place->rule;
    slot->site = place->site;
    slot->caller = NULL;
    __atomic_store_n(&slot->choice, place->choice, __ATOMIC_RELAXED);
    slot->plain = fm_unwind_rule_is_plain(&place->rule);
    slot->interpreter = place->interpreter;
    __atomic_store_n(&slot->address, place->address, __ATOMIC_RELEASE);
    return slot;
}

/* The old table is not freed, because other threads may be reading it. All old tables together are
 * not larger than the new one. */
static bool grow(void)
{
    struct fm_places *larger = new_places(2 * (fm_places->mask + 1));
    if (larger == NULL) {
        return false;
    }
    state.used = 0;
    for (size_t i = 0; i <= fm_places->mask; i++) {
        if (fm_places->slots[i].address > FM_PLACE_FORGOTTEN) {
            insert(larger, &fm_places->slots[i]);
        }
    }
    __atomic_store_n(&fm_places, larger, __ATOMIC_RELEASE);
    return true;
}

uint32_t fm_sites_count(void)
{
    return __atomic_load_n(&state.site_count, __ATOMIC_ACQUIRE);
}

struct fm_site fm_sites_get(uint32_t number)
{
    return state.sites[number];
}

void fm_sites_set_main(uint32_t site)
{
    if (site != FM_SITE_UNKNOWN && site < fm_sites_count() &&
        state.sites[site].module != FM_SITE_PYTHON) {
        state.main = state.sites[site];
    }
}

struct fm_site fm_sites_main(void)
{
    return state.main;
}

/* The number is written first and last: a process may end in between. */
static void log_site(uint32_t number, const struct fm_site *site)
{
    struct fm_buffer_site *log =
        fm_sites_log != NULL ? &fm_sites_log[number % FM_BUFFER_SITES] : NULL;
    if (log != NULL) {
        __atomic_store_n(&log->number, 0, __ATOMIC_RELEASE);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        log->offset = site->offset;
        log->function = site->function;
        log->target = site->target;
        log->module = site->module;
        log->target_module = site->target_module;
        __atomic_store_n(&log->number, number, __ATOMIC_RELEASE);
    }
}

static uint32_t append(struct fm_site site)
{
    if (state.site_count == SITES_MOST) {
        return FM_SITE_UNKNOWN;
    }
    state.sites[state.site_count] = site;
    log_site(state.site_count, &site);
    __atomic_store_n(&state.site_count, state.site_count + 1, __ATOMIC_RELEASE);
    return state.site_count - 1;
}

uint32_t fm_sites_add(struct fm_site site, bool in_signal)
{
    if (!take_lock(!in_signal)) {
        return FM_SITE_HIDDEN;
    }
    uint32_t number = append(site);
    release_lock();
    return number;
}

static uint32_t number_of(struct fm_site site)
{
    if (fm_modules_get(site.module)->again) {
        for (uint32_t i = FM_SITE_UNKNOWN + 1; i < state.site_count; i++) {
            if (state.sites[i].module == site.module && state.sites[i].offset == site.offset &&
                state.sites[i].target == site.target) {
                return i;
            }
        }
    }
    return append(site);
}

/* Reads the word at an address. @return false: it is not in the readable memory of the module */
static bool read_slot(const struct fm_module *module, uint64_t slot, uint64_t *word)
{
    if (slot % sizeof *word != 0 || !fm_module_holds(module, slot, sizeof *word, false)) {
        return false;
    }
    *word = __atomic_load_n((const uint64_t *)(uintptr_t)slot, __ATOMIC_RELAXED);
    return true;
}

/* The function that the call before a return address calls: `direct` as the call has it, `target`
 * behind the stub that it may lead to. @return false: unknown */
static bool find_called(const struct fm_module *module, uint64_t address, uint64_t *direct,
                        uint64_t *target)
{
    uint64_t slot;
    bool in_slot;
    int length;
    if (!fm_module_holds(module, address - FM_CALL_BYTES, FM_CALL_BYTES, true) ||
        !fm_call_target((const uint8_t *)(uintptr_t)address, direct, &in_slot) ||
        (in_slot && !read_slot(module, *direct, direct))) {
        return false;
    }
    *target = *direct;
    return !fm_module_holds(module, *direct, FM_STUB_BYTES, true) ||
           !fm_stub_slot((const uint8_t *)(uintptr_t)*direct, &slot, &length) ||
           read_slot(module, slot, target);
}

/* Determines the function that the call before a return address calls, if that function is shown.
 * If the stack shows a different function inside this call site, the called function has left the
 * stack by a tail call. */
static void find_target(const struct fm_module *module, uint64_t address, struct fm_site *site)
{
    uint64_t direct, target, function;
    struct fm_unwind_rule rule;
    site->target_module = FM_SITE_NO_TARGET;
    if (!find_called(module, address, &direct, &target)) {
        return;
    }
    int number = fm_modules_find(target);
    const struct fm_module *called = number >= 0 ? fm_modules_get((uint32_t)number) : NULL;
    if (called == NULL || called->hidden || (called->interpreter && fm_python_is_present())) {
        return;
    }
    fm_cfi_find(&called->cfi, target, &rule, &function);
    if (function == target) { /* else the bytes only looked like a call */
        site->target_module = (uint32_t)number;
        site->target = target - called->base;
    }
}

/* Whether the code before an address can be read. The word may be left from earlier calls: the list
 * of modules can be older than the unloading of the module that the address was in. */
static bool can_be_read(const struct fm_module *module, uint64_t address)
{
    struct fm_bounds_pages pages = {0};
    return fm_module_holds(module, address - FM_CALL_BYTES, FM_CALL_BYTES, true) &&
           fm_bounds_page_exists(&pages, address - FM_CALL_BYTES) &&
           fm_bounds_page_exists(&pages, address - 1);
}

uint64_t fm_place_call_strength(uint64_t address, uint64_t pc)
{
    enum { FARTHEST = 1 << 16 };
    uint64_t targets[2], function;
    struct fm_unwind_rule rule;
    int number = fm_modules_find(address - 1);
    const struct fm_module *module = number >= 0 ? fm_modules_get((uint32_t)number) : NULL;
    if (module == NULL || !can_be_read(module, address) ||
        !fm_follows_call((const uint8_t *)(uintptr_t)address)) {
        return FM_CALL_NONE;
    }
    if (!find_called(module, address, &targets[0], &targets[1])) {
        return FM_CALL_INDIRECT;
    }
    number = fm_modules_find(pc);
    for (int i = 0; i < 2; i++) {
        if (targets[i] <= pc && pc - targets[i] < FARTHEST &&
            fm_modules_find(targets[i]) == number) {
            function = 0;
            if (number >= 0) {
                fm_cfi_find(&fm_modules_get((uint32_t)number)->cfi, targets[i], &rule, &function);
            }
            if (function == 0) {
                return targets[i];
            }
        }
    }
    return FM_CALL_TAIL;
}

/* ---- stubs of procedure linkage tables ---- */

static bool is_binding(const struct fm_module *module, uint64_t code)
{
    return fm_module_holds(module, code, FM_STUB_BYTES, true) &&
           fm_stub_binds((const uint8_t *)(uintptr_t)code);
}

/* The function that an interrupted stub calls. @return false: the code is no stub
 * @param target  out: 0: the function is not bound yet */
static bool find_stub(const struct fm_module *module, uint64_t pc, uint64_t *target)
{
    uint64_t slot;
    int length;
    *target = 0;
    for (uint64_t begin = pc & ~(uint64_t)(FM_STUB_UNIT - 1); pc - begin < FM_STUB_LONGEST;
         begin -= FM_STUB_UNIT) {
        if (!fm_module_holds(module, begin, FM_STUB_BYTES, true)) {
            return false;
        }
        if (fm_stub_slot((const uint8_t *)(uintptr_t)begin, &slot, &length)) {
            if (pc - begin >= (uint64_t)length) {
                return pc - begin < FM_STUB_BYTES && is_binding(module, begin + (uint64_t)length);
            }
            if (!read_slot(module, slot, target)) {
                return false;
            }
            *target = is_binding(module, *target) ? 0 : *target;
            return true;
        }
        if (pc - begin < FM_STUB_BYTES && is_binding(module, begin)) {
            return true;
        }
    }
    return false;
}

/* The call site of an interrupted stub: the begin of the function that is being called. While it is
 * bound, the dynamic linker's functions are hidden, and so is the stub. */
static uint32_t site_of_stub(uint64_t target)
{
    struct fm_unwind_rule rule;
    uint64_t function;
    int number = target != 0 ? fm_modules_find(target) : -1;
    const struct fm_module *called = number >= 0 ? fm_modules_get((uint32_t)number) : NULL;
    if (called == NULL || called->hidden) {
        return FM_SITE_HIDDEN;
    }
    fm_cfi_find(&called->cfi, target, &rule, &function);
    return number_of((struct fm_site){.module = (uint32_t)number,
                                      .offset = target - called->base,
                                      .function = function != 0 ? function - called->base : 0,
                                      .target_module = FM_SITE_NO_TARGET});
}

/* @return false: no known module has code at the place */
static bool find_rule(struct fm_place *place)
{
    bool begin = (place->address & FM_PLACE_FUNCTION) != 0;
    bool exact = begin || (place->address & FM_PLACE_EXACT) != 0;
    uint64_t address = place->address & ~(FM_PLACE_EXACT | FM_PLACE_FUNCTION);
    uint64_t pc = exact ? address : address - 1;
    uint64_t function = 0;
    int number = fm_modules_find(pc);
    place->rule = (struct fm_unwind_rule){.cfa = FM_CFA_UNKNOWN};
    place->site = FM_SITE_UNKNOWN;
    if (number < 0) {
        place->rule.cfa = exact && !begin ? FM_CFA_SEARCH : FM_CFA_UNKNOWN;
        return false;
    }
    const struct fm_module *module = fm_modules_get((uint32_t)number);
    place->interpreter = module->interpreter;
    fm_cfi_find(&module->cfi, pc, &place->rule, &function);
    if (!exact && fm_module_holds(module, address, FM_SIGNAL_BYTES, true)) {
        fm_signal_rule((const uint8_t *)(uintptr_t)address, &place->rule);
    }
    bool starts_program = pc - state.entry < ENTRY_SIZE;
    if (place->rule.cfa == FM_CFA_UNKNOWN && exact && !begin && function == 0 && !starts_program) {
        place->rule.cfa = FM_CFA_SEARCH;
    } else if (place->rule.cfa == FM_CFA_UNKNOWN &&
               (starts_program || (module->c_library && function == 0))) {
        place->rule.cfa = FM_CFA_END; /* functions that start programs or threads may lack rules */
    }
    uint64_t target;
    if (module->hidden || starts_program) {
        place->site = FM_SITE_HIDDEN;
    } else if (exact && !begin && find_stub(module, pc, &target)) {
        place->site = site_of_stub(target);
    } else {
        struct fm_site site = {.module = (uint32_t)number,
                               .offset = pc - module->base,
                               .function = function != 0 ? function - module->base : 0,
                               .target_module = FM_SITE_NO_TARGET};
        if (begin) {
            site.function = site.offset;
            site.target = FM_SITE_INSTRUMENTED;
        } else if (!exact) {
            find_target(module, address, &site);
        }
        place->site = number_of(site);
    }
    return true;
}

/* ---- generated code ---- */

static uint64_t page_of(uint64_t address)
{
    return (address & ~(FM_PLACE_EXACT | FM_PLACE_FUNCTION)) >> PAGE_BITS;
}

static bool is_outside(uint64_t page)
{
    const size_t count = state.outside_count < OUTSIDE_MOST ? state.outside_count : OUTSIDE_MOST;
    size_t i = 0;
    while (i < count && state.outside[i] != page) {
        i++;
    }
    return i < count;
}

/* Whether code at an address that is in no known module was generated at run time. If not, a module
 * may have been loaded there: the next refresh decides. Under the lock. */
static bool is_generated(uint64_t address)
{
    const uint64_t page = page_of(address);
    bool found = is_outside(page);
    if (!found && state.missed_count < MISSED_MOST) {
        state.missed[state.missed_count++] = page;
    }
    return found;
}

/* After a refresh of the list of modules, under the lock. */
static void note_generated(void)
{
    for (size_t i = 0; i < state.missed_count; i++) {
        if (fm_modules_find(state.missed[i] << PAGE_BITS) < 0 && !is_outside(state.missed[i])) {
            state.outside[state.outside_count++ % OUTSIDE_MOST] = state.missed[i];
        }
    }
    state.missed_count = 0;
}

/* Under the lock. */
static void forget_unloaded(void)
{
    bool is_gone = fm_modules_refresh();
    if (state.missed_count > 0) {
        note_generated();
    }
    if (!is_gone) {
        return;
    }
    state.outside_count = 0;
    for (size_t i = 0; i <= fm_places->mask; i++) {
        struct fm_place *place = &fm_places->slots[i];
        uint64_t address = place->address & ~(FM_PLACE_EXACT | FM_PLACE_FUNCTION);
        if (place->address > FM_PLACE_FORGOTTEN && fm_modules_find(address - 1) < 0) {
            __atomic_store_n(&place->address, FM_PLACE_FORGOTTEN, __ATOMIC_RELEASE);
        }
    }
    __atomic_fetch_add(&fm_places_generation, 1, __ATOMIC_RELEASE);
}

bool fm_code_is_hidden(uint64_t address)
{
    const struct fm_place *place = fm_places != NULL ? fm_places_find(address) : NULL;
    if (place != NULL) {
        return place->site == FM_SITE_HIDDEN;
    }
    int number = fm_modules_find(address - 1);
    return number >= 0 && fm_modules_get((uint32_t)number)->hidden;
}

void fm_places_forget_unloaded(void)
{
    if (fm_places != NULL) {
        take_lock(true);
        forget_unloaded();
        release_lock();
    }
}

struct fm_place *fm_places_add(uint64_t address, bool in_signal)
{
    struct fm_place made = {.address = address};
    int saved = errno;
    if (!take_lock(!in_signal)) {
        return NULL;
    }
    if (!in_signal) {
        forget_unloaded();
    }
    struct fm_place *place = fm_places_find(address); /* another thread may have added it */
    if (place == NULL) {
        bool in_module = find_rule(&made);
        /* A signal handler cannot refresh the list of modules, so the module may be missing in it.
         */
        bool is_sure = in_module || !in_signal || is_generated(address);
        if (is_sure && (2 * (state.used + 1) <= fm_places->mask || grow())) {
            place = insert(fm_places, &made);
        }
    }
    release_lock();
    errno = saved;
    return place;
}
