// SPDX-License-Identifier: GPL-2.0-only
/*
 * pprof.c - see pprof.h. Two encoded protobuf messages, one behind the other, are their merger: so each
 * record is packed as a Profile that holds nothing else and goes straight to the compressor. The whole
 * profile never exists as protobuf-c structures, which would be several times its size.
 */
#include "profile/pprof.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "profile.pb-c.h"

#define GZIP_WBITS  (MAX_WBITS + 16) /* zlib: +16 asks for gzip's header and trailer */
#define GZIP_MEMORY 8		     /* zlib's default: 256 KiB in all with the window */
#define STEP	    4096	     /* bytes of room offered to the compressor at a time */

/* A sample type: the counts of a kind of event, or the time that they stand for. type and unit are words. */
struct value_type {
	enum event_kind kind;
	bool is_time;
	int64_t type, unit;
};

#define TYPES_MAX (2 * EVENT_KINDS)
#define COMMENTS_MAX 2
#define WORDS_MAX (1 + COMMENTS_MAX + 2 * TYPES_MAX)

#define LINES_MAX 64 /* of a location; far above what a place in machine code has */

#define LABELS_MAX (LABEL_COUNT + PROFILE_EXTRA_MAX)

enum { HAS_LINES = 1, HAS_INLINED = 2 };

struct encoder {
	const struct profile *profile;
	z_stream stream;
	struct buf packed;
	struct buf locations; /* uint64_t[] of the sample at hand */
	struct buf found; /* by mapping, what its locations have: HAS_LINES and HAS_INLINED */
	struct buf *out;
	struct value_type types[TYPES_MAX];
	size_t type_count;
	char comments[COMMENTS_MAX][384]; /* more than four CPUs with the largest numbers take */
	size_t comment_count;
	/*
	 * Words of the sample types, "" first, and the comments, then the keys of labels.def. In the string
	 * table they stand before the profile's own strings; behind those are the names of its extra labels.
	 */
	const char *words[WORDS_MAX];
	int64_t word_count;
};

static int64_t label_index(const struct encoder *e, int label)
{
	return e->word_count + label;
}

/* Index in the encoded string table. */
static int64_t string_index(const struct encoder *e, __u32 id)
{
	return id ? label_index(e, LABEL_COUNT) + id - 1 : 0;
}

static int64_t extra_index(const struct encoder *e, __u32 extra)
{
	return label_index(e, LABEL_COUNT) + profile_count(e->profile, PROFILE_STRING) + extra;
}

/* Where this word is, which is added if it is not there. */
static int64_t word_index(struct encoder *e, const char *word)
{
	int64_t i = 0;

	while (i < e->word_count && strcmp(e->words[i], word))
		i++;
	if (i == e->word_count)
		e->words[e->word_count++] = word;
	return i;
}

static void add_type(struct encoder *e, enum event_kind kind, bool is_time, const char *type,
		     enum event_unit unit)
{
	struct value_type *t = &e->types[e->type_count++];

	*t = (struct value_type){ .kind = kind, .is_time = is_time, .type = word_index(e, type) };
	t->unit = word_index(e, event_unit_name(unit));
}

static void add_types(struct encoder *e)
{
	word_index(e, "");
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		const struct event_row *row = &event_rows[kind];

		if (!(profile_get_info(e->profile)->events & EVENT_BIT(kind)))
			continue;
		add_type(e, kind, false, row->type, row->unit);
		if (*row->period)
			add_type(e, kind, true, row->period, UNIT_NANOSECONDS);
	}
}

static void write_cpus(const struct profile_info *info, char *text, size_t size)
{
	int used = snprintf(text, size, "ticks are missing on some CPUs:");

	for (__u32 i = 0; i < PROFILE_CPUS_MAX && i < info->short_cpu_count; i++) {
		const struct profile_cpu *c = &info->short_cpus[i];

		used += snprintf(text + used, size - used, "%s %llu of %llu came on CPU %u", i ? "," : "",
				 c->came, c->wanted, c->cpu);
	}
	if (info->short_cpu_count > PROFILE_CPUS_MAX)
		snprintf(text + used, size - used, ", and less than should on %u others",
			 info->short_cpu_count - PROFILE_CPUS_MAX);
}

