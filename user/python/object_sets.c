// SPDX-License-Identifier: GPL-2.0-only
/* object_sets.c - see objects.h: sets (Include/cpython/setobject.h). */
#include <errno.h>
#include <string.h>

#include "python/objects.h"

#define SLOTS 256 /* that are read at once */

struct set {
	__u64 type, fill, used, mask, table;
};

static int read_set(struct objects *o, __u64 address, struct set *ret)
{
	int err = objects_is_address(address) ? 0 : -EBADMSG;

	err = err ?: objects_read(o, address + o->head - sizeof(__u64), ret, sizeof(*ret));
	if (err)
		return err;
	if (ret->mask & (ret->mask + 1) || ret->mask >= OBJECTS_ITEMS * 4 || ret->used > ret->mask ||
	    ret->fill > ret->mask + 1)
		return -EBADMSG;
	return 0;
}

/* Slots are an object and its hash. Of an object that was taken out -1 is left as its hash. */
static int each_slot(struct objects *o, const struct set *s, objects_visit *visit, void *context)
{
	__u64 slots[SLOTS][2];
	int err = 0;

	for (size_t i = 0, n; i <= s->mask && !err; i += n) {
		n = s->mask + 1 - i < SLOTS ? s->mask + 1 - i : SLOTS;
		err = objects_read(o, s->table + i * sizeof(slots[0]), slots, n * sizeof(slots[0]));
		for (size_t k = 0; k < n && !err; k++)
			if (objects_is_address(slots[k][0]) && slots[k][1] != ~0ULL)
				err = visit(context, slots[k][0], 0);
	}
	return err;
}

int objects_set_each(struct objects *o, __u64 set, objects_visit *visit, void *context)
{
	struct set before, after;
	int err = read_set(o, set, &before);

	if (!err && !objects_type_is(o, before.type, "set"))
		return -EBADMSG;
	err = err ?: each_slot(o, &before, visit, context);
	if (err == -EFAULT)
		return -EAGAIN;
	err = err ?: read_set(o, set, &after);
	return err ?: memcmp(&before, &after, sizeof(before)) ? -EAGAIN : 0;
}
