/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/experiment/kept_variables.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *value_of(const char *item, const char *name, size_t length)
{
    return strncmp(item, name, length) == 0 && item[length] == '=' ? item + length + 1 : NULL;
}

static const char *find(char *const *items, const char *name, size_t length)
{
    for (; items != NULL && *items != NULL; items++) {
        const char *value = value_of(*items, name, length);
        if (value != NULL) {
            return value;
        }
    }
    return NULL;
}

const char *fm_variables_find(const struct fm_kept_variables *variables, const char *name)
{
    return find(variables->items, name, strlen(name));
}

/* Items are copied behind one another, at `text`, which ends at `end`; `items` ends at `text`. */
struct copy {
    char **items;
    size_t count;
    char *text, *end;
};

static void add(struct copy *copy, char *const *items, char *const *unless)
{
    for (; items != NULL && *items != NULL; items++) {
        const size_t bytes = strlen(*items) + 1;
        const size_t name = strcspn(*items, "=");
        if (find(unless, *items, name) == NULL && bytes <= (size_t)(copy->end - copy->text)) {
            copy->items[copy->count++] = memcpy(copy->text, *items, bytes);
            copy->text += bytes;
        }
    }
}

static void measure(char *const *items, size_t *count, size_t *bytes)
{
    for (; items != NULL && *items != NULL; items++) {
        *count += 1;
        *bytes += strlen(*items) + 1;
    }
}

void fm_variables_keep(struct fm_kept_variables *variables, char *const *earlier)
{
    size_t count = 1, bytes = 0; /* the last item is NULL */
    measure(environ, &count, &bytes);
    measure(earlier, &count, &bytes);
    const size_t size = count * sizeof(char *) + bytes;
    char **items = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (items != MAP_FAILED) {
        struct copy copy = {
            .items = items, .text = (char *)(items + count), .end = (char *)items + size};
        add(&copy, environ, NULL);
        add(&copy, earlier, environ);
        variables->items = items;
    }
}
