/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * objects.h - reads objects of a live process that has CPython 3.8 to 3.15: types, texts, dicts, sets, and
 * attributes of instances. Where their fields are is alike in these versions but for struct task_facts. The
 * process is not stopped. Nothing read is trusted: each loop is bounded, and so is the number of reads.
 */
#ifndef PYPERF_PYTHON_OBJECTS_H
#define PYPERF_PYTHON_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/types.h>
#include <linux/types.h>

#include "bpf/abi.h"
#include "python/layout.h"

/*
 * Include/object.h, and below Include/cpython: where the fields are that are read, in bytes behind an
 * object's header. bpf/abi has those that the kernel side reads as well.
 */
enum {
	TYPE_NAME = CONTEXT_TP_NAME,
	TYPE_BASIC_SIZE = 16,
	TYPE_FLAGS = CONTEXT_TP_FLAGS,
	TYPE_MEMBERS = 224,
	TYPE_GETTERS = 232,
	TYPE_BASE = 240,
	TYPE_DICT_OFFSET = 272,
	DICT_KEYS = TRACE_MA_KEYS,
	DICT_VALUES = DICT_KEYS + 8,
	SET_USED = 8,
	SET_MASK = 16,
	SET_TABLE = 24,
};

/* The header, and the fields behind it, of builds with the GIL: the only ones that have struct task_facts. */
enum {
	OBJECT_TYPE = 8,
	OBJECT_HEAD = 16,
	OBJECT_FIRST = 16, /* the first field of an object without a size, or the size */
	OBJECT_SECOND = 24,
};

/* Bits of tp_flags. */
#define OBJECTS_INLINE_VALUES (1UL << 2) /* 3.13 */
#define OBJECTS_MANAGED_DICT  (1UL << 4) /* 3.11+ */
#define OBJECTS_HEAP_TYPE     (1UL << 9)
#define OBJECTS_INT	      (1UL << 24)
#define OBJECTS_LIST	      (1UL << 25)
#define OBJECTS_TUPLE	      (1UL << 26)
#define OBJECTS_BYTES	      (1UL << 27) /* 2.7: of str */
#define OBJECTS_STR	      (1UL << 28)
#define OBJECTS_DICT	      (1UL << 29)

#define OBJECTS_INT_TAGGED 0x030c0000 /* the version from which on an int has its sign in bits of a word */

#define OBJECTS_NAME	 32 /* bytes of a type's name that are read, NUL included */
#define OBJECTS_TEXT	 64 /* bytes of a text that is a name */
#define OBJECTS_TEXT_MAX 256 /* characters of any text, and one more */
#define OBJECTS_KEYS	 8  /* of a dict that can be asked for at once */
#define OBJECTS_BASES	 16 /* types that a type is derived from, one from the other */
#define OBJECTS_ITEMS	 (1 << 16) /* of a dict, or slots of a set's table */

/* Where a name stands in a class's table of the names of its instances' attributes. */
struct objects_known {
	__u64 keys; /* the table; 0 = nothing is known */
	const char *name;
	__u64 entry, text; /* addresses: of the entry's key, and what that was */
	int index;
};

#define OBJECTS_KNOWN 8

struct objects {
	pid_t memory; /* the thread through which the memory is reached */
	const struct layout *layout;
	const struct task_facts *facts; /* NULL: the version has none */
	__u32 head;			/* bytes of an object's header, the last word of which is its type */
	__u32 reads, reads_max;
	int unreachable; /* the -errno of a read that says that no memory of it can be read */
	struct objects_known known[OBJECTS_KNOWN];
	__u32 known_next; /* that is forgotten next */
};

/* Whether an object may be there. */
static inline bool objects_is_address(__u64 address)
{
	return !(address & 7) && address >= 4096 && !(address >> 48);
}

/* A word of bytes that were read. */
static inline __u64 objects_word(const __u8 *bytes, size_t offset)
{
	__u64 word;

	memcpy(&word, bytes + offset, sizeof(word));
	return word;
}

