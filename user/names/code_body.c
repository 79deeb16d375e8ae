// SPDX-License-Identifier: GPL-2.0-only
/*
 * code_body.c - see code_body.h. Forked workers run the same code objects at the same places: they share one
 * body, and a line found for one of them is found for all.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/cleanup.h"
#include "names/code_body.h"

bool bodies_fit(const struct bodies *bodies, size_t size)
{
	return !bodies->bytes_max || bodies->stats.bytes + size <= bodies->bytes_max;
}

static void blob_put(struct bodies *bodies, struct blob *blob)
{
	if (!blob || --blob->refs)
		return;
	HASH_DEL(bodies->blobs, blob);
	bodies->stats.bytes -= sizeof(*blob) + blob->length + 1;
	free(blob);
}

struct blob *blob_ref(struct blob *blob)
{
	if (blob)
		blob->refs++;
	return blob;
}

int blob_get(struct bodies *bodies, const void *bytes, size_t length, struct blob **ret)
{
	size_t size = sizeof(struct blob) + length + 1;
	struct blob *blob;

	HASH_FIND(hh, bodies->blobs, bytes, length, blob);
	if (blob) {
		*ret = blob_ref(blob);
		return 0;
	}
	if (length > INT_MAX || !bodies_fit(bodies, size))
		return -ENOSPC;
	blob = calloc(1, size);
	if (!blob)
		return -ENOMEM;
	blob->refs = 1;
	blob->length = (__u32)length;
	memcpy(blob->bytes, bytes, length);
	HASH_ADD_KEYPTR(hh, bodies->blobs, blob->bytes, length, blob);
	if (!blob->hh.tbl) {
		free(blob);
		return -ENOMEM;
	}
	bodies->stats.bytes += size;
	*ret = blob;
	return 0;
}

void body_key_put(struct bodies *bodies, struct body_key *key)
{
	blob_put(bodies, key->name);
	blob_put(bodies, key->file);
	blob_put(bodies, key->table);
}

void body_put(struct bodies *bodies, struct body *body)
{
	if (--body->refs)
		return;
	HASH_DEL(bodies->bodies, body);
	if (body->index)
		bodies->stats.bytes -= line_index_size(body->key.table->length);
	body_key_put(bodies, &body->key);
	bodies->stats.bodies--;
	bodies->stats.bytes -= sizeof(*body) + body->size * sizeof(struct body_slot);
	free(body->slots);
	free(body->index);
	free(body);
}

static int body_new(struct bodies *bodies, const struct body_key *key, struct body **ret)
{
	struct body *body;

	if (!bodies_fit(bodies, sizeof(*body)))
		return -ENOSPC;
	body = calloc(1, sizeof(*body));
	if (!body)
		return -ENOMEM;
	body->refs = 1;
	body->key = *key;
	HASH_ADD(hh, bodies->bodies, key, sizeof(body->key), body);
	if (!body->hh.tbl) {
		free(body);
		return -ENOMEM;
	}
	bodies->stats.bodies++;
	bodies->stats.bytes += sizeof(*body);
	*ret = body;
	return 0;
}

int body_get(struct bodies *bodies, struct body_key *key, struct body **ret)
{
	struct body *body;
	int err;

	HASH_FIND(hh, bodies->bodies, key, sizeof(*key), body);
	if (!body) {
		err = body_new(bodies, key, ret);
		if (err)
			body_key_put(bodies, key);
		return err;
	}
	body_key_put(bodies, key);
	body->refs++;
	*ret = body;
	return 0;
}

/*
 * This hash needs no secret: the number of an instruction has 20 bits, too few for many of them to collide.
 */
static struct body_slot *slot_find(struct body_slot *slots, __u32 size, __u32 instr_plus_one)
{
	__u32 i = instr_plus_one * 0x9e3779b1U & (size - 1);

	while (slots[i].instr_plus_one && slots[i].instr_plus_one != instr_plus_one)
		i = (i + 1) & (size - 1);
	return &slots[i];
}

/* Keeps the slots at most half full. False: no room, and nothing has changed. */
static bool slots_grow(struct bodies *bodies, struct body *body)
{
	__u32 size = body->size ? body->size * 2 : 8;
	struct body_slot *slots;

	if (body->used < body->size / 2)
		return true;
	if (!bodies_fit(bodies, (size - body->size) * sizeof(*slots)))
		return false;
	slots = calloc(size, sizeof(*slots));
	if (!slots)
		return false;
	for (__u32 i = 0; i < body->size; i++) {
		if (body->slots[i].instr_plus_one)
			*slot_find(slots, size, body->slots[i].instr_plus_one) = body->slots[i];
	}
	bodies->stats.bytes += (size - body->size) * sizeof(*slots);
	free(body->slots);
	body->slots = slots;
	body->size = size;
	return true;
}

static int make_index(struct bodies *bodies, struct body *body)
{
	const struct blob *table = body->key.table;
	const size_t size = line_index_size(table->length);
	int err;

	if (!bodies_fit(bodies, size))
		return -ENOSPC;
	err = line_index_new((__u32)body->key.line_format, (const __u8 *)table->bytes, table->length,
			     body->key.first_line, &body->index);
	if (!err)
		bodies->stats.bytes += size;
	return err;
}

/* As a linetable_fn, and -ENOSPC or -ENOMEM where there is no room for the index that a large table needs. */
static int decode(struct bodies *bodies, struct body *body, __u32 instr, struct line_position *ret)
{
	const struct blob *table = body->key.table;
	const __u8 *bytes = (const __u8 *)table->bytes;
	linetable_fn *from_start = linetable_for_format((__u32)body->key.line_format);
	int err = 0;

	if (!from_start)
		return -EINVAL;
	if (!line_index_wanted(table->length))
		return from_start(bytes, table->length, body->key.first_line, instr, ret);
	if (!body->index)
		err = make_index(bodies, body);
	return err ?: line_index_line(body->index, bytes, table->length, instr, ret);
}

struct line_position body_position(struct bodies *bodies, struct body *body, __u32 instr_plus_one)
{
	struct line_position position = { 0 };
	struct body_slot *slot;
	int err;

	if (body->size) {
		slot = slot_find(body->slots, body->size, instr_plus_one);
		if (slot->instr_plus_one) {
			bodies->stats.hits++;
			return slot->position;
		}
	}
	bodies->stats.decodes++;
	err = decode(bodies, body, instr_plus_one - 1, &position);
	if (err == -ENOSPC || err == -ENOMEM) {
		bodies->stats.missing++;
		return position;
	}
	if (err || (!position.line && !position.outside)) {
		bodies->stats.fallbacks++;
		position = (struct line_position){ .line = body_first_line(body) };
	}
	if (slots_grow(bodies, body)) {
		*slot_find(body->slots, body->size, instr_plus_one) =
			(struct body_slot){ .instr_plus_one = instr_plus_one, .position = position };
		body->used++;
	}
	return position;
}
