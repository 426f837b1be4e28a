/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/stack/python/code.h"

#include "record/stack/python/interpreter.h"

/* ---- texts ---- */

/* Bits of PyASCIIObject.state. */
enum { KIND_SHIFT = 2, KIND_MASK = 7, IS_COMPACT = 1 << 5, IS_ASCII = 1 << 6 };

bool fm_code_name(struct fm_peek peek, uint64_t object, struct fm_code_name *text)
{
    const struct fm_python_layout *layout = fm_python.layout;
    uint64_t state;
    if (!fm_peek_exists(peek, object, layout->wide_text) ||
        !fm_peek_word(peek, object + FM_PYTHON_TEXT_LENGTH, &text->length) ||
        !fm_peek_word(peek, object + FM_PYTHON_TEXT_STATE, &state)) {
        return false;
    }
    text->width = (uint32_t)state >> KIND_SHIFT & KIND_MASK;
    text->begin = object + ((state & IS_ASCII) != 0 ? layout->ascii_text : layout->wide_text);
    bool known = text->width == 1 || text->width == 2 || text->width == 4;
    return known && (state & IS_COMPACT) != 0 && text->length >> 32 == 0;
}

static bool is_text(struct fm_peek peek, uint64_t object)
{
    uint64_t type;
    return fm_peek_word(peek, object + FM_PYTHON_OBJECT_TYPE, &type) && type == fm_python.text_type;
}

static size_t put_character(char *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (char)(c < 0x20 || c == 0x7f ? '?' : c);
        return 1;
    }
    size_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
    for (size_t i = more; i > 0; i--) {
        out[i] = (char)(0x80 | (c & 0x3f));
        c >>= 6;
    }
    out[0] = (char)(first[more] | c);
    return 1 + more;
}

static bool copy_text(struct fm_peek peek, uint64_t object, char copy[FM_CODE_TEXT_MOST])
{
    enum { LONGEST_CHARACTER = 4 };
    struct fm_code_name text;
    size_t used = 0;
    if (!is_text(peek, object) || !fm_code_name(peek, object, &text)) {
        return false;
    }
    for (uint64_t i = 0; i < text.length && used + LONGEST_CHARACTER < FM_CODE_TEXT_MOST; i++) {
        uint32_t character = 0; /* little-endian */
        if (!fm_peek_bytes(peek, text.begin + i * text.width, &character, text.width)) {
            return false;
        }
        used += put_character(copy + used, character);
    }
    copy[used] = '\0';
    return true;
}

/* ---- marks ---- */

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* @return 0: the text cannot be read */
static uint64_t mix_text(struct fm_peek peek, uint64_t hash, uint64_t object)
{
    enum { WORD = 8 };
    struct fm_code_name text;
    uint64_t word = 0;
    if (!fm_code_name(peek, object, &text)) {
        return 0;
    }
    uint64_t size = text.length * text.width, i = 0;
    size = size < FM_CODE_TEXT_MOST ? size : (uint64_t)FM_CODE_TEXT_MOST;
    if (!fm_peek_exists(peek, text.begin, size + 1)) {
        return 0;
    }
    for (; i + WORD <= size; i += WORD) {
        memcpy(&word, (const char *)(uintptr_t)text.begin + i, WORD);
        hash = mix(hash, word);
    }
    word = size << 56;
    for (; i < size; i++) {
        word = word << 8 | ((const uint8_t *)(uintptr_t)text.begin)[i];
    }
    return mix(hash, word) | 1;
}

uint64_t fm_code_mark(struct fm_peek peek, uint64_t code)
{
    const struct fm_python_layout *layout = fm_python.layout;
    if (code % sizeof(uint64_t) != 0 || !fm_peek_exists(peek, code, layout->code_begin)) {
        return 0;
    }
    const char *object = (const char *)(uintptr_t)code;
    uint64_t type, name, file, lines;
    uint32_t first_line;
    memcpy(&type, object + FM_PYTHON_OBJECT_TYPE, sizeof type);
    memcpy(&name, object + layout->code_name, sizeof name);
    memcpy(&file, object + layout->code_file, sizeof file);
    memcpy(&lines, object + layout->code_lines, sizeof lines);
    memcpy(&first_line, object + layout->code_first_line, sizeof first_line);
    if (type != fm_python.code_type) {
        return 0;
    }
    uint64_t hash = mix(mix(mix(mix(code, name), file), lines), first_line);
    return mix_text(peek, hash, name);
}