/* Bytes of an object's header. */
static inline __u32 objects_head(const struct layout *layout)
{
	return layout->free_threaded ? 32 : OBJECT_HEAD;
}

/* As the layout says, which stays in use. */
void objects_begin(struct objects *o, pid_t memory, const struct layout *layout, __u32 reads_max);

/* 0; -EFAULT for what is not there; -E2BIG when all reads are spent; or another -errno. */
int objects_read(struct objects *o, __u64 address, void *dst, size_t size);
/* The same of as many bytes as are there. Returns how many, at least 1; or an error as above. */
ssize_t objects_read_some(struct objects *o, __u64 address, void *dst, size_t size);

/* Reads up to REMOTE_PARTS words at once; those that are not there are 0. 0, or an error as above. */
int objects_read_words(struct objects *o, const __u64 *addresses, size_t count, __u64 *ret);

/* The word at this address if it may be an object's address, else 0. */
__u64 objects_pointer(struct objects *o, __u64 address);

/* The object's type; 0 if that cannot be read. */
__u64 objects_type(struct objects *o, __u64 object);

/* A type's flags; 0 if they cannot be read. */
__u64 objects_type_flags(struct objects *o, __u64 type);

/* The name of a type as its source has it, "" if there is none. */
void objects_type_name(struct objects *o, __u64 type, char ret[OBJECTS_NAME]);

/* Whether the type has this name. */
bool objects_type_is(struct objects *o, __u64 type, const char *name);

/*
 * Whether the object is of the type with this name, which may stand behind that of its module. *known is that
 * type once one was met; 0 before.
 */
bool objects_is(struct objects *o, __u64 object, const char *module, const char *name, __u64 *known);

/* Whether this type is that one, or derived from it. */
bool objects_is_derived(struct objects *o, __u64 type, __u64 from);

/* Whether the object is a str with these characters, which are ASCII, and at most 48. */
bool objects_is_text(struct objects *o, __u64 object, const char *text);

/* Which of these texts the object is, which are as above; -1: none of them. */
int objects_which_text(struct objects *o, __u64 object, const char *const *texts, int count);

/*
 * A str of less than OBJECTS_TEXT_MAX characters, as UTF-8; what does not fit is left out. 0; -EBADMSG for
 * what is none; or an error as above.
 */
int objects_text(struct objects *o, __u64 object, char *ret, size_t size);

/* The value that the dict has for the text; 0 if there is none. */
__u64 objects_dict_find(struct objects *o, __u64 dict, const char *key);
/*
 * The same for up to OBJECTS_KEYS texts. Of one that is no key ret stays as it is. Whether all of them are.
 */
bool objects_dict_get(struct objects *o, __u64 dict, const char *const *keys, int count, __u64 *ret);

/*
 * Calls visit() for each key and value of a dict until it returns something else than 0, which is returned.
 * -EBADMSG if it is no dict, or has more than OBJECTS_ITEMS.
 */
typedef int objects_visit(void *context, __u64 key, __u64 value);
int objects_dict_each(struct objects *o, __u64 dict, objects_visit *visit, void *context);

/* The same for each object in a set, which is the key. -EAGAIN: it has changed meanwhile. */
int objects_set_each(struct objects *o, __u64 set, objects_visit *visit, void *context);

/*
 * The attribute of an instance, from its dict, its values or its slots; 0 if there is none. Name, which
 * stays, is found once in the table that a class has.
 */
__u64 objects_attribute(struct objects *o, __u64 object, const char *name);

/*
 * A class keeps the names of its instances' attributes in a table, in whose order they have the values: where
 * this one stands there; -1 if it does not, or if there is no such table. *ret_name becomes the name's
 * address.
 */
int objects_attribute_index(struct objects *o, __u64 type, const char *name, __u64 *ret_name);

#endif
