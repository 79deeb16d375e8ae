// SPDX-License-Identifier: GPL-2.0-only
/*
 * version_string.c - see version_string.h. A linker may store a string as the end of a longer one
 * ("/opt/3.10.13"), so whatever ends like a version counts as one, and the true one is always among them.
 */
#include "elf/version_string.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "elf/image.h"

#define MINOR_MIN 6
#define MINOR_MAX 10
#define MINOR_2	  7 /* of the only Python 2 of interest */
#define STRING_BYTES  24	     /* longer than any string of interest, with its NUL */
#define BLOCK	  (64 << 10) /* bytes read at once, the last STRING_BYTES of the block before among them */
#define FILE_MAX  (512ULL << 20) /* bytes of a file, of all its segments together */

struct strings {
	int major;
	bool tag[MINOR_MAX + 1];
	bool differ[MINOR_MAX + 1];
	__u32 version[MINOR_MAX + 1]; /* the first one found; 0 = none */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A decimal number without leading zeros, at most 99; moves *at behind it. -1 if there is none. */
static int take_number(const char **at)
{
	int number;

	if (!is_digit(**at))
		return -1;
	number = *(*at)++ - '0';
	if (number && is_digit(**at))
		number = 10 * number + *(*at)++ - '0';
	return is_digit(**at) ? -1 : number;
}

/* The rest of PY_VERSION behind the patch number: "", "a1", "b2", "rc1", and "+" behind a release. */
static int take_level(const char *at)
{
	static const struct {
		const char *string;
		int level;
	} levels[] = { { "a", 0xa0 }, { "b", 0xb0 }, { "rc", 0xc0 } };
	int level = 0xf0, serial;

	for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
		size_t len = strlen(levels[i].string);

		if (strncmp(at, levels[i].string, len))
			continue;
		at += len;
		serial = take_number(&at);
		if (serial < 0 || serial > 15)
			return -1;
		level = levels[i].level + serial;
		break;
	}
	at += *at == '+';
	return *at ? -1 : level;
}

static bool is_minor(int major, int minor)
{
	return major == 2 ? minor == MINOR_2 : minor >= MINOR_MIN && minor <= MINOR_MAX;
}

/* PY_VERSION_HEX of a whole string such as "3.10.13", 0 if it is not one of a minor version of interest. */
static __u32 parse_version(int major, const char *at)
{
	int minor, patch, level;

	if (take_number(&at) != major || *at++ != '.')
		return 0;
	minor = take_number(&at);
	if (!is_minor(major, minor) || *at++ != '.')
		return 0;
	patch = take_number(&at);
	level = patch < 0 ? -1 : take_level(at);
	return level < 0 ? 0 : (__u32)major << 24 | (__u32)minor << 16 | (__u32)patch << 8 | (__u32)level;
}

/* The version that a string ends with, as parse_version(). */
static __u32 last_version(int major, const char *string, const char *end)
{
	for (const char *at = end - 1; at >= string; at--) {
		__u32 version = *at == '0' + major ? parse_version(major, at) : 0;

		if (version && (at == string || (!is_digit(at[-1]) && at[-1] != '.')))
			return version;
	}
	return 0;
}

/* Notes what ends at a NUL; string is STRING_BYTES bytes long or begins where the segment does. */
static void note_string(struct strings *strings, const char *string, const char *end)
{
	static const char tag[] = "cpython-3";
	const char *begin = memrchr(string, 0, end - string);
	__u32 version;
	int minor;

	begin = begin ? begin + 1 : string;
	if (!strncmp(begin, tag, sizeof(tag) - 1)) {
		begin += sizeof(tag) - 1;
		minor = take_number(&begin);
		if (minor >= 0 && minor <= MINOR_MAX && !*begin)
			strings->tag[minor] = true;
		return;
	}
	version = last_version(strings->major, begin, end);
	if (!version)
		return;
	minor = version >> 16 & 0xff;
	if (strings->version[minor] && strings->version[minor] != version)
		strings->differ[minor] = true;
	strings->version[minor] = version;
}

/* Texts that end with a digit, "+" apart: few of the many NULs in machine code are behind one. */
static void note_block(struct strings *strings, const char *block, size_t from, size_t size)
{
	const char *end = block + from;

	while ((end = memchr(end, 0, block + size - end))) {
		size_t before = end - block;

		if (before && (is_digit(end[-1]) || end[-1] == '+'))
			note_string(strings, end - (before < STRING_BYTES ? before : STRING_BYTES), end);
		end++;
	}
}

static int read_segment(int fd, const struct image_load *load, char *block, struct strings *strings)
{
	__u64 offset = load->offset, left = load->file_size;
	size_t kept = 0;
	ssize_t n;

	while (left) {
		size_t size = left < BLOCK - STRING_BYTES ? left : BLOCK - STRING_BYTES;

		n = pread(fd, block + kept, size, offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENOENT;
		note_block(strings, block, kept, kept + n);
		offset += n;
		left -= n;
		size = kept + n;
		kept = size < STRING_BYTES ? size : STRING_BYTES;
		memmove(block, block + size - kept, kept);
	}
	return 0;
}

int version_string_find(int fd, const struct image *image, __u32 *ret)
{
	_cleanup_free_ char *block = malloc(BLOCK);
	struct strings strings = { .major = image->classes ? 2 : 3 };
	int minor = image->classes ? MINOR_2 : 0;
	__u64 left = FILE_MAX;

	if (!block)
		return -ENOMEM;
	for (int i = 0; i < image->load_count; i++) {
		const struct image_load *load = &image->load[i];
		int err = load->file_size > left ? -ENOENT : 0;

		if (load->flags & PF_W)
			continue;
		err = err ?: read_segment(fd, load, block, &strings);
		if (err)
			return err;
		left -= load->file_size;
	}
	for (int i = 0; i <= MINOR_MAX; i++) {
		if (strings.tag[i] && minor)
			return -ENOENT;
		if (strings.tag[i])
			minor = i;
	}
	if (!strings.version[minor] || strings.differ[minor])
		return -ENOENT;
	*ret = strings.version[minor];
	return 0;
}