static void add_comments(struct encoder *e)
{
	const struct profile_info *info = profile_get_info(e->profile);

	if (info->ticks_wanted)
		snprintf(e->comments[e->comment_count++], sizeof(e->comments[0]),
			 "%llu of %llu ticks came: times are made up for that, a sample stands for %lld ns",
			 info->ticks_came, info->ticks_wanted, info->period_ns);
	if (info->short_cpu_count)
		write_cpus(info, e->comments[e->comment_count++], sizeof(e->comments[0]));
	for (size_t i = 0; i < e->comment_count; i++)
		word_index(e, e->comments[i]);
}

static int compress_more(struct encoder *e, int flush)
{
	int err, status;

	do {
		err = buf_reserve(e->out, STEP);
		if (err)
			return err;
		e->stream.next_out = (Bytef *)e->out->data + e->out->size;
		e->stream.avail_out = STEP;
		status = deflate(&e->stream, flush);
		if (status == Z_STREAM_ERROR)
			return -EINVAL;
		e->out->size += STEP - e->stream.avail_out;
	} while (!e->stream.avail_out);
	return 0;
}

static int emit(struct encoder *e, const Pyperf__Profile *part)
{
	size_t size = pyperf__profile__get_packed_size(part);
	int err;

	if (size > UINT_MAX)
		return -EINVAL;
	err = buf_reserve(&e->packed, size);
	if (err)
		return err;
	e->stream.next_in = (Bytef *)e->packed.data;
	e->stream.avail_in = pyperf__profile__pack(part, (uint8_t *)e->packed.data);
	return compress_more(e, Z_NO_FLUSH);
}

static int emit_header(struct encoder *e)
{
	const struct profile_info *info = profile_get_info(e->profile);
	Pyperf__ValueType types[TYPES_MAX], *list[TYPES_MAX];
	Pyperf__Profile part = PYPERF__PROFILE__INIT;
	int64_t comments[COMMENTS_MAX];

	for (size_t i = 0; i < e->type_count; i++) {
		const struct value_type *t = &e->types[i];

		pyperf__value_type__init(&types[i]);
		types[i].type = t->type;
		types[i].unit = t->unit;
		list[i] = &types[i];
		if (t->is_time && !part.period_type) {
			part.period_type = &types[i];
			part.period = info->period_ns;
		}
		/* Of the first kind: the time, if it has both. */
		if (t->kind == profile_shown(e->profile))
			part.default_sample_type = t->type;
	}
	part.n_sample_type = e->type_count;
	part.sample_type = list;
	part.time_nanos = info->start_unix_ns;
	part.duration_nanos = info->duration_ns;
	for (size_t i = 0; i < e->comment_count; i++)
		comments[i] = word_index(e, e->comments[i]);
	part.n_comment = e->comment_count;
	part.comment = comments;
	return emit(e, &part);
}

static int emit_string(struct encoder *e, const char *s)
{
	Pyperf__Profile part = PYPERF__PROFILE__INIT;
	char *string = (char *)s;

	part.n_string_table = 1;
	part.string_table = &string;
	return emit(e, &part);
}

/* One that has the name of a label of ours gets a longer one. */
static int emit_extra_name(struct encoder *e, const char *name)
{
	char longer[PROFILE_STRING_MAX];

	for (int i = 0; i < LABEL_COUNT; i++) {
		if (strcmp(label_rows[i].key, name))
			continue;
		snprintf(longer, sizeof(longer), "label_%s", name);
		return emit_string(e, longer);
	}
	return emit_string(e, name);
}

static int emit_strings(struct encoder *e)
{
	const struct profile_info *info = profile_get_info(e->profile);
	__u32 n = profile_count(e->profile, PROFILE_STRING);
	int err = 0;

	for (int64_t i = 0; i < e->word_count && !err; i++)
		err = emit_string(e, e->words[i]);
	for (int i = 0; i < LABEL_COUNT && !err; i++)
		err = emit_string(e, label_rows[i].key);
	for (__u32 id = 1; id <= n && !err; id++)
		err = emit_string(e, profile_get_string(e->profile, id));
	for (__u32 i = 0; i < info->extra_count && !err; i++)
		err = emit_extra_name(e, info->extra[i]);
	return err;
}

/* Whether readers are to find the names of what is in this file. */
static bool is_bare(const struct encoder *e, __u32 id)
{
	const struct profile_mapping *m = id ? profile_get_mapping(e->profile, id) : NULL;

	return profile_get_info(e->profile)->bare_natives && m && m->is_even && m->build_id;
}

