#include "export/report/json_fields.h"

#include "base/text.h"

#include <math.h>

void fm_json_text(FILE *stream, const char *key, const char *text)
{
    fprintf(stream, "\"%s\":", key);
    fm_text_write_json(stream, text);
}

void fm_json_index(FILE *stream, const char *key, uint32_t index)
{
    if (index == FM_CUBE_NONE)
        fprintf(stream, "\"%s\":null", key);
    else
        fprintf(stream, "\"%s\":%u", key, index);
}

void fm_json_number(FILE *stream, const char *key, double value)
{
    char number[FM_TEXT_NUMBER];
    fprintf(stream, "\"%s\":%s", key, isnan(value) ? "null" : fm_text_shortest(number, value));
}

void fm_json_seconds(FILE *stream, const char *key, const struct fm_cube *cube, uint64_t ticks)
{
    fm_json_number(stream, key, (double)ticks / (double)cube->experiment.ticks_per_second);
}

void fm_json_integer(FILE *stream, const char *key, uint64_t value)
{
    fprintf(stream, "\"%s\":%llu", key, (unsigned long long)value);
}

void fm_json_put_options(FILE *stream, const struct fm_cube *cube)
{
    fprintf(stream, " \"options\":{\"critical_path\":\"%s\",\"partitions\":[",
            cube->path_from_init_to_finalize ? "init-finalize" : "run");
    for (uint32_t p = 0; p < cube->partition_count; p++) {
        const char *separator = "";
        fputs(p == 0 ? "\n  {" : ",\n  {", stream);
        fm_json_text(stream, "name", cube->partition_names[p]);
        fputs(",\"locations\":[", stream);
        for (uint32_t l = 0; l < cube->location_count; l++) {
            if (cube->partition_of[l] == p) {
                fprintf(stream, "%s%u", separator, l);
                separator = ",";
            }
        }
        fputs("]}", stream);
    }
    fputs("]}", stream);
}
