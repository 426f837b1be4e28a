/* SPDX-License-Identifier: BSD-3-Clause */
/* Is linked if the compiler has the runtime of a sanitizer. */
int main(void)
{
    return 0;
}
