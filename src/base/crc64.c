#include "base/crc64.h"

/* The polynomial is x^64 + x^62 + x^57 + ... + 1 (0xc96c5795d7870f42, lowest digit first), as in
 * ECMA-182. A checksum is linear: each binary digit of eight bytes contributes a constant. */
#define C(x) UINT64_C(x)
#define SUM(v, a, b, c, d)                                                                         \
    ((((v)&1) ? C(a) : 0) ^ (((v)&2) ? C(b) : 0) ^ (((v)&4) ? C(c) : 0) ^ (((v)&8) ? C(d) : 0))
#define NIBBLE(a, b, c, d)                                                                         \
    {                                                                                              \
        SUM(0, a, b, c, d), SUM(1, a, b, c, d), SUM(2, a, b, c, d), SUM(3, a, b, c, d),            \
            SUM(4, a, b, c, d), SUM(5, a, b, c, d), SUM(6, a, b, c, d), SUM(7, a, b, c, d),        \
            SUM(8, a, b, c, d), SUM(9, a, b, c, d), SUM(10, a, b, c, d), SUM(11, a, b, c, d),      \
            SUM(12, a, b, c, d), SUM(13, a, b, c, d), SUM(14, a, b, c, d), SUM(15, a, b, c, d)     \
    }

#define NIBBLES 16 /* of eight bytes */

/* [half byte of eight, lowest first][its value]: 2 KiB of constants that need no initialization. */
static const uint64_t contribution[NIBBLES][16] = {
    NIBBLE(0xdabe95afc7875f40, 0x27a584742000a005, 0x4f4b08e84001400a, 0x9e9611d080028014),
    NIBBLE(0xaff48c8aaf0b1ead, 0xcd31b63ef11823df, 0x08bbc3564d3e593b, 0x117786ac9a7cb276),
    NIBBLE(0x22ef0d5934f964ec, 0x45de1ab269f2c9d8, 0x8bbc3564d3e593b0, 0x85a0c5e208c539e5),
    NIBBLE(0x999924efbe846d4f, 0xa1eae6f4d206c41b, 0xd10d62c20b0396b3, 0x30c26aafb90933e3),
    NIBBLE(0x6184d55f721267c6, 0xc309aabee424cf8c, 0x14cbfa566747819d, 0x2997f4acce8f033a),
    NIBBLE(0x532fe9599d1e0674, 0xa65fd2b33a3c0ce8, 0xde670a4ddb760755, 0x2e16bbb019e2102f),
    NIBBLE(0x5c2d776033c4205e, 0xb85aeec0678840bc, 0xe26d72ab601e9ffd, 0x56024a7d6f33217f),
    NIBBLE(0xac0494fade6642fe, 0xcad186de13c29b79, 0x077ba297888b2877, 0x0ef7452f111650ee),
    NIBBLE(0x1dee8a5e222ca1dc, 0x3bdd14bc445943b8, 0x77ba297888b28770, 0xef7452f111650ee0),
    NIBBLE(0x4c300ac98dc40345, 0x986015931b88068a, 0xa218840d981e1391, 0xd6e9a7309f3239a7),
    NIBBLE(0x3f0be14a916a6dcb, 0x7e17c29522d4db96, 0xfc2f852a45a9b72c, 0x6a87a57f245d70dd),
    NIBBLE(0xd50f4afe48bae1ba, 0x38c63ad73e7bddf1, 0x718c75ae7cf7bbe2, 0xe318eb5cf9ef77c4),
    NIBBLE(0x54e979925cd0f10d, 0xa9d2f324b9a1e21a, 0xc17d4962dc4ddab1, 0x10223dee1795abe7),
    NIBBLE(0x20447bdc2f2b57ce, 0x4088f7b85e56af9c, 0x8111ef70bcad5f38, 0x90fb71cad654a0f5),
    NIBBLE(0xb32e4cbe03a75f6f, 0xf4843657a840a05b, 0x7bd0c384ff8f5e33, 0xf7a18709ff1ebc66),
    NIBBLE(0x7d9ba13851336649, 0xfb374270a266cc92, 0x64b62bcaebc387a1, 0xc96c5795d7870f42),
};

static uint64_t load(const unsigned char *bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

uint64_t fm_crc64(uint64_t crc, const void *data, size_t length)
{
    const unsigned char *bytes = data;
    crc = ~crc;
    for (; length >= 8; length -= 8, bytes += 8) {
        uint64_t rest = crc ^ load(bytes);
        crc = 0;
        for (int i = 0; i < NIBBLES; i++) {
            crc ^= contribution[i][(rest >> (4 * i)) & 15];
        }
    }
    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        crc = contribution[NIBBLES - 1][crc & 15] ^ (crc >> 4);
        crc = contribution[NIBBLES - 1][crc & 15] ^ (crc >> 4);
    }
    return ~crc;
}
