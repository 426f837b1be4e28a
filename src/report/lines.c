#include "report/lines.h"

#include "base/containers/vector.h"

#include <stdarg.h>
#include <stdlib.h>

void fm_lines_add(struct fm_lines *lines, const char *label, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        abort(); /* memory for one line is missing: nothing can be said any more */
    fm_vector_push(lines, (struct fm_line){label, text});
}

void fm_lines_print(const struct fm_lines *lines, const struct fm_terminal *terminal,
                    unsigned margin, unsigned indent)
{
    for (size_t i = 0; i < lines->count; i++) {
        char label[64];
        snprintf(label, sizeof label, "%*s%s", (int)margin, "", lines->items[i].label);
        fm_terminal_paragraph(terminal, label, indent, lines->items[i].text);
    }
}

void fm_lines_free(struct fm_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        free(lines->items[i].text);
    fm_vector_free(lines);
}
