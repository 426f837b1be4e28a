/* SPDX-License-Identifier: BSD-3-Clause */
/* The built viewer, web/dist/viewer.html, embedded as data. */
        .section .rodata
        .globl fm_viewer_page
        .globl fm_viewer_page_end
        .type fm_viewer_page, @object
fm_viewer_page:
        .incbin FM_VIEWER_PAGE
        .size fm_viewer_page, . - fm_viewer_page
fm_viewer_page_end:
        .byte 0
        .section .note.GNU-stack, "", @progbits
