/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/stack/unwind/cfi_entries.h"

/* Encodings of addresses (DW_EH_PE_...): format in the lower four bits, base in the next three. */
enum {
    FORMAT_ADDRESS = 0x0,
    FORMAT_ULEB = 0x1,
    FORMAT_U2 = 0x2,
    FORMAT_U4 = 0x3,
    FORMAT_U8 = 0x4,
    FORMAT_SLEB = 0x9,
    FORMAT_S2 = 0xa,
    FORMAT_S4 = 0xb,
    FORMAT_S8 = 0xc,
    FORMAT_MASK = 0x0f,
    RELATIVE_TO_ITSELF = 0x10,
    RELATIVE_TO_HEADER = 0x30,
    RELATIVE_MASK = 0x70,
    SORTED_TABLE = RELATIVE_TO_HEADER | FORMAT_S4,
    OMITTED = 0xff
};

/* A number in one of the formats, sign-extended where the format has a sign. */
static uint64_t formatted(struct fm_bytes *in, uint8_t encoding)
{
    switch (encoding & FORMAT_MASK) {
    case FORMAT_ULEB:
        return fm_bytes_uleb(in);
    case FORMAT_SLEB:
        return (uint64_t)fm_bytes_sleb(in);
    case FORMAT_U2:
        return fm_bytes_number(in, 2);
    case FORMAT_S2:
        return (uint64_t)(int64_t)(int16_t)fm_bytes_number(in, 2);
    case FORMAT_U4:
        return fm_bytes_number(in, 4);
    case FORMAT_S4:
        return (uint64_t)(int64_t)(int32_t)fm_bytes_number(in, 4);
    case FORMAT_ADDRESS:
    case FORMAT_U8:
    case FORMAT_S8:
        return fm_bytes_number(in, 8);
    default:
        in->bad = true;
        return 0;
    }
}

static uint64_t address_of(const uint8_t *place)
{
    return (uint64_t)(uintptr_t)place;
}

uint64_t fm_cfi_address(struct fm_bytes *in, uint8_t encoding, const uint8_t *header)
{
    uint64_t base = 0;
    switch (encoding & RELATIVE_MASK) {
    case 0:
        break;
    case RELATIVE_TO_ITSELF:
        base = address_of(in->next);
        break;
    case RELATIVE_TO_HEADER:
        base = address_of(header);
        break;
    default:
        in->bad = true;
    }
    return base + formatted(in, encoding);
}

/* ---- CIE and FDE ---- */

/* Opens the entry at `place`. Out: the content behind the id, the id and its place. */
static bool open_entry(const struct fm_cfi *cfi, const uint8_t *place, struct fm_bytes *content,
                       const uint8_t **id_place, uint64_t *id)
{
    if (place < cfi->low || place >= cfi->high) {
        return false;
    }
    struct fm_bytes in = fm_bytes(place, cfi->high);
    uint64_t length = fm_bytes_number(&in, 4);
    if (length == 0xffffffffu) {
        length = fm_bytes_number(&in, 8);
    }
    if (length == 0 || !fm_bytes_have(&in, length)) {
        return false; /* the end of .eh_frame, or damage */
    }
    in.end = in.next + length;
    *id_place = in.next;
    *id = fm_bytes_number(&in, 4);
    *content = in;
    return !in.bad;
}

static void read_augmentation(struct fm_bytes *in, const char *letters, struct fm_cfi_cie *cie)
{
    uint64_t length = fm_bytes_uleb(in);
    const uint8_t *begin = in->next;
    cie->augmented = true;
    for (letters++; *letters != '\0' && !in->bad; letters++) {
        switch (*letters) {
        case 'R':
            cie->address_encoding = fm_bytes_u8(in);
            break;
        case 'L':
            fm_bytes_skip(in, 1);
            break;
        case 'P': {
            uint8_t encoding = fm_bytes_u8(in);
            formatted(in, encoding);
            break;
        }
        case 'S':
            cie->signal = true;
            break;
        case 'B': /* return addresses are signed with key B */
            break;
        default:
            letters += strlen(letters) - 1; /* unknown: the rest is skipped by its length */
        }
    }
    in->next = begin;
    fm_bytes_skip(in, length);
}

