/* Compiled so that functions tell when they begin and end. */
void instrumented(void);

void instrumented(void)
{
    __asm__ volatile("");
}
