/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory is reserved for the largest tables at the beginning and used page by page: nothing is
 * allocated in signal handlers. */
#include "record/stack/python/python_sites.h"

#include "record/stack/places.h"
#include "record/stack/python/code.h"

#include <sys/mman.h>

enum {
    FIRST_SIZE = 1024,        /* entries of a table */
    FUNCTIONS_MOST = 1 << 18, /* functions */
    TEXT_MOST = 1 << 28       /* bytes of names and files */
};

/* Hash table with open addressing. A larger table replaces it when it fills; the old one is not
 * freed, because other threads may be reading it. Key 0: free. */
struct entry {
    uint64_t key;
    uint64_t mark;
    uint32_t value;
};

struct table {
    uint64_t mask;
    struct entry entries[];
};

static struct {
    unsigned char lock;
    struct table *instructions; /* instruction, mark of its code object -> call site */
    struct table *texts;        /* hash of a function's texts -> function */
    struct table *sites;        /* hash of function, offset and line -> call site */
    uint64_t used[3];           /* entries of these tables */
    struct fm_python_function *functions;
    uint32_t function_count;
    char *text;
    uint64_t text_used;
} known;

static void *reserve(uint64_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

static bool take_lock(bool wait)
{
    while (__atomic_test_and_set(&known.lock, __ATOMIC_ACQUIRE)) {
        if (!wait) {
            return false;
        }
    }
    return true;
}

static void release_lock(void)
{
    __atomic_clear(&known.lock, __ATOMIC_RELEASE);
}

static struct table *new_table(uint64_t size)
{
    struct table *table = reserve(sizeof *table + size * sizeof table->entries[0]);
    if (table != NULL) {
        table->mask = size - 1;
    }
    return table;
}

bool fm_python_functions_begin(void)
{
    take_lock(true);
    if (__atomic_load_n(&known.instructions, __ATOMIC_RELAXED) == NULL) {
        struct table *instructions = new_table(FIRST_SIZE);
        known.texts = new_table(FIRST_SIZE);
        known.sites = new_table(FIRST_SIZE);
        known.functions = reserve(FUNCTIONS_MOST * sizeof *known.functions);
        known.text = reserve(TEXT_MOST);
        if (known.texts != NULL && known.sites != NULL && known.functions != NULL &&
            known.text != NULL) {
            __atomic_store_n(&known.instructions, instructions, __ATOMIC_RELEASE);
        }
    }
    bool good = known.instructions != NULL;
    release_lock();
    return good;
}

struct fm_python_function fm_python_function(uint32_t number)
{
    return known.functions[number];
}

/* ---- tables ---- */

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

/* The entry of a key, or the free one in which a search for it ends. */
static struct entry *find(struct table *table, uint64_t key)
{
    uint64_t i = mix(key, 0) & table->mask;
    for (;; i = (i + 1) & table->mask) {
        uint64_t found = __atomic_load_n(&table->entries[i].key, __ATOMIC_ACQUIRE);
        if (found == key || found == 0) {
            return &table->entries[i];
        }
    }
}

/* The key is stored last: readers without the lock find complete entries only. */
static void set(struct entry *entry, uint64_t key, uint64_t mark, uint32_t value)
{
    __atomic_store_n(&entry->mark, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&entry->value, value, __ATOMIC_RELEASE);
    __atomic_store_n(&entry->mark, mark, __ATOMIC_RELEASE);
    __atomic_store_n(&entry->key, key, __ATOMIC_RELEASE);
}

/* Under the lock. Sets the value of a key. Without memory for a larger table nothing is stored. */
static void put(struct table **table, uint64_t *used, uint64_t key, uint64_t mark, uint32_t value)
{
    struct entry *entry = find(*table, key);
    if (entry->key == key) {
        set(entry, key, mark, value);
        return;
    }
    if (2 * (*used + 1) > (*table)->mask) {
        struct table *larger = new_table(2 * ((*table)->mask + 1));
        if (larger == NULL) {
            return;
        }
        for (uint64_t i = 0; i <= (*table)->mask; i++) {
            const struct entry *old = &(*table)->entries[i];
            if (old->key != 0) {
                *find(larger, old->key) = *old;
            }
        }
        __atomic_store_n(table, larger, __ATOMIC_RELEASE);
        entry = find(larger, key);
    }
    (*used)++;
    set(entry, key, mark, value);
}

/* ---- functions and call sites; under the lock ---- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    }
    return mix(hash, 0);
}

static const char *keep_text(const char *text)
{
    uint64_t size = strlen(text) + 1;
    if (size > TEXT_MOST - known.text_used) {
        return NULL;
    }
    char *copy = known.text + known.text_used;
    memcpy(copy, text, size);
    known.text_used += size;
    return copy;
}

static bool is_function(uint32_t number, const struct fm_code_text *text)
{
    const struct fm_python_function *function = &known.functions[number];
    return function->line == text->first_line && strcmp(function->name, text->name) == 0 &&
           strcmp(function->file, text->file) == 0;
}

/* Number of a function; FUNCTIONS_MOST: there is no room. */
static uint32_t number_of(const struct fm_code_text *text)
{
    uint64_t key = mix(hash_text(hash_text(0, text->name), text->file), text->first_line);
    key += key == 0;
    struct entry *entry = find(known.texts, key);
    while (entry->key == key && !is_function(entry->value, text)) {
        entry = find(known.texts, ++key);
    }
    if (entry->key == key) {
        return entry->value;
    }
    if (known.function_count == FUNCTIONS_MOST) {
        return FUNCTIONS_MOST;
    }
    const char *name = keep_text(text->name), *file = keep_text(text->file);
    if (name == NULL || file == NULL) {
        return FUNCTIONS_MOST;
    }
    known.functions[known.function_count] =
        (struct fm_python_function){.name = name, .file = file, .line = text->first_line};
    put(&known.texts, &known.used[1], key, 0, known.function_count);
    return known.function_count++;
}

static bool is_site(uint32_t number, const struct fm_site *site)
{
    const struct fm_site other = fm_sites_get(number);
    return other.function == site->function && other.offset == site->offset;
}

static uint32_t site_of(uint32_t function, uint32_t offset, uint32_t line, bool in_signal)
{
    const struct fm_site site = {.module = FM_SITE_PYTHON,
                                 .offset = offset,
                                 .function = function | (uint64_t)line << 32,
                                 .target_module = FM_SITE_NO_TARGET};
    uint64_t key = mix(mix(mix(0, function), offset), line);
    key += key == 0;
    struct entry *entry = find(known.sites, key);
    while (entry->key == key && !is_site(entry->value, &site)) {
        entry = find(known.sites, ++key);
    }
    if (entry->key == key) {
        return entry->value;
    }
    uint32_t number = fm_sites_add(site, in_signal);
    if (number == FM_SITE_HIDDEN) {
        return FM_PYTHON_NOT_NOW;
    }
    if (number != FM_SITE_UNKNOWN) {
        put(&known.sites, &known.used[2], key, 0, number);
    }
    return number;
}

static uint32_t add(struct fm_peek peek, uint64_t code, uint64_t instruction, uint64_t mark,
                    bool in_signal)
{
    static const char import_system[] = "<frozen importlib._bootstrap";
    static struct fm_code_text text; /* too large for the stack of a signal handler */
    if (!fm_code_text(peek, code, &text)) {
        return FM_PYTHON_NOT_NOW;
    }
    uint32_t site = FM_SITE_HIDDEN;
    if (strncmp(text.file, import_system, sizeof import_system - 1) != 0) {
        uint32_t function = number_of(&text), offset = fm_code_offset(code, instruction);
        if (function == FUNCTIONS_MOST) {
            return FM_SITE_UNKNOWN;
        }
        site = site_of(function, offset, fm_code_line(peek, code, offset), in_signal);
    }
    if (site != FM_PYTHON_NOT_NOW) {
        put(&known.instructions, &known.used[0], instruction, mark, site);
    }
    return site;
}

uint32_t fm_python_site(struct fm_peek peek, uint64_t code, uint64_t instruction, uint64_t mark,
                        bool in_signal)
{
    struct table *instructions = __atomic_load_n(&known.instructions, __ATOMIC_ACQUIRE);
    const struct entry *entry = find(instructions, instruction);
    if (entry->key == instruction && __atomic_load_n(&entry->mark, __ATOMIC_ACQUIRE) == mark) {
        return __atomic_load_n(&entry->value, __ATOMIC_ACQUIRE);
    }
    if (!take_lock(!in_signal)) {
        return FM_PYTHON_NOT_NOW;
    }
    uint32_t site = add(peek, code, instruction, mark, in_signal);
    release_lock();
    return site;
}
