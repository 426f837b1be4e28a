/* SPDX-License-Identifier: BSD-3-Clause */
/* Who waits for whom in a run that ended inside of calls. */
#include "diagnosis/hang/hang_text.h"
#include "report/report.h"

#include <stdio.h>

#define MARGIN        2
#define LABEL_COLUMNS 12

void fm_report_hang(const struct fm_report *report)
{
    const struct fm_terminal *terminal = report->terminal;
    struct fm_sentences sentences = {0};
    fm_hang_text(&report->diagnosis, report->now, &sentences);
    if (sentences.count == 0) {
        fm_terminal_paragraph(terminal, "", 0, "The run did not end inside of calls.");
        return;
    }
    const struct fm_sentences rest = {.items = sentences.items + 1,
                                      .count = sentences.count - 1,
                                      .capacity = sentences.count - 1};
    fm_terminal_style(terminal, FM_STYLE_BOLD);
    fm_terminal_paragraph(terminal, "", 0, sentences.items[0].text);
    fm_terminal_style(terminal, FM_STYLE_PLAIN);
    fm_terminal_sentences(terminal, &rest, MARGIN, LABEL_COLUMNS);
    fm_sentences_free(&sentences);
}
