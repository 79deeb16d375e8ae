/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * objects.h - reads objects of a live process that has CPython 3.8 to 3.13: types, texts, dicts, sets, and
 * attributes of instances. Where their fields are is alike in these versions but for struct task_facts. The
 * process is not stopped. Nothing read is trusted: each loop is bounded, and so is the number of reads.
 */
#ifndef PYPERF_PYTHON_OBJECTS_H
#define PYPERF_PYTHON_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

#include "bpf/abi.h"
#include "python/layout.h"

/* Include/object.h, and below Include/cpython: where the fields are that are read. */
enum {
	OBJECT_TYPE = 8,
	OBJECT_FIRST = 16, /* the first field of an object without a size, or the size */
	OBJECT_SECOND = 24,
	OBJECT_THIRD = 32,
	TYPE_NAME_WORD = 24,
	TYPE_BASIC_SIZE = 32,
	TYPE_FLAGS = 168,
	TYPE_MEMBERS = 240,
	TYPE_GETTERS = 248,
	TYPE_BASE = 256,
	TYPE_DICT_OFFSET = 288,
	DICT_KEYS = 32,
	DICT_VALUES = 40,
	SET_USED = 24,
	SET_MASK = 32,
	SET_TABLE = 40,
};

/* Bits of tp_flags. */
#define OBJECTS_INLINE_VALUES (1UL << 2) /* 3.13 */
#define OBJECTS_MANAGED_DICT  (1UL << 4) /* 3.11+ */
#define OBJECTS_HEAP_TYPE     (1UL << 9)
#define OBJECTS_LIST	      (1UL << 25)
#define OBJECTS_TUPLE	      (1UL << 26)
#define OBJECTS_STR	      (1UL << 28)
#define OBJECTS_DICT	      (1UL << 29)

#define OBJECTS_NAME	 32 /* bytes of a type's name that are read, NUL included */
#define OBJECTS_BASES	 16 /* types that a type is derived from, one from the other */
#define OBJECTS_ITEMS	 (1 << 16) /* of a dict, or slots of a set's table */

struct objects {
	pid_t memory; /* the thread through which the memory is reached */
	const struct layout *layout;
	const struct task_facts *facts;
	__u32 reads, reads_max;
	int unreachable; /* the -errno of a read that says that no memory of it can be read */
};

/* Whether an object may be there. */
static inline bool objects_is_address(__u64 address)
{
	return !(address & 7) && address >= 4096 && !(address >> 48);
}

/* 0; -EFAULT for what is not there; -E2BIG when all reads are spent; or another -errno. */
int objects_read(struct objects *o, __u64 address, void *dst, size_t size);

/* Reads up to REMOTE_PARTS words at once; those that are not there are 0. 0, or an error as above. */
int objects_read_words(struct objects *o, const __u64 *addresses, size_t count, __u64 *ret);

/* The word at this address if it may be an object's address, else 0. */
__u64 objects_pointer(struct objects *o, __u64 address);

/* A type's flags; 0 if they cannot be read. */
__u64 objects_type_flags(struct objects *o, __u64 type);

/* The name of a type as its source has it, "" if there is none. */
void objects_type_name(struct objects *o, __u64 type, char ret[OBJECTS_NAME]);

/* Whether this type is that one, or derived from it. */
bool objects_is_derived(struct objects *o, __u64 type, __u64 from);

/* Whether the object is a str with these characters, which are ASCII, and at most 48. */
bool objects_is_text(struct objects *o, __u64 object, const char *text);

/* The value that the dict has for the text; 0 if there is none. */
__u64 objects_dict_find(struct objects *o, __u64 dict, const char *key);

/*
 * Calls visit() for each key and value of a dict until it returns something else than 0, which is returned.
 * -EBADMSG if it is no dict, or has more than OBJECTS_ITEMS.
 */
typedef int objects_visit(void *context, __u64 key, __u64 value);
int objects_dict_each(struct objects *o, __u64 dict, objects_visit *visit, void *context);

/* The same for each object in a set, which is the key. -EAGAIN: it has changed meanwhile. */
int objects_set_each(struct objects *o, __u64 set, objects_visit *visit, void *context);

/* The attribute of an instance, from its dict, its values or its slots; 0 if there is none. */
__u64 objects_attribute(struct objects *o, __u64 object, const char *name);

#endif
