/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/text.h"

#include "base/decimal_text.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define INVALID UINT32_MAX

size_t fm_text_decode(const char *text, uint32_t *code_point)
{
    const unsigned char *bytes = (const unsigned char *)text;
    unsigned first = bytes[0];
    *code_point = INVALID;
    if (first < 0x80) {
        *code_point = first;
        return 1;
    }
    size_t length;
    uint32_t value;
    uint32_t smallest;
    if (first >= 0xc2 && first <= 0xdf) {
        length = 2;
        value = first & 0x1f;
        smallest = 0x80;
    } else if ((first & 0xf0) == 0xe0) {
        length = 3;
        value = first & 0x0f;
        smallest = 0x800;
    } else if (first >= 0xf0 && first <= 0xf4) {
        length = 4;
        value = first & 0x07;
        smallest = 0x10000;
    } else {
        return 1;
    }
    for (size_t i = 1; i < length; i++) {
        /* The terminating NUL is no continuation byte, so this never reads past the end. */
        if ((bytes[i] & 0xc0) != 0x80)
            return 1;
        value = value << 6 | (bytes[i] & 0x3fU);
    }
    if (value < smallest || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
        return 1;
    *code_point = value;
    return length;
}

/** @return whether a terminal would do something other than show this character. */
static bool is_control(uint32_t code_point)
{
    return code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0) || code_point == 0x061c ||
           (code_point >= 0x200b && code_point <= 0x200f) ||
           (code_point >= 0x2028 && code_point <= 0x202e) ||
           (code_point >= 0x2060 && code_point <= 0x206f) || code_point == 0xfeff ||
           (code_point >= 0xfff9 && code_point <= 0xfffb) ||
           (code_point >= 0xe0000 && code_point <= 0xe007f);
}

char *fm_text_printable(const char *text, bool utf8)
{
    char *printable = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&printable, &size);
    if (stream == NULL)
        return NULL;
    while (*text != '\0') {
        uint32_t code_point;
        size_t length = fm_text_decode(text, &code_point);
        if (code_point == INVALID || (code_point < 0x80 && is_control(code_point)))
            fprintf(stream, "\\x%02x", (unsigned)(unsigned char)*text);
        else if (is_control(code_point) || (!utf8 && code_point >= 0x80))
            fprintf(stream, "\\u{%x}", code_point);
        else
            fwrite(text, 1, length, stream);
        text += length;
    }
    bool failed = ferror(stream) != 0;
    if (fclose(stream) != 0 || failed) {
        free(printable);
        return NULL;
    }
    return printable;
}

static size_t columns_of(uint32_t code_point)
{
    if (code_point < 0x80)
        return 1;
    int columns = wcwidth((wchar_t)code_point);
    return columns < 0 ? 1 : (size_t)columns;
}

size_t fm_text_columns(const char *text)
{
    size_t columns = 0;
    while (*text != '\0') {
        uint32_t code_point;
        text += fm_text_decode(text, &code_point);
        columns += columns_of(code_point);
    }
    return columns;
}

size_t fm_text_fit(const char *text, size_t columns)
{
    size_t bytes = 0;
    while (text[bytes] != '\0') {
        uint32_t code_point;
        size_t length = fm_text_decode(text + bytes, &code_point);
        size_t needed = columns_of(code_point);
        if (needed > columns)
            break;
        columns -= needed;
        bytes += length;
    }
    return bytes;
}

static const char replacement[] = "\xef\xbf\xbd";

/** @return how many of the first bytes are ASCII that JSON strings hold as it is. */
static size_t plain_length(const char *text)
{
    size_t length = 0;
    while (text[length] >= 0x20 && text[length] < 0x7f && text[length] != '"' &&
           text[length] != '\\')
        length++;
    return length;
}

void fm_text_write_json(FILE *stream, const char *text)
{
    if (text == NULL) {
        fputs("null", stream);
        return;
    }
    putc('"', stream);
    while (*text != '\0') {
        size_t plain = plain_length(text);
        fwrite(text, 1, plain, stream);
        text += plain;
        if (*text == '\0')
            break;
        uint32_t code_point;
        size_t length = fm_text_decode(text, &code_point);
        if (code_point == INVALID)
            fputs(replacement, stream);
        else if (code_point == '"' || code_point == '\\')
            fprintf(stream, "\\%c", *text);
        else if (code_point < 0x20 || code_point == 0x7f)
            fprintf(stream, "\\u%04x", code_point);
        else
            fwrite(text, 1, length, stream);
        text += length;
    }
    putc('"', stream);
}

/** @return whether a spreadsheet takes a cell that begins with the character for a formula; the
 * last four are the full-width forms of the others, which some locales accept, too. */
