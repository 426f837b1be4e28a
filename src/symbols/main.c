/* SPDX-License-Identifier: BSD-3-Clause */
/* fermata-symbols: resolves addresses to functions and lines; questions on standard input, answers
 * on standard output (exchange.h). The recorder starts it at the end of a run, and when a filter
 * selects the functions that are recorded. */
#include "symbols/lookup_protocol.h"
#include "symbols/symbol_name.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none,
                NULL); /* the recorder blocks all signals before it starts this program */
    if (isatty(STDIN_FILENO)) {
        fputs("fermata-symbols is an internal program of fermata; use fermata\n", stderr);
        return 2;
    }
    const char *names = getenv("FERMATA_NAMES");
    fm_symbol_names_full(names != NULL && strcmp(names, "full") == 0);
    unsetenv("DEBUGINFOD_URLS");      /* no network access */
    setvbuf(stdout, NULL, _IOLBF, 0); /* answers before a time-out are used */
    return fm_symbols_answer(stdin, stdout) == 0 ? 0 : 3;
}
