/* SPDX-License-Identifier: BSD-3-Clause */
#include "import/cubex/cubex_model.h"

#include "base/containers/map.h"

#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the text of an element, or its child, belongs to. */
enum owner { OF_NOTHING, OF_METRIC, OF_REGION, OF_NODE, OF_GROUP, OF_LOCATION };

struct reader {
    XML_Parser parser;
    struct fm_cubex_model *model;
    const char *problem; /* NULL: none so far */
    FM_VECTOR(char) text;
    enum owner owner;
    uint32_t metric, callpath; /* the open ones; FM_CUBEX_NONE: none */
    FM_VECTOR(char *) nodes;   /* names of the open nodes of the system */
    char *node_class;          /* of the innermost one */
    int64_t group_rank;
    bool is_metric_group, is_stream_group;
    size_t group_first; /* location of the open group */
};

static char *copy(const char *text)
{
    return fm_copy_string(text != NULL ? text : "");
}

/* @return the attribute, NULL: it is not there */
static const char *attribute(const char **attributes, const char *name)
{
    for (; attributes[0] != NULL; attributes += 2) {
        if (strcmp(attributes[0], name) == 0) {
            return attributes[1];
        }
    }
    return NULL;
}

static int64_t number_of(struct reader *reader, const char *text, int64_t otherwise)
{
    char *end;
    if (text == NULL || text[0] == '\0') {
        return otherwise;
    }
    const long long value = strtoll(text, &end, 10);
    if (*end != '\0') {
        reader->problem = "a number is none";
    }
    return value;
}

static uint32_t id_of(struct reader *reader, const char **attributes, const char *name)
{
    const int64_t value = number_of(reader, attribute(attributes, name), -1);
    if (value < 0 || value >= FM_CUBEX_NONE) {
        reader->problem = "a definition has no number";
        return 0;
    }
    return (uint32_t)value;
}

/* ---- begins of elements ---- */

static void begin_metric(struct reader *reader, const char **attributes)
{
    const char *type = attribute(attributes, "type");
    type = type != NULL ? type : "INCLUSIVE";
    const struct fm_cubex_metric metric = {
        .id = id_of(reader, attributes, "id"),
        .parent = reader->metric,
        .type = strcmp(type, "INCLUSIVE") == 0   ? FM_CUBEX_INCLUSIVE
                : strcmp(type, "EXCLUSIVE") == 0 ? FM_CUBEX_EXCLUSIVE
                                                 : FM_CUBEX_DERIVED,
        .unique_name = copy(""),
        .title = copy(""),
        .data_type = copy(""),
        .unit = copy(""),
        .description = copy(""),
    };
    reader->metric = (uint32_t)reader->model->metrics.count;
    reader->owner = OF_METRIC;
    fm_vector_push(&reader->model->metrics, metric);
}

static void begin_region(struct reader *reader, const char **attributes)
{
    const struct fm_cubex_region region = {
        .id = id_of(reader, attributes, "id"),
        .line = number_of(reader, attribute(attributes, "begin"), -1),
        .name = copy(""),
        .file = copy(attribute(attributes, "mod")),
        .paradigm = copy("user"),
    };
    reader->owner = OF_REGION;
    fm_vector_push(&reader->model->regions, region);
}

static void begin_callpath(struct reader *reader, const char **attributes)
{
    const struct fm_cubex_callpath callpath = {
        .parent = reader->callpath,
        .region = id_of(reader, attributes, "calleeId"),
        .parameter = copy(""),
    };
    reader->callpath = (uint32_t)reader->model->callpaths.count;
    fm_vector_push(&reader->model->callpaths, callpath);
}

