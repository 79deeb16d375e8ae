// SPDX-License-Identifier: GPL-2.0-only
/*
 * codes.c - see codes.h. A code number only points to a body (code_body.h), which it shares with every other
 * number of the same contents. Records are validated here, once, before anything is taken from them.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "names/code_body.h"
#include "names/codes.h"
#include "python/linetable.h"
#include "python/pystr.h"

struct code_entry {
	UT_hash_handle hh;
	__u32 code;
	struct body *body;
};

struct codes {
	struct code_entry *entries;
	struct bodies bodies;
};

int codes_new(struct codes **ret, size_t bytes_max)
{
	struct codes *codes = calloc(1, sizeof(*codes));

	if (!codes)
		return -ENOMEM;
	codes->bodies.bytes_max = bytes_max;
	*ret = codes;
	return 0;
}

static struct code_entry *entry_find(struct codes *codes, __u32 code)
{
	struct code_entry *entry;

	HASH_FIND(hh, codes->entries, &code, sizeof(code), entry);
	return entry;
}

static int entry_new(struct codes *codes, __u32 code, struct body *body)
{
	struct code_entry *entry;

	if (!bodies_fit(&codes->bodies, sizeof(*entry)))
		return -ENOSPC;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return -ENOMEM;
	entry->code = code;
	entry->body = body;
	HASH_ADD(hh, codes->entries, code, sizeof(entry->code), entry);
	if (!entry->hh.tbl) {
		free(entry);
		return -ENOMEM;
	}
	codes->bodies.stats.codes++;
	codes->bodies.stats.bytes += sizeof(*entry);
	return 0;
}

/*
 * entry is the code's entry, or NULL if it has none yet. Takes over the reference to body, even when it
 * fails.
 */
static int entry_set(struct codes *codes, struct code_entry *entry, __u32 code, struct body *body)
{
	int err;

	if (!entry) {
		err = entry_new(codes, code, body);
		if (err)
			body_put(&codes->bodies, body);
		return err;
	}
	body_put(&codes->bodies, entry->body);
	entry->body = body;
	return 0;
}

static void entry_free(struct codes *codes, struct code_entry *entry)
{
	HASH_DEL(codes->entries, entry);
	codes->bodies.stats.codes--;
	codes->bodies.stats.bytes -= sizeof(*entry);
	body_put(&codes->bodies, entry->body);
	free(entry);
}

void codes_clear(struct codes *codes, __u32 first, __u32 end)
{
	struct code_entry *entry, *next;

	HASH_ITER(hh, codes->entries, entry, next)
		if (entry->code >= first && entry->code < end)
			entry_free(codes, entry);
}

void codes_free(struct codes *codes)
{
	if (!codes)
		return;
	codes_clear(codes, 0, ~0U);
	free(codes);
}

static bool part_readable(const struct code_part *part)
{
	return !(part->flags & (PART_FAULT | PART_BAD));
}

static bool string_valid(const struct code_part *part)
{
	if (!part_readable(part))
		return part->bytes == 0;
	return part->bytes <= STRING_MAX && (part->kind == 1 || part->kind == 2 || part->kind == 4) &&
	       part->bytes % part->kind == 0;
}

static bool table_valid(const struct code_part *part)
{
	return part->bytes <= LINETABLE_SMALL && (part->bytes == 0 || part->bytes == part->length);
}

static bool record_valid(const struct record_code *record, size_t size)
{
	const size_t fixed = offsetof(struct record_code, data);

	if (size < fixed || record->type != RECORD_CODE)
		return false;
	if (record->code < CODE_FIRST || record->code >= 1U << CODE_BITS)
		return false;
	if (!linetable_for_format(record->line_format))
		return false;
	if (!string_valid(&record->name) || !string_valid(&record->file) || !table_valid(&record->table))
		return false;
	return size - fixed >= (size_t)record->name.bytes + record->file.bytes + record->table.bytes;
}

/*
 * Decodes a string into *ret. If the record does not have it, *ret is another reference to `old`, which may
 * be NULL.
 */
static int string_get(struct codes *codes, const struct code_part *part, const __u8 *bytes, struct blob *old,
		      struct blob **ret)
{
	static const char cut[] = "...";
	char text[PYSTR_SIZE + sizeof(cut)];
	int len;

