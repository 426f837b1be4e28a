#include "record/user/functions.h"

#include <stdlib.h>
#include <string.h>

const struct fm_user_functions fm_user_functions = {
    .define_region = fm_user_define_region,
    .begin_region = fm_user_begin_region,
    .end_region = fm_user_end_region,
    .end_region_named = fm_user_end_region_named,
    .define_parameter = fm_user_define_parameter,
    .set_parameter = fm_user_set_parameter,
    .set_parameter_text = fm_user_set_parameter_text,
    .define_counter = fm_user_define_counter,
    .count = fm_user_count,
    .count_real = fm_user_count_real,
    .mark = fm_user_mark,
};

char *fm_user_copy(struct fm_text text)
{
    char *copy = malloc(text.length + 1);
    if (copy != NULL) {
        if (text.length != 0) {
            memcpy(copy, text.text, text.length);
        }
        copy[text.length] = '\0';
    }
    return copy;
}
