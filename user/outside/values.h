/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * values.h - objects of a live process, by their types' names: words, texts, dicts, attributes. Nothing read
 * is trusted, and there is a most of reads.
 */
#ifndef PYPERF_OUTSIDE_VALUES_H
#define PYPERF_OUTSIDE_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "bpf/abi.h"

#define VALUES_NAME 24 /* bytes of a type's name that are read, NUL included */
#define VALUES_TEXT 64 /* bytes of a text, NUL included */

struct values {
	pid_t memory; /* a thread of the process */
	const struct layout *layout;
	__u8 head; /* bytes of an object's header, the last word of which is its type */
	unsigned int reads, reads_max;
};

/* As the layout says. */
void values_begin(struct values *o, pid_t memory, const struct layout *layout, unsigned int reads_max);

/* 0 or -EFAULT, or another -errno of remote_read(). */
int values_read(struct values *o, __u64 address, void *dst, size_t size);
/* Words from there on, `most` at most: the rest may not be mapped. Returns how many; 0: none. */
size_t values_words(struct values *o, __u64 address, __u64 *ret, size_t most);
/* The word there, if it can be the address of an object; else 0. */
__u64 values_pointer(struct values *o, __u64 address);
__u64 values_type(struct values *o, __u64 object);
/* The name of a type; "" if there is none. */
void values_type_name(struct values *o, __u64 type, char ret[VALUES_NAME]);
/*
 * Whether the object is of the type with this name, which may stand behind that of its module. *known is that
 * type once one was met; 0 before.
 */
bool values_is(struct values *o, __u64 object, const char *module, const char *name, __u64 *known);
/* A str of less than VALUES_TEXT characters, as UTF-8. 0 or -errno. */
int values_text(struct values *o, __u64 address, char *ret, size_t size);

#endif
