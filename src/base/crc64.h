/** @file
 * CRC-64/XZ (ECMA-182 polynomial, reflected): checksum of the project's file formats.
 */
#ifndef FERMATA_BASE_CRC64_H
#define FERMATA_BASE_CRC64_H

#include <stddef.h>
#include <stdint.h>

/** Continues a checksum.
 * @param crc  0 at the beginning, else the result of the previous call
 * @return the checksum of all bytes so far. Thread-safe. */
uint64_t fm_crc64(uint64_t crc, const void *data, size_t length);

#endif
