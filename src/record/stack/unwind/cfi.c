/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/stack/unwind/cfi.h"

#include "record/stack/registers.h"
#include "record/stack/unwind/cfi_entries.h"

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
    const struct fm_cfi_cie *cie;
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
                 : reg == FM_DWARF_ARGUMENTS     ? FM_CFA_ARGUMENTS
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

/* Reads an operation that pushes a number from 0 to 31. */
static bool read_literal(struct fm_bytes *in, uint64_t *value)
{
    enum { LIT0 = 0x30, LIT31 = 0x4f };
    uint8_t op = fm_bytes_u8(in);
    *value = (uint64_t)(op - LIT0);
    return op >= LIT0 && op <= LIT31;
}

/* Reads the expression that linkers write for the entries of a procedure linkage table, in which
 * the place decides whether a word was pushed: a register + offset + ((pc & mask) >= limit) <<
 * shift.
 * @return false: another expression */
static bool read_stub_expression(struct fm_bytes in, uint64_t pc, uint64_t *reg, int64_t *offset)
{
    enum { BREG0 = 0x70, BREG31 = 0x8f, AND = 0x1a, GE = 0x2a, SHL = 0x24, PLUS = 0x22 };
    uint8_t op = fm_bytes_u8(&in);
    if (op < BREG0 || op > BREG31) {
        return false;
    }
    *reg = (uint64_t)(op - BREG0);
    *offset = fm_bytes_sleb(&in);
    bool by_place = fm_bytes_u8(&in) == BREG0 + FM_DWARF_PROGRAM_COUNTER;
    pc += (uint64_t)fm_bytes_sleb(&in);
    uint64_t mask, limit, shift;
    bool known = read_literal(&in, &mask) && fm_bytes_u8(&in) == AND && read_literal(&in, &limit) &&
                 fm_bytes_u8(&in) == GE && read_literal(&in, &shift) && fm_bytes_u8(&in) == SHL &&
                 fm_bytes_u8(&in) == PLUS;
    if (!by_place || !known || in.bad || in.next != in.end) {
        return false;
    }
    *offset += (int64_t)((uint64_t)((pc & mask) >= limit) << shift);
    return true;
}

static void cfa_expression(struct machine *m, struct fm_bytes text)
{
    uint64_t reg;
    int64_t offset;
    bool memory;
    m->row.cfa = FM_CFA_UNKNOWN;
    if (read_stub_expression(text, m->pc, &reg, &offset)) {
        set_cfa(m, reg, offset);
    } else if (read_expression(text, &reg, &offset, &memory)) {
        set_cfa(m, reg, offset);
        if (memory) {
            m->row.cfa = m->row.cfa == FM_CFA_SP   ? FM_CFA_AT_SP
                         : m->row.cfa == FM_CFA_FP ? FM_CFA_AT_FP
                                                   : FM_CFA_UNKNOWN;
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
        m->place = fm_cfi_address(in, m->cie->address_encoding, NULL);
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
static bool find_row(const struct fm_cfi_fde *fde, uint64_t pc, struct row *row)
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
    struct fm_cfi_fde fde;
    struct row row;
    *rule = (struct fm_unwind_rule){.cfa = FM_CFA_UNKNOWN};
    *function = 0;
    if (!fm_cfi_find_fde(cfi, pc, &fde)) {
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
