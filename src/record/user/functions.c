#include "record/user/functions.h"

const struct fm_user_functions fm_user_functions = {
    .define_region = fm_user_define_region,
    .begin_region = fm_user_begin_region,
    .end_region = fm_user_end_region,
    .end_region_named = fm_user_end_region_named,
};
