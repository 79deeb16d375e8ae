// SPDX-License-Identifier: GPL-2.0-only
#include "formats/otlp_places.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/protobuf.h"
#include "formats/otlp_dictionary.h"
#include "profile/profile.h"

#define MAPPING_BYTES (1ULL << 32) /* offsets of machine code have 32 bits */

static __u32 *new_indices(const struct profile *p, enum profile_kind kind)
{
	return calloc((size_t)profile_count(p, kind) + 1, sizeof(__u32));
}

int otlp_places_open(struct otlp_places *places, const struct profile *p, struct otlp_dictionary *d)
{
	*places = (struct otlp_places){
		.profile = p,
		.dictionary = d,
		.mappings = new_indices(p, PROFILE_MAPPING),
		.functions = new_indices(p, PROFILE_FUNCTION),
		.locations = new_indices(p, PROFILE_LOCATION),
	};
	return places->mappings && places->functions && places->locations ? 0 : -ENOMEM;
}

void otlp_places_close(struct otlp_places *places)
{
	free(places->mappings);
	free(places->functions);
	free(places->locations);
	buf_free(&places->stack);
}

/* A field that is the index of a string of the profile. */
static int add_string(struct otlp_places *places, struct buf *b, unsigned int field, __u32 id)
{
	__u32 index;
	int err = otlp_dictionary_string(places->dictionary, profile_get_string(places->profile, id), &index);

	return err ?: protobuf_add_number(b, field, index);
}

static int add_indices(struct buf *b, unsigned int field, __u32 index)
{
	_cleanup_buf_ struct buf packed = {};
	int err = protobuf_add_varint(&packed, index);

	return err ?: protobuf_add_bytes(b, field, packed.data, packed.size);
}

/* --- mappings ------------------------------------------------------------------------------------------- */

/* 40 digits of SHA-1 are what linkers write, and so are others of their own length. */
static int add_build_id(struct otlp_places *places, struct buf *b, __u32 id)
{
	__u32 index;
	int err;

	if (!id)
		return 0;
	err = otlp_dictionary_text_attribute(places->dictionary, "process.executable.build_id.gnu",
					     profile_get_string(places->profile, id), &index);
	return err ?: add_indices(b, OTLP_MAPPING_ATTRIBUTE_INDICES, index);
}

/*
 * Addresses are those of the file, or offsets in it where these are not known. So it is as if it were mapped
 * there as a whole.
 */
static int add_mapping(struct otlp_places *places, __u32 id, __u32 *ret)
{
	const struct profile_mapping *m = profile_get_mapping(places->profile, id);
	_cleanup_buf_ struct buf b = {};
	int err = 0;

	if (m->is_native)
		err = protobuf_add_number(&b, OTLP_MAPPING_MEMORY_START, m->shift) ?:
		      protobuf_add_number(&b, OTLP_MAPPING_MEMORY_LIMIT, m->shift + MAPPING_BYTES);
	err = err ?: add_string(places, &b, OTLP_MAPPING_FILENAME, m->file);
	err = err ?: add_build_id(places, &b, m->build_id);
	return err ?: otlp_dictionary_add(places->dictionary, OTLP_MAPPING, &b, ret);
}

/* --- functions ------------------------------------------------------------------------------------------ */

static int add_function(struct otlp_places *places, __u32 id, __u32 *ret)
{
	const struct profile_function *f = profile_get_function(places->profile, id);
	_cleanup_buf_ struct buf b = {};
	__u32 unnamed;
	int err;

	if (f->name || f->file) {
		err = add_string(places, &b, OTLP_FUNCTION_NAME, f->name) ?:
		      add_string(places, &b, OTLP_FUNCTION_FILENAME, f->file);
	} else { /* it has to have one of them */
		err = otlp_dictionary_string(places->dictionary, "?", &unnamed);
		err = err ?: protobuf_add_number(&b, OTLP_FUNCTION_NAME, unnamed);
	}
	err = err ?: protobuf_add_number(&b, OTLP_FUNCTION_START_LINE, f->start_line);
	return err ?: otlp_dictionary_add(places->dictionary, OTLP_FUNCTION, &b, ret);
}

/* --- locations ------------------------------------------------------------------------------------------ */