/*
 * Addresses are offsets in the file from here on. They are made up: the upper half is the mapping's id.
 * Readers merge mappings that touch or are empty, so these do not. Where readers are to find the names they
 * are addresses of the file, as if it were loaded there.
 */
static uint64_t mapping_start(const struct encoder *e, __u32 id)
{
	return is_bare(e, id) ? profile_get_mapping(e->profile, id)->shift : (uint64_t)id << 33;
}

/* Which mappings have lines of source, and functions that were put into others. */
static int find_lines(struct encoder *e)
{
	const size_t size = profile_count(e->profile, PROFILE_MAPPING) + 1;
	int err = buf_reserve(&e->found, size);

	if (err)
		return err;
	memset(e->found.data, 0, size);
	for (__u32 id = 1; id <= profile_count(e->profile, PROFILE_LOCATION); id++) {
		const struct profile_location *l = profile_get_location(e->profile, id);

		e->found.data[l->mapping] |= (l->line ? HAS_LINES : 0) | (l->around ? HAS_INLINED : 0);
	}
	return 0;
}

static int emit_mapping(struct encoder *e, __u32 id)
{
	const struct profile_mapping *m = profile_get_mapping(e->profile, id);
	Pyperf__Mapping mapping = PYPERF__MAPPING__INIT, *list = &mapping;
	Pyperf__Profile part = PYPERF__PROFILE__INIT;

	mapping.id = id;
	mapping.memory_start = mapping_start(e, id);
	mapping.memory_limit = mapping.memory_start + (1ULL << 32);
	mapping.filename = string_index(e, m->file);
	mapping.build_id = string_index(e, m->build_id);
	/*
	 * With one of them set pprof leaves the mapping alone. Otherwise it looks for the binary, and takes
	 * the nearest symbol for the name of what has none.
	 */
	mapping.has_functions = !is_bare(e, id);
	mapping.has_filenames = mapping.has_line_numbers =
		!m->is_native || (mapping.has_functions && e->found.data[id] & HAS_LINES);
	mapping.has_inline_frames = mapping.has_functions && e->found.data[id] & HAS_INLINED;
	part.n_mapping = 1;
	part.mapping = &list;
	return emit(e, &part);
}

/*
 * system_name stays empty. When it equals the name, `go tool pprof` takes "<module>" or "<lambda>" for C++
 * template arguments and strips it to nothing (internal/symbolizer, demangleSingleFunction).
 */
static int emit_function(struct encoder *e, __u32 id)
{
	const struct profile_function *f = profile_get_function(e->profile, id);
	Pyperf__Function function = PYPERF__FUNCTION__INIT, *list = &function;
	Pyperf__Profile part = PYPERF__PROFILE__INIT;

	function.id = id;
	function.name = string_index(e, f->name);
	function.filename = string_index(e, f->file);
	function.start_line = f->start_line;
	part.n_function = 1;
	part.function = &list;
	return emit(e, &part);
}

/* Functions that were inlined, innermost first, and the one that holds them. Returns how many. */
static size_t location_lines(const struct encoder *e, __u32 id, Pyperf__Line lines[LINES_MAX])
{
	size_t n = 0;

	for (const struct profile_location *l; id && n < LINES_MAX; id = l->around) {
		l = profile_get_location(e->profile, id);
		pyperf__line__init(&lines[n]);
		lines[n].function_id = l->function;
		lines[n].line = l->line;
		lines[n].column = l->column;
		n++;
	}
	return n;
}

static int emit_location(struct encoder *e, __u32 id)
{
	const struct profile_location *l = profile_get_location(e->profile, id);
	Pyperf__Line lines[LINES_MAX], *line_list[LINES_MAX];
	Pyperf__Location location = PYPERF__LOCATION__INIT, *list = &location;
	Pyperf__Profile part = PYPERF__PROFILE__INIT;

	location.id = id;
	location.mapping_id = l->mapping;
	if (l->offset)
		location.address = mapping_start(e, l->mapping) + l->offset;
	if (!is_bare(e, l->mapping))
		location.n_line = location_lines(e, id, lines);
	for (size_t i = 0; i < location.n_line; i++)
		line_list[i] = &lines[i];
	location.line = line_list;
	part.n_location = 1;
	part.location = &list;
	return emit(e, &part);
}

