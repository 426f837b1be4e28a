# SPDX-License-Identifier: BSD-3-Clause
"""Damage to files, as disks, transfers and killed writers do it."""


def damage(content, chooser):
    """Cut off, overwritten in the middle, replaced by noise, or some bits flipped."""
    content = bytearray(content)
    way = chooser.randrange(6)
    if way == 0:
        return bytes(content[:chooser.randrange(len(content))])
    if way == 1:
        begin = chooser.randrange(len(content))
        content[begin:begin + 16] = chooser.randbytes(16)
    elif way == 2:
        return chooser.randbytes(len(content))
    else:
        for _ in range(chooser.choice([1, 1, 2, 20])):
            content[chooser.randrange(len(content))] ^= 1 << chooser.randrange(8)
    return bytes(content)
