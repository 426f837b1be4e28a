/* SPDX-License-Identifier: BSD-3-Clause */
#include "message.h"

char message_out[LARGE_MESSAGE];
char message_in[LARGE_MESSAGE];