static size_t extra_labels(const struct encoder *e, const struct profile_owner *o,
			   Pyperf__Label labels[PROFILE_EXTRA_MAX])
{
	__u32 count = profile_get_info(e->profile)->extra_count;
	size_t n = 0;

	for (__u32 i = 0; i < count; i++) {
		if (!o->extra[i])
			continue;
		pyperf__label__init(&labels[n]);
		labels[n].key = extra_index(e, i);
		labels[n].str = string_index(e, o->extra[i]);
		n++;
	}
	return n;
}

/* Labels of an owner, without those it does not have. Returns their number. */
static size_t owner_labels(const struct encoder *e, const struct profile_owner *o,
			   Pyperf__Label labels[LABELS_MAX])
{
	size_t n = 0;

	for (int i = 0; i < LABEL_COUNT; i++) {
		if (!o->label[i])
			continue;
		pyperf__label__init(&labels[n]);
		labels[n].key = label_index(e, i);
		if (label_rows[i].is_text)
			labels[n].str = string_index(e, o->label[i]);
		else
			labels[n].num = o->label[i];
		n++;
	}
	return n + extra_labels(e, o, labels + n);
}

static int64_t clamp(__u64 value)
{
	return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static int64_t value_of(const struct encoder *e, const struct value_type *t,
			const struct profile_stack *stack)
{
	const __u64 period_ns = profile_get_info(e->profile)->period_ns;
	__u64 value = stack->counts[t->kind];

	if (t->is_time && __builtin_mul_overflow(value, period_ns, &value))
		return INT64_MAX;
	return clamp(value);
}

static int emit_sample(struct encoder *e, __u32 id)
{
	struct profile_stack stack = profile_get_sample(e->profile, id);
	int64_t values[TYPES_MAX];
	Pyperf__Label labels[LABELS_MAX], *label_list[LABELS_MAX];
	Pyperf__Sample sample = PYPERF__SAMPLE__INIT, *list = &sample;
	Pyperf__Profile part = PYPERF__PROFILE__INIT;
	uint64_t *locations;
	int err;

	buf_clear(&e->locations);
	err = buf_reserve(&e->locations, stack.n * sizeof(*locations));
	if (err)
		return err;
	locations = (uint64_t *)e->locations.data;
	for (__u32 i = 0, around = 0; i < stack.n; i++) {
		if (stack.locations[i] != around) /* it is a line of the one before */
			locations[sample.n_location_id++] = stack.locations[i];
		around = profile_get_location(e->profile, stack.locations[i])->around;
	}
	sample.location_id = locations;
	for (size_t i = 0; i < e->type_count; i++)
		values[i] = value_of(e, &e->types[i], &stack);
	sample.n_value = e->type_count;
	sample.value = values;
	sample.n_label = owner_labels(e, profile_get_owner(e->profile, stack.owner), labels);
	for (size_t i = 0; i < sample.n_label; i++)
		label_list[i] = &labels[i];
	sample.label = label_list;
	part.n_sample = 1;
	part.sample = &list;
	return emit(e, &part);
}

static int emit_all(struct encoder *e, enum profile_kind kind, int (*emit_one)(struct encoder *, __u32))
{
	__u32 n = profile_count(e->profile, kind);
	int err = 0;

	for (__u32 id = 1; id <= n && !err; id++)
		err = emit_one(e, id);
	return err;
}

static int emit_profile(struct encoder *e)
{
	int err = find_lines(e) ?: emit_header(e);

	if (!err)
		err = emit_all(e, PROFILE_SAMPLE, emit_sample);
	if (!err)
		err = emit_all(e, PROFILE_MAPPING, emit_mapping);
	if (!err)
		err = emit_all(e, PROFILE_LOCATION, emit_location);
	if (!err)
		err = emit_all(e, PROFILE_FUNCTION, emit_function);
	if (!err)
		err = emit_strings(e);
	if (err)
		return err;
	e->stream.avail_in = 0;
	return compress_more(e, Z_FINISH);
}

int pprof_encode(const struct profile *p, struct buf *out)
{
	struct encoder e = { .profile = p, .out = out };
	size_t start = out->size;
	int err;

	/* It can fail by lack of memory only: the other arguments are constants. */
	if (deflateInit2(&e.stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WBITS, GZIP_MEMORY,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	add_types(&e);
	add_comments(&e);
	err = emit_profile(&e);
	deflateEnd(&e.stream);
	buf_free(&e.packed);
	buf_free(&e.locations);
	buf_free(&e.found);
	if (err)
		out->size = start;
	return err;
}