bool fm_code_text(struct fm_peek peek, uint64_t code, struct fm_code_text *text)
{
    const struct fm_python_layout *layout = fm_python.layout;
    uint64_t name, file;
    return fm_peek_word(peek, code + layout->code_name, &name) &&
           fm_peek_word(peek, code + layout->code_file, &file) &&
           fm_peek_bytes(peek, code + layout->code_first_line, &text->first_line,
                         sizeof text->first_line) &&
           copy_text(peek, name, text->name) && copy_text(peek, file, text->file);
}

/* ---- lines ---- */

uint32_t fm_code_offset(uint64_t code, uint64_t instruction)
{
    uint64_t begin = code + fm_python.layout->code_begin;
    return instruction > begin ? (uint32_t)(instruction - begin) : 0;
}

/* The location table: entries of a byte (1, 4 bits kind, 3 bits number of instructions less 1) and
 * further bytes, whose highest bit is 0. */
struct location_table {
    struct fm_peek peek;
    uint64_t next, end;
};

static bool next_byte(struct location_table *table, uint8_t *byte)
{
    return table->next < table->end && fm_peek_bytes(table->peek, table->next++, byte, 1);
}

/* A number in groups of 6 bits, lowest first; bit 6 states that there is a further group. Its
 * lowest bit is the sign. */
static bool next_difference(struct location_table *table, int32_t *number)
{
    uint32_t value = 0;
    uint8_t byte;
    unsigned shift = 0;
    do {
        if (shift > 30 || !next_byte(table, &byte)) {
            return false;
        }
        value |= (uint32_t)(byte & 0x3f) << shift;
        shift += 6;
    } while ((byte & 0x40) != 0);
    *number = (value & 1) != 0 ? -(int32_t)(value >> 1) : (int32_t)(value >> 1);
    return true;
}

uint32_t fm_code_line(struct fm_peek peek, uint64_t code, uint32_t offset)
{
    enum { ONE_LINE_0 = 10, ONE_LINE_2 = 12, NO_COLUMNS = 13, LONG = 14, NO_LOCATION = 15 };
    const struct fm_python_layout *layout = fm_python.layout;
    struct location_table table = {.peek = peek};
    uint64_t object, type, size;
    int32_t first_line = 0;
    if (!fm_peek_bytes(peek, code + layout->code_first_line, &first_line, sizeof first_line) ||
        !fm_peek_word(peek, code + layout->code_lines, &object) ||
        !fm_peek_word(peek, object + FM_PYTHON_OBJECT_TYPE, &type) ||
        type != fm_python.bytes_type ||
        !fm_peek_word(peek, object + FM_PYTHON_BYTES_LENGTH, &size)) {
        return (uint32_t)first_line;
    }
    table.next = object + FM_PYTHON_BYTES_CONTENT;
    table.end = table.next + size;
    int32_t line = first_line, shown = first_line;
    uint8_t head, byte;
    for (uint32_t place = 0; next_byte(&table, &head);) {
        const unsigned kind = head >> 3 & 15;
        int32_t difference = 0;
        if (kind == LONG || kind == NO_COLUMNS) {
            if (!next_difference(&table, &difference)) {
                break;
            }
        } else if (kind >= ONE_LINE_0 && kind <= ONE_LINE_2) {
            difference = (int32_t)kind - ONE_LINE_0;
        }
        line += difference;
        shown = kind != NO_LOCATION ? line : shown;
        place += ((head & 7u) + 1u) * FM_PYTHON_INSTRUCTION;
        if (place > offset) {
            return shown > 0 ? (uint32_t)shown : (uint32_t)first_line;
        }
        /* the bytes of the columns, up to the next entry */
        while (table.next < table.end && fm_peek_bytes(peek, table.next, &byte, 1) &&
               (byte & 0x80) == 0) {
            table.next++;
        }
    }
    return (uint32_t)first_line;
}