static void begin_parameter(struct reader *reader, const char **attributes)
{
    const char *key = attribute(attributes, "parkey"), *value = attribute(attributes, "parvalue");
    if (reader->callpath == FM_CUBEX_NONE || key == NULL || value == NULL) {
        reader->problem = "a parameter belongs to no call path";
        return;
    }
    struct fm_cubex_callpath *callpath = &reader->model->callpaths.items[reader->callpath];
    char *text = NULL;
    if (asprintf(&text, "%s%s%s=%s", callpath->parameter, callpath->parameter[0] != '\0' ? "," : "",
                 key, value) < 0) {
        fm_memory_exhausted();
    }
    fm_free(callpath->parameter);
    callpath->parameter = copy(text);
    free(text);
}

static void begin_location(struct reader *reader, const char **attributes)
{
    const struct fm_cubex_location location = {
        .id = id_of(reader, attributes, "Id"),
        .is_metric = reader->is_metric_group,
        .is_stream = reader->is_stream_group,
        .node = copy(reader->nodes.count != 0 ? reader->nodes.items[reader->nodes.count - 1] : ""),
        .name = copy(""),
    };
    reader->owner = OF_LOCATION;
    fm_vector_push(&reader->model->locations, location);
}

static void begin(void *context, const char *name, const char **attributes)
{
    struct reader *reader = context;
    reader->text.count = 0;
    if (strcmp(name, "metric") == 0) {
        begin_metric(reader, attributes);
    } else if (strcmp(name, "region") == 0) {
        begin_region(reader, attributes);
    } else if (strcmp(name, "cnode") == 0) {
        begin_callpath(reader, attributes);
    } else if (strcmp(name, "parameter") == 0) {
        begin_parameter(reader, attributes);
    } else if (strcmp(name, "systemtreenode") == 0) {
        reader->owner = OF_NODE;
        fm_vector_push(&reader->nodes, copy(""));
    } else if (strcmp(name, "locationgroup") == 0) {
        reader->owner = OF_GROUP;
        reader->group_rank = 0;
        reader->is_metric_group = reader->is_stream_group = false;
        reader->group_first = reader->model->locations.count;
    } else if (strcmp(name, "location") == 0) {
        begin_location(reader, attributes);
    } else if (strcmp(name, "attr") == 0 && reader->owner == OF_NOTHING) {
        const char *key = attribute(attributes, "key"), *value = attribute(attributes, "value");
        if (key != NULL && value != NULL && strcmp(key, "Creator") == 0) {
            fm_free(reader->model->creator);
            reader->model->creator = copy(value);
        }
    }
}

/* ---- ends of elements ---- */

static void set(struct reader *reader, char **field)
{
    fm_vector_push(&reader->text, '\0');
    fm_free(*field);
    *field = copy(reader->text.items);
}

static void end_of_metric(struct reader *reader, const char *name)
{
    struct fm_cubex_metric *metric = &reader->model->metrics.items[reader->metric];
    if (strcmp(name, "disp_name") == 0) {
        set(reader, &metric->title);
    } else if (strcmp(name, "uniq_name") == 0) {
        set(reader, &metric->unique_name);
    } else if (strcmp(name, "dtype") == 0) {
        set(reader, &metric->data_type);
    } else if (strcmp(name, "uom") == 0) {
        set(reader, &metric->unit);
    } else if (strcmp(name, "descr") == 0) {
        set(reader, &metric->description);
    }
}

static void end_of_region(struct reader *reader, const char *name)
{
    struct fm_cubex_region *region =
        &reader->model->regions.items[reader->model->regions.count - 1];
    if (strcmp(name, "name") == 0) {
        set(reader, &region->name);
    } else if (strcmp(name, "paradigm") == 0) {
        set(reader, &region->paradigm);
    }
}

static void end_of_node(struct reader *reader, const char *name)
{
    if (strcmp(name, "name") == 0) {
        set(reader, &reader->nodes.items[reader->nodes.count - 1]);
    } else if (strcmp(name, "class") == 0) {
        set(reader, &reader->node_class);
        if (strcmp(reader->node_class, "machine") == 0 && reader->model->machine == NULL) {
            reader->model->machine = copy(reader->nodes.items[reader->nodes.count - 1]);
        }
    }
}

