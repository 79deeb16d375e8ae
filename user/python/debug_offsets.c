// SPDX-License-Identifier: GPL-2.0-only
/*
 * debug_offsets.c - validates a _Py_DebugOffsets word by word against the known version's list of words:
 * inside the structure's reported size, aligned, apart from each other, and where no build option can move a
 * field, equal to ours. A release newer than those we know may have moved it: then the live process has to
 * prove the layout.
 */
#include "python/debug_offsets.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "python/layout.h"

#define STRUCT_MAX    (16 << 20) /* bytes; the largest structure, _PyRuntimeState, has 0.5 MiB */
/* bytes of an object's header that the sampler can read (bpf/python/code.h, bpf/python/capture.h) */
#define HEADER_MAX    256

/*
 * Bytes by which options of the build and the sizes of the C library's mutexes move a field: some 400 at
 * most.
 */
#define OPTIONS_MOVE 2048

static const char cut_short[] = "debug offsets: cut short";
static const char too_far[] = "debug offsets: fields lie further apart than can be read";

struct offsets_header {
	char cookie[8];
	__u64 version;
	__u64 free_threaded;
};

static __u64 offset_at(const void *bytes, size_t index)
{
	__u64 value;

	memcpy(&value, (const char *)bytes + sizeof(struct offsets_header) + index * sizeof(value),
	       sizeof(value));
	return value;
}

/* Host and target are the same machine, both little-endian. */
static __u64 member_read(const struct layout *layout, const struct word *word)
{
	__u64 value = 0;

	memcpy(&value, (const char *)layout + word->target, word->target_width);
	return value;
}

static void member_write(struct layout *layout, const struct word *word, __u64 value)
{
	memcpy((char *)layout + word->target, &value, word->target_width);
}

static bool word_fits(const struct word *word, __u64 value, __u64 size)
{
	__u64 width = word->width ? word->width : 1;

	return value < STRUCT_MAX && value + width <= size && value % width == 0;
}

/* The words of the table while they are checked. */
struct offsets_check {
	const struct cpython *cpython;
	const struct layout *known;
	const void *bytes;
	bool newer;   /* than what is known of */
	size_t first; /* word of the structure */
	__u64 size;   /* of the structure */
	__u64 gil;
	__u64 gc, gc_frame; /* the collector's structure, and frame inside it; 0 = not in this table */
	const struct word *unusual; /* the first word that differs from ours where it may */
	struct layout layout;
};

static bool is_used(const struct offsets_check *check, const struct word *word)
{
	return word->target_width && (!word->threaded || check->known->free_threaded);
}

/* Whether a word shares bytes with an earlier one of the same structure that is used too. */
static bool overlaps(const struct offsets_check *check, size_t index)
{
	const struct word *words = check->cpython->words;
	__u64 value = offset_at(check->bytes, index), other;

	for (size_t i = check->first; i < index; i++) {
		other = offset_at(check->bytes, i);
		if (is_used(check, &words[i]) && value < other + words[i].width &&
		    other < value + words[index].width)
			return true;
	}
	return false;
}

/* Accepts a value other than ours if it is possible. */
static bool take(struct offsets_check *check, const struct word *word, __u64 value)
{
	__u64 ours = member_read(check->known, word);

	if ((!value && ours) || value >> 8 * word->target_width)
		return false;
	if (!check->newer && (value > ours + OPTIONS_MOVE || value + OPTIONS_MOVE < ours))
		return false;
	if (value != ours && !check->unusual)
		check->unusual = word;
	member_write(&check->layout, word, value);
	return true;
}

static bool check_word(struct offsets_check *check, size_t index)
{
	const struct word *word = &check->cpython->words[index];
	__u64 value = offset_at(check->bytes, index);

	if (word->threaded && !check->known->free_threaded)
		return !value;
	switch (word->use) {
	case WORD_SIZE:
		check->first = index;
		check->size = value;
		return value && value <= STRUCT_MAX;
	case WORD_ANY:
		return value <= STRUCT_MAX;
	case WORD_FIXED:
		if (!check->newer && value != member_read(check->known, word))
			return false;
		/* fall through */
	case WORD_FREE:
		return word_fits(word, value, check->size) && !overlaps(check, index) &&
		       take(check, word, value);
	case WORD_GIL:
		check->gil = value;
		return value && word_fits(word, value, check->size);
	case WORD_GC:
		check->gc = value;
		return word_fits(word, value, check->size);
	case WORD_GC_FRAME:
		check->gc_frame = value;
		return word_fits(word, value, check->size);
	case WORD_HOLDER:
		return word_fits(word, value, check->size) && value == check->gil + check->known->gil_holder;
	default:
		return word_fits(word, value, check->size);
	}
}

static __u64 last_end(const __u16 *offsets, size_t count)
{
	__u64 max = 0;

	for (size_t i = 0; i < count; i++)
		max = offsets[i] > max ? offsets[i] : max;
	return max + sizeof(__u64);
}

static __u64 thread_end(const struct layout *l)
{
	const __u16 thread[] = { l->tstate_next,      l->tstate_interp, l->tstate_frame, l->tstate_base_frame,
				 l->tstate_thread_id, l->tstate_chunk,  l->tstate_status,
				 l->tstate_exception };

	return (last_end(thread, ARRAY_SIZE(thread)) + 7) / 8 * 8;
}

