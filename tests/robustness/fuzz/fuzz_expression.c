/* SPDX-License-Identifier: BSD-3-Clause */
/* Whatever a definition says: it is refused with a reason, or has a finite value. */
#include "cube/derived/expression.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct fm_expression *expression = NULL;
    struct fm_error error = {.message = ""};
    memcpy(text, data, size);
    text[size] = '\0';
    if (fm_expression_parse(text, &expression, &error) == FM_OK) {
        double values[FM_EXPRESSION_STEPS];
        for (unsigned i = 0; i < FM_EXPRESSION_STEPS; i++)
            values[i] = i % 3 == 0 ? 0 : 1e300 * ((double)i - 100);
        if (!isfinite(fm_expression_value(expression, values)))
            abort();
        fm_expression_free(expression);
    } else if (error.message[0] == '\0') {
        abort();
    }
    free(text);
    return 0;
}