/* The index of a record, which is added to the dictionary if it is not there yet. */
static int find(struct otlp_places *places, __u32 *indices, __u32 id,
		int (*add)(struct otlp_places *places, __u32 id, __u32 *ret), __u32 *ret)
{
	int err = indices[id] ? 0 : add(places, id, &indices[id]);

	if (!err)
		*ret = indices[id];
	return err;
}

/* By OpenTelemetry's list; what stands for something that is not known is of no type. */
static const char *frame_type(enum frame_kind kind)
{
	switch (kind) {
	case FRAME_PYTHON:
		return "cpython";
	case FRAME_NATIVE:
		return "native";
	case FRAME_SYSCALL:
	case FRAME_KERNEL:
		return "kernel";
	case FRAME_UNPLACED:
	case FRAME_WAIT:
	case FRAME_C_THREAD:
	case FRAME_MARKER:
	case FRAME_KINDS:
		break;
	}
	return NULL;
}

static int add_frame_type(struct otlp_places *places, struct buf *b, __u32 function)
{
	const char *type = frame_type(profile_get_function(places->profile, function)->kind);
	__u32 index;
	int err;

	if (!type)
		return 0;
	err = otlp_dictionary_text_attribute(places->dictionary, "profile.frame.type", type, &index);
	return err ?: add_indices(b, OTLP_LOCATION_ATTRIBUTE_INDICES, index);
}

static int add_otlp_line(struct otlp_places *places, struct buf *b, const struct profile_location *l)
{
	_cleanup_buf_ struct buf line = {};
	__u32 function;
	int err = find(places, places->functions, l->function, add_function, &function);

	err = err ?: protobuf_add_number(&line, OTLP_LINE_FUNCTION_INDEX, function);
	err = err ?: protobuf_add_number(&line, OTLP_LINE_LINE, l->line);
	err = err ?: protobuf_add_number(&line, OTLP_LINE_COLUMN, l->column);
	return err ?: protobuf_add_bytes(b, OTLP_LOCATION_LINES, line.data, line.size);
}

/* Functions that were inlined, innermost first, and the one that holds them; which was there first. */
static int add_otlp_lines(struct otlp_places *places, struct buf *b, __u32 id)
{
	int err = 0;

	while (!err && id) {
		const struct profile_location *l = profile_get_location(places->profile, id);

		err = add_otlp_line(places, b, l);
		id = l->around;
	}
	return err;
}

/* Whether readers are to find the names of what is in this file. */
static bool is_bare(const struct otlp_places *places, const struct profile_mapping *m)
{
	return profile_get_info(places->profile)->bare_natives && m && m->is_even && m->build_id;
}

static int add_otlp_location(struct otlp_places *places, __u32 id, __u32 *ret)
{
	const struct profile_location *l = profile_get_location(places->profile, id);
	const struct profile_mapping *m =
		l->mapping ? profile_get_mapping(places->profile, l->mapping) : NULL;
	_cleanup_buf_ struct buf b = {};
	__u32 mapping = 0;
	int err = m ? find(places, places->mappings, l->mapping, add_mapping, &mapping) : 0;

	err = err ?: protobuf_add_number(&b, OTLP_LOCATION_MAPPING_INDEX, mapping);
	if (!err && m && l->offset)
		err = protobuf_add_number(&b, OTLP_LOCATION_ADDRESS, m->shift + l->offset);
	if (!err && !is_bare(places, m))
		err = add_otlp_lines(places, &b, id);
	err = err ?: add_frame_type(places, &b, l->function);
	return err ?: otlp_dictionary_add(places->dictionary, OTLP_LOCATION, &b, ret);
}

int otlp_places_stack(struct otlp_places *places, const struct profile_stack *stack, __u32 *ret_index)
{
	_cleanup_buf_ struct buf message = {};
	int err = 0;

	buf_clear(&places->stack);
	for (__u32 i = 0, around = 0; !err && i < stack->n; i++) {
		const __u32 id = stack->locations[i];
		__u32 index;

		if (id != around) { /* else it is a line of the one before */
			err = find(places, places->locations, id, add_otlp_location, &index);
			err = err ?: protobuf_add_varint(&places->stack, index);
		}
		around = profile_get_location(places->profile, id)->around;
	}
	err = err ?: protobuf_add_bytes(&message, OTLP_STACK_LOCATION_INDICES, places->stack.data,
					places->stack.size);
	return err ?: otlp_dictionary_add(places->dictionary, OTLP_STACK, &message, ret_index);
}
