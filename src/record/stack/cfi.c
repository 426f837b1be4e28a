#include "record/stack/cfi.h"

#include "record/stack/dwarf_bytes.h"
#include "record/stack/registers.h"

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

static uint64_t encoded_address(struct fm_bytes *in, uint8_t encoding, const uint8_t *header)
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

struct cie {
    uint64_t code_factor;
    int64_t data_factor;
    uint64_t return_register;
    uint8_t address_encoding;
    bool augmented; /* FDEs have augmentation data */
    bool signal;
    struct fm_bytes program;
};

struct fde {
    struct cie cie;
    uint64_t begin, length;
    struct fm_bytes program;
};

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

static void read_augmentation(struct fm_bytes *in, const char *letters, struct cie *cie)
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

static bool read_cie(const struct fm_cfi *cfi, const uint8_t *place, struct cie *cie)
{
    struct fm_bytes in;
    const uint8_t *id_place;
    uint64_t id;
    *cie = (struct cie){.address_encoding = FORMAT_ADDRESS};
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
static bool read_fde(const struct fm_cfi *cfi, const uint8_t *place, struct fde *fde)
{
    struct fm_bytes in;
    const uint8_t *id_place;
    uint64_t id;
    if (!open_entry(cfi, place, &in, &id_place, &id) || id == 0 ||
        id > (uint64_t)(id_place - cfi->low) || !read_cie(cfi, id_place - id, &fde->cie)) {
        return false;
    }
    fde->begin = encoded_address(&in, fde->cie.address_encoding, cfi->header);
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

static bool covers(const struct fde *fde, uint64_t pc)
{
    return pc - fde->begin < fde->length;
}

/* Linear search, if there is no table. */
static bool search_frames(const struct fm_cfi *cfi, const uint8_t *place, uint64_t pc,
                          struct fde *fde)
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

static bool find_fde(const struct fm_cfi *cfi, uint64_t pc, struct fde *fde)
{
    struct fm_bytes in = fm_bytes(cfi->header, cfi->header_end);
    if (cfi->header == NULL || fm_bytes_u8(&in) != 1) {
        return false;
    }
    uint8_t frames_encoding = fm_bytes_u8(&in);
    uint8_t count_encoding = fm_bytes_u8(&in);
    uint8_t table_encoding = fm_bytes_u8(&in);
    uint64_t frames = encoded_address(&in, frames_encoding, cfi->header);
    uint64_t count =
        count_encoding != OMITTED ? encoded_address(&in, count_encoding, cfi->header) : 0;
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

/* ---- the program of an FDE ---- */

enum { REMEMBERED = 16, LARGEST_OFFSET = 1 << 30 };

struct saved {
    uint8_t cell; /* fm_cell */
    int64_t offset;
};

/* One row of the table that the program describes, reduced to the registers of unwind rules. */
struct row {
    uint8_t cfa; /* fm_cfa_kind */
    int64_t cfa_offset;
    struct saved pc, fp;
    bool outermost;
};

struct machine {
    const struct cie *cie;
    struct row row, first; /* the current row; the row after the CIE's program */
    struct row remembered[REMEMBERED];
    int depth;
    uint64_t place, pc;
};

static struct saved *saved_of(struct machine *m, uint64_t reg)
{
    if (reg == m->cie->return_register) {
        return &m->row.pc;
    }
    return reg == FM_DWARF_FRAME_POINTER ? &m->row.fp : NULL;
}

static void save(struct machine *m, uint64_t reg, uint8_t cell, int64_t offset)
{
    struct saved *saved = saved_of(m, reg);
    if (saved != NULL) {
        *saved = (struct saved){cell, offset};
        if (saved == &m->row.pc) {
            m->row.outermost = false;
        }
    }
}

static void restore(struct machine *m, uint64_t reg)
{
    if (reg == m->cie->return_register) {
        m->row.pc = m->first.pc;
        m->row.outermost = m->first.outermost;
    } else if (reg == FM_DWARF_FRAME_POINTER) {
        m->row.fp = m->first.fp;
    }
}

static void set_cfa(struct machine *m, uint64_t reg, int64_t offset)
{
    m->row.cfa = reg == FM_DWARF_STACK_POINTER   ? FM_CFA_SP
                 : reg == FM_DWARF_FRAME_POINTER ? FM_CFA_FP
                                                 : FM_CFA_UNKNOWN;
    m->row.cfa_offset = offset;
}

/* Reads the expressions that compilers and the C library use: register + offset, optionally
 * followed by a dereference. @return false: another expression */
static bool read_expression(struct fm_bytes in, uint64_t *reg, int64_t *offset, bool *memory)
{
    enum { OP_BREG0 = 0x70, OP_BREG31 = 0x8f, OP_DEREF = 0x06 };
    uint8_t op = fm_bytes_u8(&in);
    if (op < OP_BREG0 || op > OP_BREG31) {
        return false;
    }
    *reg = (uint64_t)(op - OP_BREG0);
    *offset = fm_bytes_sleb(&in);
    *memory = in.next < in.end && fm_bytes_u8(&in) == OP_DEREF;
    return !in.bad && in.next == in.end;
}

static void cfa_expression(struct machine *m, struct fm_bytes text)
{
    uint64_t reg;
    int64_t offset;
    bool memory;
    m->row.cfa = FM_CFA_UNKNOWN;
    if (read_expression(text, &reg, &offset, &memory)) {
        set_cfa(m, reg, offset);
        if (memory && m->row.cfa != FM_CFA_UNKNOWN) {
            m->row.cfa = m->row.cfa == FM_CFA_SP ? FM_CFA_AT_SP : FM_CFA_AT_FP;
        }
    }
}

static void cell_expression(struct machine *m, uint64_t saved, struct fm_bytes text)
{
    uint64_t reg;
    int64_t offset;
    bool memory;
    uint8_t cell = FM_CELL_LOST;
    if (read_expression(text, &reg, &offset, &memory) && !memory) {
        cell = reg == FM_DWARF_STACK_POINTER   ? FM_CELL_SP
               : reg == FM_DWARF_FRAME_POINTER ? FM_CELL_FP
                                               : FM_CELL_LOST;
    }
    save(m, saved, cell, offset);
}

static struct fm_bytes block(struct fm_bytes *in)
{
    uint64_t length = fm_bytes_uleb(in);
    const uint8_t *begin = in->next;
    fm_bytes_skip(in, length);
    return fm_bytes(begin, in->next);
}

static int64_t factored(const struct machine *m, struct fm_bytes *in)
{
    return (int64_t)(fm_bytes_uleb(in) * (uint64_t)m->cie->data_factor);
}

static int64_t factored_signed(const struct machine *m, struct fm_bytes *in)
{
    return (int64_t)((uint64_t)fm_bytes_sleb(in) * (uint64_t)m->cie->data_factor);
}

static void advance(struct machine *m, uint64_t delta)
{
    m->place += delta * m->cie->code_factor;
}

/* Executes an instruction without an operand in its first byte (DWARF 5, 7.24). @return false:
 * unknown or invalid */
static bool run_extended(struct machine *m, uint8_t op, struct fm_bytes *in)
{
    uint64_t reg;
    switch (op) {
    case 0x00: /* nop */
        return true;
    case 0x01: /* set_loc */
        m->place = encoded_address(in, m->cie->address_encoding, NULL);
        return true;
    case 0x02: /* advance_loc1, 2, 4 */
        advance(m, fm_bytes_number(in, 1));
        return true;
    case 0x03:
        advance(m, fm_bytes_number(in, 2));
        return true;
    case 0x04:
        advance(m, fm_bytes_number(in, 4));
        return true;
    case 0x05: /* offset_extended, offset_extended_sf, GNU_negative_offset_extended */
        reg = fm_bytes_uleb(in);
        save(m, reg, FM_CELL_CFA, factored(m, in));
        return true;
    case 0x11:
        reg = fm_bytes_uleb(in);
        save(m, reg, FM_CELL_CFA, factored_signed(m, in));
        return true;
    case 0x2f:
        reg = fm_bytes_uleb(in);
        save(m, reg, FM_CELL_CFA, -factored(m, in));
        return true;
    case 0x06: /* restore_extended */
        restore(m, fm_bytes_uleb(in));
        return true;
    case 0x07: /* undefined */
        reg = fm_bytes_uleb(in);
        save(m, reg, FM_CELL_LOST, 0);
        m->row.outermost = m->row.outermost || reg == m->cie->return_register;
        return true;
    case 0x08: /* same_value */
        save(m, fm_bytes_uleb(in), FM_CELL_KEPT, 0);
        return true;
    case 0x09: /* register */
        reg = fm_bytes_uleb(in);
        fm_bytes_uleb(in);
        save(m, reg, FM_CELL_LOST, 0);
        return true;
    case 0x0a: /* remember_state, restore_state */
        if (m->depth == REMEMBERED) {
            return false;
        }
        m->remembered[m->depth++] = m->row;
        return true;
    case 0x0b:
        if (m->depth == 0) {
            return false;
        }
        m->row = m->remembered[--m->depth];
        return true;
    case 0x0c: /* def_cfa, def_cfa_sf */
        reg = fm_bytes_uleb(in);
        set_cfa(m, reg, (int64_t)fm_bytes_uleb(in));
        return true;
    case 0x12:
        reg = fm_bytes_uleb(in);
        set_cfa(m, reg, factored_signed(m, in));
        return true;
    case 0x0d: /* def_cfa_register */
        set_cfa(m, fm_bytes_uleb(in), m->row.cfa_offset);
        return true;
    case 0x0e: /* def_cfa_offset, def_cfa_offset_sf */
        m->row.cfa_offset = (int64_t)fm_bytes_uleb(in);
        return true;
    case 0x13:
        m->row.cfa_offset = factored_signed(m, in);
        return true;
    case 0x0f: /* def_cfa_expression */
        cfa_expression(m, block(in));
        return true;
    case 0x10: /* expression */
        reg = fm_bytes_uleb(in);
        cell_expression(m, reg, block(in));
        return true;
    case 0x14: /* val_offset, val_offset_sf */
    case 0x15:
        reg = fm_bytes_uleb(in);
        fm_bytes_uleb(in);
        save(m, reg, FM_CELL_LOST, 0);
        return true;
    case 0x16: /* val_expression */
        reg = fm_bytes_uleb(in);
        block(in);
        save(m, reg, FM_CELL_LOST, 0);
        return true;
    case 0x2d: /* AARCH64_negate_ra_state: whether the address is signed changes */
        return true;
    case 0x2e: /* GNU_args_size */
        fm_bytes_uleb(in);
        return true;
    default:
        return false;
    }
}

/* Executes a program up to the row of the address. @return false: it is invalid */
static bool run(struct machine *m, struct fm_bytes in)
{
    while (!in.bad && in.next < in.end && m->place <= m->pc) {
        uint8_t op = fm_bytes_u8(&in), operand = op & 0x3f;
        switch (op >> 6) {
        case 1: /* advance_loc */
            advance(m, operand);
            break;
        case 2: /* offset */
            save(m, operand, FM_CELL_CFA, factored(m, &in));
            break;
        case 3: /* restore */
            restore(m, operand);
            break;
        default:
            if (!run_extended(m, op, &in)) {
                return false;
            }
        }
    }
    return !in.bad;
}

/* Computes the row for `pc`. An advance beyond `pc` ends the program before the instructions behind
 * it, because they apply to later addresses. */
static bool find_row(const struct fde *fde, uint64_t pc, struct row *row)
{
    struct machine m = {.cie = &fde->cie, .place = fde->begin, .pc = pc};
    m.row = (struct row){.cfa = FM_CFA_UNKNOWN, .pc = {FM_CELL_KEPT, 0}, .fp = {FM_CELL_KEPT, 0}};
    if (!run(&m, fde->cie.program)) {
        return false;
    }
    m.first = m.row;
    if (!run(&m, fde->program)) {
        return false;
    }
    *row = m.row;
    return true;
}

static bool is_small(int64_t offset)
{
    return offset >= -LARGEST_OFFSET && offset <= LARGEST_OFFSET;
}

void fm_cfi_find(const struct fm_cfi *cfi, uint64_t pc, struct fm_unwind_rule *rule,
                 uint64_t *function)
{
    struct fde fde;
    struct row row;
    *rule = (struct fm_unwind_rule){.cfa = FM_CFA_UNKNOWN};
    *function = 0;
    if (!find_fde(cfi, pc, &fde)) {
        return;
    }
    *function = fde.begin;
    if (!find_row(&fde, pc, &row)) {
        return;
    }
    if (row.outermost) {
        rule->cfa = FM_CFA_END;
    } else if (row.pc.cell != FM_CELL_LOST && is_small(row.cfa_offset) && is_small(row.pc.offset) &&
               is_small(row.fp.offset)) {
        *rule = (struct fm_unwind_rule){.cfa_offset = (int32_t)row.cfa_offset,
                                        .pc_offset = (int32_t)row.pc.offset,
                                        .fp_offset = (int32_t)row.fp.offset,
                                        .cfa = row.cfa,
                                        .pc_cell = row.pc.cell,
                                        .fp_cell = row.fp.cell,
                                        .signal = fde.cie.signal};
    }
}
