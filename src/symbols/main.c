/* fermata-symbols: tells what addresses stand for; questions on standard input, answers on standard
 * output (exchange.h). The recorder starts it at the end of a run, and where a filter decides which
 * functions are recorded. */
#include "symbols/exchange.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL); /* who starts us has blocked all signals */
    if (isatty(STDIN_FILENO)) {
        fputs("fermata-symbols is a part of fermata, not to be called by hand\n", stderr);
        return 2;
    }
    unsetenv("DEBUGINFOD_URLS");      /* never asks the network */
    setvbuf(stdout, NULL, _IOLBF, 0); /* what is found before a time-out counts */
    return fm_symbols_answer(stdin, stdout) == 0 ? 0 : 3;
}
