/* SPDX-License-Identifier: BSD-3-Clause */
/* A library that is loaded and unloaded; compiled several times with other names of its function.
 */
void PLUGIN_FUNCTION(void (*call)(void));

void PLUGIN_FUNCTION(void (*call)(void))
{
    call();
    __asm__ volatile(""); /* no tail call */
}
