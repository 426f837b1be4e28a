/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/symbol_name.h"

#include "symbols/short_name.h"

#if defined(FERMATA_HAS_LIBIBERTY)
#include <demangle.h>
#endif
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parts and copies ---- */

/* Length without suffixes that a compiler appends for its own purposes: each is a word behind a
 * dot, perhaps with a number. Others, such as those of OpenMP regions, name a function of its own.
 */
static size_t length_of_original(const char *symbol)
{
    static const char *const suffixes[] = {".cold",       ".part",        ".isra",
                                           ".constprop",  ".lto_priv",    ".llvm",
                                           ".localalias", ".specialized", ".__uniq"};
    const char *first = strchr(symbol, '.');
    for (; first != NULL && first != symbol; first = strchr(first + 1, '.')) {
        for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
            size_t length = strlen(suffixes[i]);
            if (strncmp(first, suffixes[i], length) == 0 &&
                (first[length] == '\0' || first[length] == '.')) {
                return (size_t)(first - symbol);
            }
        }
    }
    return strlen(symbol);
}

/* ---- C++ ---- */

typedef char *demangle_t(const char *mangled, char *buffer, size_t *size, int *status);

static demangle_t *demangler;

static void find_demangler(void)
{
    void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        library = dlopen("libc++abi.so.1", RTLD_NOW | RTLD_LOCAL);
    }
    if (library != NULL) {
        *(void **)&demangler = dlsym(library, "__cxa_demangle");
    }
}

static char *demangle(const char *mangled)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int status;
    pthread_once(&once, find_demangler);
    return demangler != NULL ? demangler(mangled, NULL, NULL, &status) : NULL;
}

static bool ends_with(const char *text, size_t length, const char *end)
{
    size_t size = strlen(end);
    return length >= size && memcmp(text + length - size, end, size) == 0;
}

/* Start of the bracket that the last character of the text closes. */
static size_t opening(const char *text, size_t length)
{
    int depth = 0;
    for (size_t i = length; i-- > 0;) {
        if (text[i] == ')') {
            depth++;
        } else if (text[i] == '(' && --depth == 0) {
            return i;
        }
    }
    return length;
}

/* Length without parameters and what stands behind them. */
static size_t without_parameters(const char *text)
{
    static const char *const behind[] = {" const", " volatile", " &", " &&", " noexcept"};
    size_t length = strlen(text);
    const char *clone = strstr(text, " [clone ");
    if (clone != NULL) {
        length = (size_t)(clone - text);
    }
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < sizeof behind / sizeof behind[0]; i++) {
            if (ends_with(text, length, behind[i])) {
                length -= strlen(behind[i]);
                again = true;
            }
        }
    }
    if (length > 0 && text[length - 1] == ')' && !ends_with(text, length, "operator()")) {
        size_t begin = opening(text, length);
        /* `(anonymous namespace)` at the end closes no parameters. */
        if (begin > 0 && !ends_with(text, length, "(anonymous namespace)")) {
            return begin;
        }
    }
    return length;
}

/* Start of the name behind the result type, which templates have: after the last space outside of
 * brackets; names of operators contain spaces, too. */
static size_t behind_result(const char *text, size_t length)
{
    int depth = 0;
    size_t start = 0;
    for (size_t i = 0; i < length; i++) {
        if (depth == 0 && strncmp(text + i, "operator", 8) == 0 &&
            (i == 0 || text[i - 1] == ' ' || text[i - 1] == ':')) {
            break;
        }
        depth += text[i] == '(' || text[i] == '<' || text[i] == '{' || text[i] == '[';
        depth -= text[i] == ')' || text[i] == '>' || text[i] == '}' || text[i] == ']';
        if (text[i] == ' ' && depth == 0) {
            start = i + 1;
        }
    }
    while (start < length && (text[start] == '*' || text[start] == '&')) {
        start++;
    }
    return start;
}

static bool is_full; /* C++ names have all that the symbol has */

void fm_symbol_names_full(bool full)
{
    is_full = full;
}

void fm_symbol_name_shorten(char *name)
{
    if (!is_full) {
        fm_shorten_name(name);
    }
}

static char *cpp_name(const char *symbol)
{
    char *text = demangle(symbol);
    if (text == NULL) {
        return NULL;
    }
    if (is_full) {
        return text;
    }
    size_t length = without_parameters(text), start = behind_result(text, length);
    char *name = length > start ? strndup(text + start, length - start) : strdup(text);
    free(text);
    if (name != NULL) {
        fm_shorten_name(name);
    }
    return name;
}

/* ---- Rust ---- */

