/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/short_name.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Removes `length` bytes at a place of the text. */
static void cut(char *place, size_t length)
{
    memmove(place, place + length, strlen(place + length) + 1);
}

/* Replaces `length` bytes by a text that is not longer. */
static void replace(char *place, size_t length, const char *text)
{
    size_t size = strlen(text);
    memcpy(place, text, size);
    cut(place + size, length - size);
}

static bool is_in_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* First occurrence of a text that is no end of a longer word. */
static char *find(char *from, const char *text)
{
    char *found = strstr(from, text);
    while (found != NULL && found != from && is_in_word(found[-1]) && is_in_word(text[0])) {
        found = strstr(found + 1, text);
    }
    return found;
}

/* Length of the template arguments at `<`, with both brackets; 0: they do not end. Brackets within
 * other brackets may be operators. */
static size_t arguments_length(const char *place)
{
    int angles = 0, others = 0;
    for (size_t i = 0; place[i] != '\0'; i++) {
        others += place[i] == '(' || place[i] == '[' || place[i] == '{';
        others -= place[i] == ')' || place[i] == ']' || place[i] == '}';
        if (others == 0) {
            angles += place[i] == '<';
            angles -= place[i] == '>' && i > 0 && place[i - 1] != '-';
            if (angles == 0) {
                return i + 1;
            }
        }
    }
    return 0;
}

static void leave_out_namespaces(char *name)
{
    static const char *const inline_ones[] = {"std::__cxx11::", "std::__1::", "std::__ndk1::"};
    for (size_t i = 0; i < sizeof inline_ones / sizeof inline_ones[0]; i++) {
        for (char *at = name; (at = find(at, inline_ones[i])) != NULL; at += strlen("std::")) {
            cut(at + strlen("std::"), strlen(inline_ones[i]) - strlen("std::"));
        }
    }
}

/* Leaves out arguments behind the first that are these classes: their defaults. */
static void leave_out_defaults(char *name)
{
    static const char *const defaults[] = {", std::allocator<", ", std::char_traits<",
                                           ", std::less<",      ", std::hash<",
                                           ", std::equal_to<",  ", std::default_delete<"};
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++) {
        for (char *at = name; (at = strstr(at, defaults[i])) != NULL;) {
            size_t front = strlen(defaults[i]) - 1, length = arguments_length(at + front);
            const char *end = at + front + length;
            bool is_whole =
                length != 0 && (*end == ',' || *end == '>' || strncmp(end, " >", 2) == 0);
            if (is_whole) {
                cut(at, front + length);
            } else {
                at += front;
            }
        }
    }
}

static void use_names_of_the_library(char *name)
{
    static const struct {
        const char *text, *name;
    } names[] = {{"std::basic_string<char>", "std::string"},
                 {"std::basic_string<wchar_t>", "std::wstring"},
                 {"std::basic_string_view<char>", "std::string_view"},
                 {"std::basic_ostream<char>", "std::ostream"},
                 {"std::basic_istream<char>", "std::istream"},
                 {"std::basic_iostream<char>", "std::iostream"},
                 {"std::basic_ofstream<char>", "std::ofstream"},
                 {"std::basic_ifstream<char>", "std::ifstream"},
                 {"std::basic_fstream<char>", "std::fstream"},
                 {"std::basic_stringstream<char>", "std::stringstream"},
                 {"std::basic_ostringstream<char>", "std::ostringstream"},
                 {"std::basic_istringstream<char>", "std::istringstream"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (char *at = name; (at = find(at, names[i].text)) != NULL;) {
            replace(at, strlen(names[i].text), names[i].name);
        }
    }
}

/* `> >` becomes `>>`. A `>` of an operator is followed by no space. */
static void close_brackets(char *name)
{
    for (char *at = name; (at = strstr(at, "> >")) != NULL;) {
        cut(at + 1, 1);
    }
}

/* `{lambda(int)#1}::operator()` becomes `{lambda#1}`. */
static void shorten_lambdas(char *name)
{
    static const char begin[] = "{lambda(", call[] = "::operator()";
    for (char *at = name; (at = strstr(at, begin)) != NULL; at++) {
        char *parameters = at + strlen(begin) - 1, *end = parameters;
        int depth = 0;
        do {
            depth += (*end == '(') - (*end == ')');
            end++;
        } while (depth > 0 && *end != '\0');
        cut(parameters, (size_t)(end - parameters));
        end = strchr(parameters, '}');
        if (end != NULL && strncmp(end + 1, call, strlen(call)) == 0) {
            cut(end + 1, strlen(call));
        }
    }
}

void fm_shorten_name(char *name)
{
    leave_out_namespaces(name);
    leave_out_defaults(name);
    close_brackets(name);
    /* `vector<int >` is left of `vector<int, std::allocator<int> >`. */
    for (char *at = name; (at = strstr(at, " >")) != NULL;) {
        bool is_argument = at != name && at[-1] != '<' && at[-1] != '>' && at[1] == '>' &&
                           strncmp(at, " >=", 3) != 0 && is_in_word(at[-1]);
        if (is_argument) {
            cut(at, 1);
        } else {
            at++;
        }
    }
    use_names_of_the_library(name);
    shorten_lambdas(name);
}
