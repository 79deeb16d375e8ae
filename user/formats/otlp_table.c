// SPDX-License-Identifier: GPL-2.0-only
#include "formats/otlp_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/protobuf.h"

int otlp_table_add(struct otlp_table *t, const void *data, size_t size, __u32 *ret_index)
{
	const unsigned int hash = hash_bytes(data, size);
	struct otlp_record *r;

	HASH_FIND_BYHASHVALUE(hh, t->records, data ?: "", size, hash, r); /* memcmp() wants no NULL */
	if (r) {
		*ret_index = r->index;
		return 0;
	}
	r = malloc(sizeof(*r) + size);
	if (!r)
		return -ENOMEM;
	r->index = HASH_COUNT(t->records);
	r->size = size;
	if (size)
		memcpy(r->data, data, size);
	HASH_ADD_KEYPTR_BYHASHVALUE(hh, t->records, r->data, size, hash, r);
	if (!r->hh.tbl) {
		free(r);
		return -ENOMEM;
	}
	t->bytes += protobuf_bytes_size(size);
	*ret_index = r->index;
	return 0;
}

void otlp_table_free(struct otlp_table *t)
{
	struct otlp_record *r = t->records, *next;

	HASH_CLEAR(hh, t->records); /* frees what is the hash's own */
	for (; r; r = next) {
		next = r->hh.next;
		free(r);
	}
}
