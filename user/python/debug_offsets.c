// SPDX-License-Identifier: GPL-2.0-only
/*
 * debug_offsets.c - validates a _Py_DebugOffsets word by word against the known version's list of words:
 * inside the structure's reported size, aligned, and where no build option can move a field, equal to ours.
 */
#include "python/debug_offsets.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "python/layout.h"

#define STRUCT_MAX (16 << 20) /* bytes; the largest structure, _PyRuntimeState, has 0.5 MiB */

struct header {
	char cookie[8];
	__u64 version;
	__u64 free_threaded;
};

static __u64 word_at(const void *bytes, size_t index)
{
	__u64 value;

	memcpy(&value, (const char *)bytes + sizeof(struct header) + index * sizeof(value), sizeof(value));
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

static bool fits(const struct word *word, __u64 value, __u64 size)
{
	__u64 width = word->width ? word->width : 1;

	return value < STRUCT_MAX && value + width <= size && value % width == 0;
}

/* Where the words stand while they are checked. */
struct check {
	__u64 size; /* of the structure whose words follow */
	__u64 gil;
	const struct word *unusual; /* first word that differs where it may */
};

static bool check_word(const struct word *word, __u64 value, struct check *check, struct layout *layout)
{
	if (word->threaded && !layout->free_threaded)
		return !value;
	switch (word->use) {
	case WORD_SIZE:
		check->size = value;
		return value && value <= STRUCT_MAX;
	case WORD_ANY:
		return value <= STRUCT_MAX;
	case WORD_FIXED:
		return fits(word, value, check->size) && value == member_read(layout, word);
	case WORD_FREE:
		if (!value || !fits(word, value, check->size))
			return false;
		if (value != member_read(layout, word) && !check->unusual)
			check->unusual = word;
		member_write(layout, word, value);
		return true;
	case WORD_GIL:
		check->gil = value;
		return value && fits(word, value, check->size);
	case WORD_HOLDER:
		return fits(word, value, check->size) && value == check->gil + layout->gil_holder;
	default:
		return fits(word, value, check->size);
	}
}

static int check_header(const struct header *header, const struct cpython **ret, const struct layout **ret_known,
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
	cpython = layout_find(header->version);
	known = cpython ? layout_of_build(cpython, header->free_threaded) : NULL;
	if (!known || !cpython->words || !layout_is_released(header->version)) {
		*ret_reason = layout_refusal(header->version, header->free_threaded);
		return -ENOTSUP;
	}
	*ret = cpython;
	*ret_known = known;
	return 0;
}

int debug_offsets_parse(const void *bytes, size_t len, struct layout *ret, const char **ret_reason)
{
	const struct cpython *cpython;
	const struct layout *known;
	struct check check = { 0 };
	struct layout layout;
	struct header header;
	int err;

	*ret_reason = "debug offsets: cut short";
	if (len < sizeof(header))
		return -EBADMSG;
	memcpy(&header, bytes, sizeof(header));
	err = check_header(&header, &cpython, &known, ret_reason);
	if (err)
		return err;
	if (len < sizeof(header) + cpython->word_count * sizeof(__u64))
		return -EINVAL;
	layout = *known;
	for (size_t i = 0; i < cpython->word_count; i++) {
		const struct word *word = &cpython->words[i];

		if (!check_word(word, word_at(bytes, i), &check, &layout)) {
			*ret_reason = word->bad;
			return -EINVAL;
		}
	}
	/* The table lacks the key's offset: ours holds only if the runtime looks as it usually does. */
	if (layout.runtime_interpreters != known->runtime_interpreters)
		layout.runtime_tss_key = 0;
	layout.version = header.version;
	*ret = layout;
	*ret_reason = check.unusual ? check.unusual->unusual : NULL;
	return 0;
}