static void end_of_group(struct reader *reader, const char *name)
{
    char *text = NULL;
    if (strcmp(name, "rank") == 0 || strcmp(name, "type") == 0) {
        set(reader, &text);
    }
    if (strcmp(name, "rank") == 0) {
        reader->group_rank = number_of(reader, text, 0);
    } else if (strcmp(name, "type") == 0) {
        reader->is_metric_group = strcmp(text, "metrics") == 0;
        reader->is_stream_group = strcmp(text, "accelerator") == 0;
    }
    fm_free(text);
}

static void end_of_location(struct reader *reader, const char *name)
{
    struct fm_cubex_location *location =
        &reader->model->locations.items[reader->model->locations.count - 1];
    char *text = NULL;
    if (strcmp(name, "name") == 0) {
        set(reader, &location->name);
    } else if (strcmp(name, "rank") == 0) {
        set(reader, &text);
        location->thread = number_of(reader, text, 0);
    } else if (strcmp(name, "type") == 0) {
        set(reader, &text);
        location->is_metric |= strncmp(text, "metric", 6) == 0;
        location->is_stream |= strcmp(text, "gpu") == 0 || strncmp(text, "accelerator", 11) == 0;
    }
    fm_free(text);
}

/* Its rank may stand behind its locations. */
static void end_group(struct reader *reader)
{
    for (size_t i = reader->group_first; i < reader->model->locations.count; i++) {
        reader->model->locations.items[i].process = reader->group_rank;
    }
    reader->owner = OF_NODE;
}

static void end(void *context, const char *name)
{
    struct reader *reader = context;
    if (strcmp(name, "metric") == 0) {
        reader->metric = reader->model->metrics.items[reader->metric].parent;
        reader->owner = reader->metric != FM_CUBEX_NONE ? OF_METRIC : OF_NOTHING;
    } else if (strcmp(name, "region") == 0) {
        reader->owner = OF_NOTHING;
    } else if (strcmp(name, "cnode") == 0) {
        struct fm_cubex_callpath *callpath = &reader->model->callpaths.items[reader->callpath];
        callpath->child_end = (uint32_t)reader->model->callpaths.count;
        reader->callpath = callpath->parent;
    } else if (strcmp(name, "systemtreenode") == 0) {
        fm_free(reader->nodes.items[--reader->nodes.count]);
        reader->owner = reader->nodes.count != 0 ? OF_NODE : OF_NOTHING;
    } else if (strcmp(name, "locationgroup") == 0) {
        end_group(reader);
    } else if (strcmp(name, "location") == 0) {
        reader->owner = OF_GROUP;
    } else if (reader->owner == OF_METRIC) {
        end_of_metric(reader, name);
    } else if (reader->owner == OF_REGION) {
        end_of_region(reader, name);
    } else if (reader->owner == OF_NODE) {
        end_of_node(reader, name);
    } else if (reader->owner == OF_GROUP) {
        end_of_group(reader, name);
    } else if (reader->owner == OF_LOCATION) {
        end_of_location(reader, name);
    }
    reader->text.count = 0;
}

static void text_of(void *context, const char *bytes, int count)
{
    struct reader *reader = context;
    fm_vector_reserve(&reader->text, (size_t)count);
    memcpy(reader->text.items + reader->text.count, bytes, (size_t)count);
    reader->text.count += (size_t)count;
}

/* ---- the anchor ---- */