/* Whether the fields of each structure are close enough for the sampler to read them at once. */
static bool within_reach(const struct layout *l)
{
	const __u16 frame[] = { l->frame_code, l->frame_previous, l->frame_instr };
	const __u16 code[] = { l->code_filename,  l->code_name,	      l->code_qualname,
			       l->code_linetable, l->code_first_line, l->code_tlbc };

	return last_end(frame, ARRAY_SIZE(frame)) <= FRAME_READ && l->frame_owner < FRAME_READ &&
	       thread_end(l) <= TSTATE_READ && l->code_size <= HEADER_MAX &&
	       last_end(code, ARRAY_SIZE(code)) <= l->code_size && l->str_ascii <= HEADER_MAX &&
	       l->str_state + sizeof(__u32) <= l->str_ascii && l->str_length + sizeof(__u64) <= l->str_ascii;
}

/*
 * Sets what follows from where the fields are now. What else the table lacks stays as it is known for the
 * version. But once the code object has changed, co_version is not used, nor a count that it would have to
 * prove.
 */
static void follow(struct layout *l, const struct layout *known)
{
	l->tstate_exception = 0; /* not in the table before 3.15 */
	l->tstate_size = thread_end(l);
	l->code_size = l->code_bytecode;
	l->code_count = l->code_tlbc ? l->bytes_size : 0; /* both are PyVarObject.ob_size */
	if (l->code_bytecode != known->code_bytecode || l->code_first_line != known->code_first_line ||
	    l->code_filename != known->code_filename)
		l->code_version = 0;
	if (!l->code_version && l->epoch_size == sizeof(__u32))
		l->epoch_size = l->interp_epoch = 0;
	if (l->str_compact == known->str_compact) /* not in the table before 3.15 */
		l->str_compact = l->str_ascii + known->str_compact - known->str_ascii;
	l->str_data = l->str_compact;
}

/* The offset of the interpreter's gc.frame, if one read can get it and the code epoch, which is behind it. */
static __u32 gc_frame_of(const struct offsets_check *check)
{
	const __u64 frame = check->gc + check->gc_frame, epoch = check->layout.interp_epoch;

	if (!check->gc || !check->gc_frame || frame >= epoch || epoch + sizeof(__u64) - frame > INTERP_READ)
		return 0;
	return frame;
}

static bool check_words(struct offsets_check *check, const char **ret_reason)
{
	for (size_t i = 0; i < check->cpython->word_count; i++) {
		if (!check_word(check, i)) {
			*ret_reason = check->cpython->words[i].bad;
			return false;
		}
	}
	return true;
}

static int check_header(const struct offsets_header *header, struct offsets_check *ret,
			const char **ret_reason)
{
	const struct cpython *cpython;
	const struct layout *known;

	if (memcmp(header->cookie, "xdebugpy", sizeof(header->cookie))) {
		*ret_reason = "no debug offsets at _PyRuntime";
		return -EBADMSG;
	}
	if (header->version > 0xffffffff || header->free_threaded > 1) {
		*ret_reason = "debug offsets: bad version";
		return -EINVAL;
	}
	cpython = layout_model(header->version);
	known = cpython ? layout_of_build(cpython, header->free_threaded) : NULL;
	if (!known || !layout_is_released(header->version)) {
		*ret_reason = layout_refusal(header->version, header->free_threaded);
		return -ENOTSUP;
	}
	ret->cpython = cpython;
	ret->known = known;
	ret->newer = header->version > cpython->newest;
	return 0;
}

int debug_offsets_parse(const void *bytes, size_t len, struct layout *ret, const char **ret_reason)
{
	struct offsets_check check = { .bytes = bytes };
	struct offsets_header header;
	int err;

	*ret_reason = cut_short;
	if (len < sizeof(header))
		return -EBADMSG;
	memcpy(&header, bytes, sizeof(header));
	err = check_header(&header, &check, ret_reason);
	if (err)
		return err;
	if (len < sizeof(header) + check.cpython->word_count * sizeof(__u64))
		return -EINVAL;
	memcpy(&check.layout, check.known, sizeof(check.layout));
	if (!check_words(&check, ret_reason))
		return -EINVAL;
	if (check.newer)
		follow(&check.layout, check.known);
	check.layout.interp_gc_frame = gc_frame_of(&check);
	*ret_reason = too_far;
	if (!within_reach(&check.layout))
		return -EINVAL;
	/*
	 * The table does not have the offset of the key. Ours holds only if the runtime looks as it usually
	 * does.
	 */
	if (check.layout.runtime_interpreters != check.known->runtime_interpreters)
		check.layout.runtime_tss_key = 0;
	check.layout.version = header.version;
	*ret = check.layout;
	*ret_reason = check.unusual ? check.unusual->unusual : NULL;
	return 0;
}

int debug_offsets_objects(const void *bytes, size_t len, const struct layout *layout,
			  struct object_offsets *ret)
{
	const struct cpython *cpython = layout_model(layout->version);
	struct object_offsets objects = { 0 };
	struct offsets_header header;
	__u64 size = 0;

	if (!cpython || cpython->tasks.interp_modules || !cpython->coroutines.awaited)
		return -ENOTSUP;
	if (len < sizeof(header) + cpython->word_count * sizeof(__u64))
		return -EINVAL;
	memcpy(&header, bytes, sizeof(header));
	if (header.version != layout->version || header.free_threaded != layout->free_threaded)
		return -EINVAL;
	for (size_t i = 0; i < cpython->word_count; i++) {
		const struct word *word = &cpython->words[i];
		const __u64 value = offset_at(bytes, i);

		if (word->use == WORD_SIZE)
			size = value;
		if (!word->has_object)
			continue;
		if (!value || value > OBJECT_FIELD_MAX || !word_fits(word, value, size))
			return -EINVAL;
		memcpy((char *)&objects + word->object, &value, sizeof(__u16));
	}
	*ret = objects;
	return 0;
}