static bool begins_formula(uint32_t code_point)
{
    static const uint32_t signs[] = {'=', '+', '-', '@', 0xff1d, 0xff0b, 0xff0d, 0xff20};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        if (code_point == signs[i])
            return true;
    }
    return false;
}

void fm_text_write_csv(FILE *stream, const char *text)
{
    /* Not only commas: some locales separate fields by semicolons. */
    bool quoted = strpbrk(text, ",;\"") != NULL;
    uint32_t code_point = 0;
    if (quoted)
        putc('"', stream);
    if (*text != '\0')
        fm_text_decode(text, &code_point);
    if (begins_formula(code_point))
        putc('\'', stream);
    while (*text != '\0') {
        size_t length = fm_text_decode(text, &code_point);
        if (code_point == INVALID)
            fputs(replacement, stream);
        else if (code_point == '"')
            fputs("\"\"", stream);
        else if (is_control(code_point))
            fprintf(stream, code_point < 0x80 ? "\\x%02x" : "\\u{%x}", code_point);
        else
            fwrite(text, 1, length, stream);
        text += length;
    }
    if (quoted)
        putc('"', stream);
}

/** @return whether XML 1.0 has the character, besides those that need an escape. */
static bool is_xml_character(uint32_t code_point)
{
    if (code_point < 0x20)
        return code_point == '\t' || code_point == '\n';
    return code_point != 0x7f && code_point != 0xfffe && code_point != 0xffff;
}

void fm_text_write_xml(FILE *stream, const char *text)
{
    static const struct {
        char character;
        const char *entity;
    } escapes[] = {
        {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&apos;"},
    };
    while (text != NULL && *text != '\0') {
        uint32_t code_point;
        size_t length = fm_text_decode(text, &code_point);
        const char *entity = NULL;
        for (size_t i = 0; i < sizeof escapes / sizeof escapes[0]; i++) {
            if (code_point == (uint32_t)escapes[i].character)
                entity = escapes[i].entity;
        }
        if (entity != NULL)
            fputs(entity, stream);
        else if (code_point == INVALID || !is_xml_character(code_point))
            fputs(replacement, stream);
        else
            fwrite(text, 1, length, stream);
        text += length;
    }
}

char *fm_text_shortest(char buffer[FM_TEXT_NUMBER], double value)
{
    /* A decimal of at most 15 digits survives the way into a double and back, so 15 digits give the
     * shortest decimal whenever it has no more; 17 always suffice. */
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(buffer, FM_TEXT_NUMBER, "%.*g", precision, value);
        if (strtod(buffer, NULL) == value)
            break;
    }
    return buffer;
}

char *fm_text_shell_word(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=.,/:@%";
    if (*text != '\0' && strspn(text, plain) == strlen(text))
        return strdup(text);
    char *word = malloc(4 * strlen(text) + 3);
    char *end = word;
    if (word == NULL)
        return NULL;
    *end++ = '\'';
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            end = stpcpy(end, "'\\''");
        else
            *end++ = *text;
    }
    strcpy(end, "'");
    return word;
}

char *fm_text_count(char buffer[FM_TEXT_NUMBER], int64_t value)
{
    char digits[FM_TEXT_NUMBER];
    uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)size);
    char *end = buffer;
    if (value < 0)
        *end++ = '-';
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *end++ = ',';
        *end++ = digits[i];
    }
    *end = '\0';
    return buffer;
}

char *fm_text_percent(char buffer[FM_TEXT_NUMBER], int64_t part, int64_t whole)
{
    double percent = whole == 0 ? 0 : 100 * ((double)part / (double)whole);
    if (percent > 0 && percent < 0.05)
        snprintf(buffer, FM_TEXT_NUMBER, "<0.1%%");
    else if (part < whole && percent >= 99.95)
        snprintf(buffer, FM_TEXT_NUMBER, ">99.9%%");
    else
        snprintf(buffer, FM_TEXT_NUMBER, "%.1f%%", percent);
    return buffer;
}

char *fm_text_longer(char buffer[FM_TEXT_NUMBER], double more, bool is_least)
{
    const char *about = is_least ? "at least" : "about";
    if (more < 0.001) {
        snprintf(buffer, FM_TEXT_NUMBER, "less than 0.1%% longer");
    } else if (more < 0.9995) {
        snprintf(buffer, FM_TEXT_NUMBER, "%s %.12s%% longer", about,
                 fm_decimal(100 * more, 1).text);
    } else {
        snprintf(buffer, FM_TEXT_NUMBER, "%s %.8s times as long", about,
                 fm_decimal(1 + more, 1).text);
    }
    return buffer;
}