static bool read_cie(const struct fm_cfi *cfi, const uint8_t *place, struct fm_cfi_cie *cie)
{
    struct fm_bytes in;
    const uint8_t *id_place;
    uint64_t id;
    *cie = (struct fm_cfi_cie){.address_encoding = FORMAT_ADDRESS};
    if (!open_entry(cfi, place, &in, &id_place, &id) || id != 0) {
        return false;
    }
    uint8_t version = fm_bytes_u8(&in);
    const char *letters = (const char *)in.next;
    const uint8_t *end = in.bad ? NULL : memchr(in.next, 0, (size_t)(in.end - in.next));
    if (end == NULL || (version != 1 && version != 3)) {
        return false;
    }
    in.next = end + 1;
    cie->code_factor = fm_bytes_uleb(&in);
    cie->data_factor = fm_bytes_sleb(&in);
    cie->return_register = version == 1 ? fm_bytes_u8(&in) : fm_bytes_uleb(&in);
    if (letters[0] == 'z') {
        read_augmentation(&in, letters, cie);
    } else if (letters[0] != '\0') {
        return false;
    }
    cie->program = in;
    return !in.bad;
}

/* Reads the FDE at `place`. @return false if there is none (a CIE, the end) */
static bool read_fde(const struct fm_cfi *cfi, const uint8_t *place, struct fm_cfi_fde *fde)
{
    struct fm_bytes in;
    const uint8_t *id_place;
    uint64_t id;
    if (!open_entry(cfi, place, &in, &id_place, &id) || id == 0 ||
        id > (uint64_t)(id_place - cfi->low) || !read_cie(cfi, id_place - id, &fde->cie)) {
        return false;
    }
    fde->begin = fm_cfi_address(&in, fde->cie.address_encoding, cfi->header);
    fde->length = formatted(&in, fde->cie.address_encoding);
    if (fde->cie.augmented) {
        uint64_t length = fm_bytes_uleb(&in);
        fm_bytes_skip(&in, length);
    }
    fde->program = in;
    return !in.bad;
}

/* ---- the FDE of an address ---- */

/* The sorted table of the header: pairs of begin and FDE, relative to the header. */
static const uint8_t *search_table(const struct fm_cfi *cfi, const struct fm_bytes *table,
                                   uint64_t count, uint64_t pc)
{
    int64_t wanted = (int64_t)(pc - address_of(cfi->header));
    int32_t pair[2];
    uint64_t low = 0, high = count; /* binary search for the last begin at or before the address */
    if (count > (uint64_t)(table->end - table->next) / sizeof pair) {
        return NULL;
    }
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        memcpy(pair, table->next + middle * sizeof pair, sizeof pair);
        if (pair[0] <= wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0) {
        return NULL;
    }
    memcpy(pair, table->next + (low - 1) * sizeof pair, sizeof pair);
    return cfi->header + pair[1];
}

static bool covers(const struct fm_cfi_fde *fde, uint64_t pc)
{
    return pc - fde->begin < fde->length;
}

/* Linear search, if there is no table. */
static bool search_frames(const struct fm_cfi *cfi, const uint8_t *place, uint64_t pc,
                          struct fm_cfi_fde *fde)
{
    struct fm_bytes in;
    const uint8_t *id_place;
    uint64_t id;
    while (open_entry(cfi, place, &in, &id_place, &id)) {
        if (id != 0 && read_fde(cfi, place, fde) && covers(fde, pc)) {
            return true;
        }
        place = in.end;
    }
    return false;
}

bool fm_cfi_find_fde(const struct fm_cfi *cfi, uint64_t pc, struct fm_cfi_fde *fde)
{
    struct fm_bytes in = fm_bytes(cfi->header, cfi->header_end);
    if (cfi->header == NULL || fm_bytes_u8(&in) != 1) {
        return false;
    }
    uint8_t frames_encoding = fm_bytes_u8(&in);
    uint8_t count_encoding = fm_bytes_u8(&in);
    uint8_t table_encoding = fm_bytes_u8(&in);
    uint64_t frames = fm_cfi_address(&in, frames_encoding, cfi->header);
    uint64_t count =
        count_encoding != OMITTED ? fm_cfi_address(&in, count_encoding, cfi->header) : 0;
    if (in.bad) {
        return false;
    }
    if (count != 0 && table_encoding == SORTED_TABLE) {
        const uint8_t *place = search_table(cfi, &in, count, pc);
        return place != NULL && read_fde(cfi, place, fde) && covers(fde, pc);
    }
    const uint8_t *place = cfi->low + (frames - address_of(cfi->low));
    return search_frames(cfi, place, pc, fde);
}