	if (!part_readable(part)) {
		*ret = blob_ref(old);
		return 0;
	}
	if (part->flags & PART_BYTES)
		len = pystr_decode_bytes(bytes, part->bytes, part->flags & PART_CUT, text, PYSTR_SIZE);
	else
		len = pystr_decode(bytes, part->bytes, part->kind, text, PYSTR_SIZE);
	if (len < 0)
		return -EBADMSG;
	if (part->flags & PART_CUT) {
		memcpy(text + len, cut, sizeof(cut));
		len += (int)sizeof(cut) - 1;
	}
	return blob_get(&codes->bodies, text, (size_t)len, ret);
}

static int table_get(struct codes *codes, const struct code_part *part, const __u8 *bytes,
		     const struct body_key *old, struct body_key *key)
{
	bool have = part_readable(part);

	key->table_length = have ? part->length : old->table_length;
	if (have && part->bytes == part->length)
		return blob_get(&codes->bodies, bytes, part->bytes, &key->table);
	/* A record with a cut table does not undo that the whole table was fetched meanwhile. */
	if (key->table_length == old->table_length)
		key->table = blob_ref(old->table);
	return 0;
}

int codes_add(struct codes *codes, const struct record_code *record, size_t record_size)
{
	static const struct body_key nothing;
	const struct body_key *old = &nothing;
	struct body_key key = { 0 };
	const __u8 *at = record->data;
	struct code_entry *entry;
	struct body *body;
	int err;

	if (!record_valid(record, record_size))
		return -EBADMSG;
	key.line_format = record->line_format;
	entry = entry_find(codes, record->code);
	if (entry)
		old = &entry->body->key;
	/*
	 * If none of the three could be read, the object itself could not be, and the record has no first
	 * line.
	 */
	if (part_readable(&record->name) || part_readable(&record->file) || part_readable(&record->table))
		key.first_line = record->first_line;
	else
		key.first_line = old->first_line;

	err = string_get(codes, &record->name, at, old->name, &key.name);
	at += record->name.bytes;
	if (!err)
		err = string_get(codes, &record->file, at, old->file, &key.file);
	at += record->file.bytes;
	if (!err)
		err = table_get(codes, &record->table, at, old, &key);
	if (err) {
		body_key_put(&codes->bodies, &key);
		return err;
	}
	err = body_get(&codes->bodies, &key, &body);
	if (err)
		return err;
	return entry_set(codes, entry, record->code, body);
}

int codes_set_table(struct codes *codes, __u32 code, const void *bytes, size_t len)
{
	struct code_entry *entry = entry_find(codes, code);
	struct body_key key;
	struct body *body;
	int err;

	if (!entry)
		return -ENOENT;
	key = entry->body->key;
	if (len != key.table_length)
		return -ESTALE;
	err = blob_get(&codes->bodies, bytes, len, &key.table);
	if (err)
		return err;
	blob_ref(key.name);
	blob_ref(key.file);
	err = body_get(&codes->bodies, &key, &body);
	if (err)
		return err;
	return entry_set(codes, entry, code, body);
}

int codes_resolve(struct codes *codes, __u32 code, __u32 instr_plus_one, struct code_line *ret)
{
	static const char no_name[] = "[unreadable name]", no_file[] = "[unreadable file]";
	struct code_entry *entry = entry_find(codes, code);
	struct line_position position;
	struct body *body;

	if (!entry) {
		codes->bodies.stats.unknown++;
		*ret = (struct code_line){ .function = "[unknown code]", .file = "", .kind = FRAME_MARKER };
		return 0;
	}
	body = entry->body;
	*ret = (struct code_line){
		.kind = FRAME_PYTHON,
		.function = body->key.name ? body->key.name->bytes : no_name,
		.file = body->key.file ? body->key.file->bytes : no_file,
		.first_line = body_first_line(body),
		.line = body_first_line(body),
	};
	if (instr_plus_one >= INSTR_UNKNOWN) {
		ret->line = 0;
	} else if (instr_plus_one && !body->key.table) {
		ret->line = 0;
		codes->bodies.stats.missing++;
	} else if (instr_plus_one) {
		position = body_position(&codes->bodies, body, instr_plus_one);
		ret->line = position.line;
		ret->column = position.column;
	}
	return 0;
}

unsigned int codes_incomplete(const struct record_code *record)
{
	unsigned int parts = 0;

	if (record->name.flags & PART_FAULT)
		parts |= CODES_NAME;
	if (record->file.flags & PART_FAULT)
		parts |= CODES_FILE;
	if (record->table.flags & PART_FAULT ||
	    (record->table.flags & PART_CUT && record->table.length <= LINETABLE_MAX))
		parts |= CODES_TABLE;
	return parts;
}

const struct codes_stats *codes_get_stats(const struct codes *codes)
{
	return &codes->bodies.stats;
}
