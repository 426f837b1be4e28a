#include "base/crc64.h"

#include <string.h>

/* The polynomial is x^64 + x^62 + x^57 + ... + 1 (0xc96c5795d7870f42, lowest digit first), as in
 * ECMA-182. A checksum is linear: each binary digit of eight bytes contributes a constant. */
#define C(x)                    UINT64_C(x)
#define BIT(v, digit, constant) (((v) >> (digit)&1) != 0 ? C(constant) : 0)
#define SUM(v, a, b, c, d, e, f, g, h)                                                             \
    (BIT(v, 0, a) ^ BIT(v, 1, b) ^ BIT(v, 2, c) ^ BIT(v, 3, d) ^ BIT(v, 4, e) ^ BIT(v, 5, f) ^     \
     BIT(v, 6, g) ^ BIT(v, 7, h))
#define FOUR(v, ...)                                                                               \
    SUM(v, __VA_ARGS__), SUM((v) + 1, __VA_ARGS__), SUM((v) + 2, __VA_ARGS__),                     \
        SUM((v) + 3, __VA_ARGS__)
#define SIXTEEN(v, ...)                                                                            \
    FOUR(v, __VA_ARGS__), FOUR((v) + 4, __VA_ARGS__), FOUR((v) + 8, __VA_ARGS__),                  \
        FOUR((v) + 12, __VA_ARGS__)
#define SIXTY_FOUR(v, ...)                                                                         \
    SIXTEEN(v, __VA_ARGS__), SIXTEEN((v) + 16, __VA_ARGS__), SIXTEEN((v) + 32, __VA_ARGS__),       \
        SIXTEEN((v) + 48, __VA_ARGS__)
#define BYTE(...)                                                                                  \
    {                                                                                              \
        SIXTY_FOUR(0, __VA_ARGS__), SIXTY_FOUR(64, __VA_ARGS__), SIXTY_FOUR(128, __VA_ARGS__),     \
            SIXTY_FOUR(192, __VA_ARGS__)                                                           \
    }

#define BYTES 8

/* [byte of eight, first one first][its value]: 16 KiB of constants that need no initialization. */
static const uint64_t contribution[BYTES][256] = {
    BYTE(0xdabe95afc7875f40, 0x27a584742000a005, 0x4f4b08e84001400a, 0x9e9611d080028014,
         0xaff48c8aaf0b1ead, 0xcd31b63ef11823df, 0x08bbc3564d3e593b, 0x117786ac9a7cb276),
    BYTE(0x22ef0d5934f964ec, 0x45de1ab269f2c9d8, 0x8bbc3564d3e593b0, 0x85a0c5e208c539e5,
         0x999924efbe846d4f, 0xa1eae6f4d206c41b, 0xd10d62c20b0396b3, 0x30c26aafb90933e3),
    BYTE(0x6184d55f721267c6, 0xc309aabee424cf8c, 0x14cbfa566747819d, 0x2997f4acce8f033a,
         0x532fe9599d1e0674, 0xa65fd2b33a3c0ce8, 0xde670a4ddb760755, 0x2e16bbb019e2102f),
    BYTE(0x5c2d776033c4205e, 0xb85aeec0678840bc, 0xe26d72ab601e9ffd, 0x56024a7d6f33217f,
         0xac0494fade6642fe, 0xcad186de13c29b79, 0x077ba297888b2877, 0x0ef7452f111650ee),
    BYTE(0x1dee8a5e222ca1dc, 0x3bdd14bc445943b8, 0x77ba297888b28770, 0xef7452f111650ee0,
         0x4c300ac98dc40345, 0x986015931b88068a, 0xa218840d981e1391, 0xd6e9a7309f3239a7),
    BYTE(0x3f0be14a916a6dcb, 0x7e17c29522d4db96, 0xfc2f852a45a9b72c, 0x6a87a57f245d70dd,
         0xd50f4afe48bae1ba, 0x38c63ad73e7bddf1, 0x718c75ae7cf7bbe2, 0xe318eb5cf9ef77c4),
    BYTE(0x54e979925cd0f10d, 0xa9d2f324b9a1e21a, 0xc17d4962dc4ddab1, 0x10223dee1795abe7,
         0x20447bdc2f2b57ce, 0x4088f7b85e56af9c, 0x8111ef70bcad5f38, 0x90fb71cad654a0f5),
    BYTE(0xb32e4cbe03a75f6f, 0xf4843657a840a05b, 0x7bd0c384ff8f5e33, 0xf7a18709ff1ebc66,
         0x7d9ba13851336649, 0xfb374270a266cc92, 0x64b62bcaebc387a1, 0xc96c5795d7870f42),
};

/* @return eight bytes as a number, the first one lowest */
static uint64_t load(const unsigned char *bytes)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    return value;
}

uint64_t fm_crc64(uint64_t crc, const void *data, size_t length)
{
    const unsigned char *bytes = data;
    crc = ~crc;
    for (; length >= BYTES; length -= BYTES, bytes += BYTES) {
        uint64_t rest = crc ^ load(bytes);
        crc = 0;
        for (int i = 0; i < BYTES; i++) {
            crc ^= contribution[i][(rest >> (8 * i)) & 255];
        }
    }
    for (size_t i = 0; i < length; i++) {
        crc = contribution[BYTES - 1][(crc ^ bytes[i]) & 255] ^ (crc >> 8);
    }
    return ~crc;
}
