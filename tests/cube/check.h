/** @file
 * cmocka with the headers that it wants before itself.
 */
#ifndef FERMATA_TESTS_CHECK_H
#define FERMATA_TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
