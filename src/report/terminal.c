/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/terminal.h"

#include "base/memory.h"
#include "base/text.h"

#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define SMALLEST_WIDTH 40
#define LARGEST_WIDTH  200 /* longer lines are hard to read */

static unsigned find_width(int descriptor)
{
    unsigned long width = 0;
    const char *columns = getenv("COLUMNS");
    if (columns != NULL)
        width = strtoul(columns, NULL, 10);
    struct winsize size;
    if (width == 0 && ioctl(descriptor, TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    if (width == 0)
        width = 80;
    if (width < SMALLEST_WIDTH)
        return SMALLEST_WIDTH;
    return width > LARGEST_WIDTH ? LARGEST_WIDTH : (unsigned)width;
}

struct fm_terminal fm_terminal_detect(FILE *stream)
{
    const char *no_colour = getenv("NO_COLOR");
    const char *kind = getenv("TERM");
    int descriptor = fileno(stream);
    setlocale(LC_CTYPE, "");
    return (struct fm_terminal){
        .stream = stream,
        .width = find_width(descriptor),
        .colour = isatty(descriptor) && (no_colour == NULL || *no_colour == '\0') &&
                  (kind == NULL || strcmp(kind, "dumb") != 0),
        .utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
    };
}

void fm_terminal_style(const struct fm_terminal *terminal, enum fm_style style)
{
    static const char *const codes[] = {"0", "1", "2", "1;31"};
    if (terminal->colour)
        fprintf(terminal->stream, "\033[%sm", codes[style]);
}

void fm_terminal_heading(const struct fm_terminal *terminal, const char *text)
{
    putc('\n', terminal->stream);
    fm_terminal_style(terminal, FM_STYLE_BOLD);
    fm_terminal_paragraph(terminal, "", 0, text);
    fm_terminal_style(terminal, FM_STYLE_PLAIN);
}

void fm_terminal_paragraph(const struct fm_terminal *terminal, const char *label, unsigned indent,
                           const char *text)
{
    FILE *stream = terminal->stream;
    unsigned room = terminal->width > indent + 20 ? terminal->width - indent : 20;
    fputs(label, stream);
    for (size_t column = fm_text_columns(label); column < indent; column++)
        putc(' ', stream);
    size_t used = 0;
    while (*text != '\0') {
        size_t length = strcspn(text, " ");
        char *word = strndup(text, length);
        size_t columns = word == NULL ? length : fm_text_columns(word);
        free(word);
        if (used > 0 && used + 1 + columns > room) {
            fprintf(stream, "\n%*s", (int)indent, "");
            used = 0;
        } else if (used > 0) {
            putc(' ', stream);
            used++;
        }
        fwrite(text, 1, length, stream);
        used += columns;
        text += length;
        text += strspn(text, " ");
    }
    putc('\n', stream);
}

void fm_terminal_print(const struct fm_terminal *terminal, const char *label, unsigned indent,
                       const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = NULL;
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    fm_terminal_paragraph(terminal, label, indent, text);
    free(text);
}

void fm_terminal_sentences(const struct fm_terminal *terminal, const struct fm_sentences *sentences,
                           unsigned margin, unsigned indent)
{
    for (size_t i = 0; i < sentences->count; i++) {
        char label[64];
        snprintf(label, sizeof label, "%*s%s", (int)margin, "", sentences->items[i].label);
        fm_terminal_paragraph(terminal, label, indent, sentences->items[i].text);
    }
}

unsigned fm_terminal_bar(const struct fm_terminal *terminal, double fraction, unsigned columns)
{
    /* U+2588 is a full block, U+2589 seven eighths of one, ..., U+258F one eighth. */
    if (!(fraction > 0))
        fraction = 0;
    if (fraction > 1)
        fraction = 1;
    unsigned eighths = (unsigned)(fraction * columns * 8 + 0.5);
    if (eighths == 0 && fraction > 0)
        eighths = 1;
    if (!terminal->utf8)
        eighths = (eighths + 7) / 8 * 8;
    unsigned full = eighths / 8;
    unsigned part = eighths % 8;
    for (unsigned i = 0; i < full; i++)
        fputs(terminal->utf8 ? "\xe2\x96\x88" : "#", terminal->stream);
    if (part > 0)
        fprintf(terminal->stream, "\xe2\x96%c", (char)(0x90 - part));
    return full + (part > 0 ? 1 : 0);
}

void fm_terminal_graph(const struct fm_terminal *terminal, const double *values, unsigned count)
{
    static const char ascii[] = " .:-=+*%#";
    double highest = 0;
    for (unsigned i = 0; i < count; i++)
        highest = values[i] > highest ? values[i] : highest;
    putc('|', terminal->stream);
    for (unsigned i = 0; i < count; i++) {
        unsigned level = values[i] > 0 ? 1 + (unsigned)(values[i] / highest * 7 + 0.5) : 0;
        if (level == 0 || !terminal->utf8)
            putc(ascii[level], terminal->stream);
        else
            fprintf(terminal->stream, "\xe2\x96%c", (char)(0x80 + level)); /* U+2581 to U+2588 */
    }
    putc('|', terminal->stream);
}

unsigned fm_terminal_lines(const char *text)
{
    unsigned count = 0;
    for (const char *end = strchr(text, '\n'); end != NULL; end = strchr(end + 1, '\n')) {
        count++;
    }
    return count;
}

char *fm_terminal_name(const struct fm_terminal *terminal, const char *text)
{
    char *printable = fm_text_printable(text, terminal->utf8);
    if (printable == NULL)
        abort(); /* Without memory for one name no error message can be printed either. */
    return printable;
}