/* Whether a symbol of the form of C++ is one of Rust's older form: its last part is a hash. */
static bool is_older_rust(const char *symbol, size_t length)
{
    enum { HASH = 16, END = 1 + HASH + 3 /* 17h, hash, E */ };
    if (length < END || symbol[length - 1] != 'E' ||
        strncmp(symbol + length - END, "17h", 3) != 0) {
        return false;
    }
    return strspn(symbol + length - HASH - 1, "0123456789abcdef") == HASH;
}

#if defined(FERMATA_HAS_LIBIBERTY)
static char *demangle_rust(const char *symbol)
{
    return rust_demangle(symbol, 0); /* without hashes */
}
#else
/* What the demangler of C++ makes of the older form ends with the hash. */
static char *demangle_rust(const char *symbol)
{
    char *text = demangle(symbol);
    char *hash = text != NULL ? strrchr(text, ':') : NULL;
    if (hash != NULL && hash > text) {
        hash[-1] = '\0';
    }
    return text;
}
#endif

/* The end of the bracket that the first character of the text opens; NULL: there is none. */
static char *closing(char *text)
{
    int depth = 0;
    for (char *c = text; *c != '\0'; c++) {
        depth += *c == '<';
        depth -= *c == '>' && (c == text || c[-1] != '-'); /* -> */
        if (depth == 0) {
            return c;
        }
    }
    return NULL;
}

/* Names functions of a type alike in both forms: `<module::Type>::function` of the newer one is
 * `module::Type::function`. A function of a trait keeps both: `<Type as Trait>::function`. */
static char *rust_name(const char *symbol)
{
    char *text = demangle_rust(symbol);
    char *end = text != NULL && text[0] == '<' && !is_full ? closing(text) : NULL;
    if (end != NULL && strncmp(end + 1, "::", 2) == 0) {
        *end = '\0';
        const bool has_trait = strstr(text, " as ") != NULL;
        *end = '>';
        if (!has_trait) {
            memmove(end, end + 1, strlen(end));
            memmove(text, text + 1, strlen(text));
        }
    }
    return text;
}

/* ---- Fortran ---- */

static char *joined(const char *module, size_t module_length, const char *procedure,
                    size_t procedure_length)
{
    char *name = NULL;
    if (module_length == 0 || procedure_length == 0 ||
        asprintf(&name, "%.*s::%.*s", (int)module_length, module, (int)procedure_length,
                 procedure) < 0) {
        return NULL;
    }
    return name;
}

/* gfortran; a submodule's module is `parent.child`. */
static char *gfortran_name(const char *symbol, size_t length)
{
    const char *mark = strncmp(symbol, "__", 2) == 0 ? strstr(symbol, "_MOD_") : NULL;
    return mark == NULL ? NULL
                        : joined(symbol + 2, (size_t)(mark - symbol) - 2, mark + 5,
                                 length - (size_t)(mark + 5 - symbol));
}

/* flang writes names in small letters, so that the capitals are its marks. */
static char *flang_name(const char *symbol, size_t length)
{
    const char *end = symbol + length;
    if (strncmp(symbol, "_QM", 3) == 0) {
        const char *mark = strpbrk(symbol + 3, "PSF");
        return mark == NULL ? NULL
                            : joined(symbol + 3, (size_t)(mark - symbol) - 3, mark + 1,
                                     (size_t)(end - mark) - 1);
    }
    if (strncmp(symbol, "_QP", 3) == 0) {
        return strndup(symbol + 3, length - 3);
    }
    return strcmp(symbol, "_QQmain") == 0 ? strdup("main program") : NULL;
}

static char *intel_name(const char *symbol, size_t length)
{
    const char *mark = strstr(symbol, "_mp_");
    if (mark == NULL || symbol[length - 1] != '_') {
        return NULL;
    }
    return joined(symbol, (size_t)(mark - symbol), mark + 4,
                  length - 1 - (size_t)(mark + 4 - symbol));
}

char *fm_symbol_name(const char *symbol)
{
    size_t length = length_of_original(symbol);
    char *original = strndup(symbol, length), *name = NULL;
    if (original == NULL) {
        return NULL;
    }
    if (strncmp(original, "_R", 2) == 0 || is_older_rust(original, length)) {
        name = rust_name(original);
    } else if (strncmp(original, "_Z", 2) == 0 || strncmp(original, "___Z", 4) == 0) {
        name = cpp_name(original);
    } else if (length > 3) {
        name = gfortran_name(original, length);
        name = name != NULL ? name : flang_name(original, length);
        name = name != NULL ? name : intel_name(original, length);
    }
    if (name == NULL) {
        return original;
    }
    free(original);
    return name;
}
