#include "base/crc64.h"

#define POLYNOMIAL UINT64_C(0xc96c5795d7870f42)

/* One step of the table per half byte: 128 bytes of constants that need no initialization. */
#define SHIFT(x)  (((x) >> 1) ^ (((x)&1) ? POLYNOMIAL : 0))
#define SHIFT4(x) SHIFT(SHIFT(SHIFT(SHIFT(UINT64_C(x)))))

static const uint64_t half_byte[16] = {
    SHIFT4(0), SHIFT4(1), SHIFT4(2),  SHIFT4(3),  SHIFT4(4),  SHIFT4(5),  SHIFT4(6),  SHIFT4(7),
    SHIFT4(8), SHIFT4(9), SHIFT4(10), SHIFT4(11), SHIFT4(12), SHIFT4(13), SHIFT4(14), SHIFT4(15),
};

uint64_t fm_crc64(uint64_t crc, const void *data, size_t length)
{
    const unsigned char *bytes = data;
    crc = ~crc;
    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        crc = half_byte[crc & 15] ^ (crc >> 4);
        crc = half_byte[crc & 15] ^ (crc >> 4);
    }
    return ~crc;
}