static int compare_locations(const void *left, const void *right)
{
    const struct fm_cubex_location *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* Call paths name their regions by numbers: afterwards by their order. */
static const char *resolve(struct fm_cubex_model *model)
{
    const char *problem = NULL;
    struct fm_map order = {0};
    if (model->metrics.count == 0 || model->callpaths.count == 0 || model->locations.count == 0) {
        return "it has no metrics, call paths or locations";
    }
    for (size_t i = 0; i < model->regions.count; i++) {
        *fm_map_at(&order, model->regions.items[i].id, 0) = (uint32_t)i;
    }
    for (size_t i = 0; i < model->callpaths.count && problem == NULL; i++) {
        const uint32_t region = fm_map_get(&order, model->callpaths.items[i].region);
        problem = region == FM_MAP_ABSENT ? "a call path is of no region" : NULL;
        model->callpaths.items[i].region = region;
    }
    fm_map_free(&order);
    qsort(model->locations.items, model->locations.count, sizeof *model->locations.items,
          compare_locations);
    for (size_t i = 1; i < model->locations.count && problem == NULL; i++) {
        problem = model->locations.items[i].id == model->locations.items[i - 1].id
                      ? "two locations have one number"
                      : NULL;
    }
    return problem;
}

static void free_reader(struct reader *reader)
{
    for (size_t i = 0; i < reader->nodes.count; i++) {
        fm_free(reader->nodes.items[i]);
    }
    fm_vector_free(&reader->nodes);
    fm_vector_free(&reader->text);
    fm_free(reader->node_class);
    XML_ParserFree(reader->parser);
}

fm_status_t fm_cubex_model_read(const char *text, size_t size, const char *name,
                                struct fm_cubex_model *model, struct fm_error *error)
{
    *model = (struct fm_cubex_model){0};
    struct reader reader = {.parser = XML_ParserCreate(NULL),
                            .model = model,
                            .metric = FM_CUBEX_NONE,
                            .callpath = FM_CUBEX_NONE};
    if (reader.parser == NULL) {
        fm_memory_exhausted();
    }
    /* Padding behind the end of the document is no part of it. */
    while (size != 0 && (text[size - 1] == '\0' || text[size - 1] == '\n')) {
        size--;
    }
    XML_SetUserData(reader.parser, &reader);
    XML_SetElementHandler(reader.parser, begin, end);
    XML_SetCharacterDataHandler(reader.parser, text_of);
    fm_status_t status = FM_OK;
    for (size_t done = 0; done < size && status == FM_OK;) {
        const size_t piece = size - done < 1 << 24 ? size - done : 1 << 24;
        if (XML_Parse(reader.parser, text + done, (int)piece, done + piece == size) !=
            XML_STATUS_OK) {
            status = fm_fail(error, FM_ERR_DATA, "%s: anchor.xml, line %lu: %s", name,
                             (unsigned long)XML_GetCurrentLineNumber(reader.parser),
                             XML_ErrorString(XML_GetErrorCode(reader.parser)));
        }
        done += piece;
    }
    const char *problem = reader.problem != NULL ? reader.problem : resolve(model);
    if (status == FM_OK && problem != NULL) {
        status = fm_fail(error, FM_ERR_DATA, "%s: anchor.xml: %s", name, problem);
    }
    free_reader(&reader);
    if (status != FM_OK) {
        fm_cubex_model_free(model);
    }
    return status;
}

void fm_cubex_model_free(struct fm_cubex_model *model)
{
    for (size_t i = 0; i < model->metrics.count; i++) {
        const struct fm_cubex_metric *metric = &model->metrics.items[i];
        fm_free(metric->unique_name);
        fm_free(metric->title);
        fm_free(metric->data_type);
        fm_free(metric->unit);
        fm_free(metric->description);
    }
    for (size_t i = 0; i < model->regions.count; i++) {
        fm_free(model->regions.items[i].name);
        fm_free(model->regions.items[i].file);
        fm_free(model->regions.items[i].paradigm);
    }
    for (size_t i = 0; i < model->callpaths.count; i++) {
        fm_free(model->callpaths.items[i].parameter);
    }
    for (size_t i = 0; i < model->locations.count; i++) {
        fm_free(model->locations.items[i].node);
        fm_free(model->locations.items[i].name);
    }
    fm_vector_free(&model->metrics);
    fm_vector_free(&model->regions);
    fm_vector_free(&model->callpaths);
    fm_vector_free(&model->locations);
    fm_free(model->creator);
    fm_free(model->machine);
    *model = (struct fm_cubex_model){0};
}
