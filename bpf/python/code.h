/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * code.h - from the address of a code object to its number, which names one object for good even when its
 * address is used again, and the copy of its names at first sight.
 *
 * An address proves nothing: CPython frees and reuses code objects. 3.14+ counts those freed, 3.13 those made
 * (epoch.h), so an unchanged count proves an entry. Before that, and when the count has moved, the
 * object's header is read and its fingerprint compared.
 */
#ifndef PYPERF_BPF_PYTHON_CODE_H
#define PYPERF_BPF_PYTHON_CODE_H

#include "bpf/python/capture.h"
#include "bpf/tree/tree.h"

#define CODE_PROBES 24
#define CAPTURES_MAX 64	 /* records sent by one sample, to bound its time */
#define RING_BUSY (1 << 19) /* unread bytes from which the reader is woken at once */

static __always_inline __u64 header_u32(const __u8 *header, __u32 offset)
{
	return offset ? *(const __u32 *)(header + (offset & 0xff)) : 0;
}

static __always_inline __u64 header_u64(const __u8 *header, __u32 offset)
{
	return offset ? *(const __u64 *)(header + (offset & 0xff)) : 0;
}

/* What an interned str's length and hash say, which stand for its text. PyASCIIObject, 3.11: +16, +24. */
static __always_inline __u64 name_digest(const struct layout *l, __u64 string)
{
	__u64 words[2] = {};

	if (mem_plausible(string))
		mem_read(words, sizeof(words), string + l->str_length);
	return words[0] + mix(words[1]);
}

#define FILE_END 128 /* bytes of a file name that count: its end, where names of one length differ */

/*
 * The length and the end of a file name, which is not interned: its hash may be computed at any time. In s->record,
 * which is written later. PyASCIIObject, 3.11: length +16, hash +24, state +32.
 */
static __always_inline __u64 file_digest(struct scratch *s, const struct layout *l, __u64 string)
{
	__u64 words[3] = {}, *end = (__u64 *)s->record.data, hash, bytes, size, at;

	if (!mem_plausible(string) || mem_read(words, sizeof(words), string + l->str_length))
		return 0;
	words[2] |= l->str_implied;
	bytes = words[0] * (words[2] >> l->str_kind_shift & 7);
	at = words[2] >> l->str_ascii_bit & 1 ? l->str_ascii : l->str_compact;
	size = bytes < FILE_END ? bytes : FILE_END;
	mem_opaque(size);
	for (int i = 0; i < FILE_END / 8; i++)
		end[i] = 0;
	if (size && size <= FILE_END)
		mem_read(end, size, string + at + bytes - size);
	hash = mix(bytes);
	for (int i = 0; i < FILE_END / 8; i++)
		hash = mix(hash ^ end[i]);
	return hash;
}

/*
 * Reads the object's header into s->code. co_version (3.12+) is unique within an
 * interpreter until 2^32 are used up; 3.11 lacks it, so there the texts of its names count too.
 */
static __always_inline __u64 code_fingerprint(struct scratch *s, const struct layout *l, __u64 address)
{
	__u32 size = l->code_size;
	__u64 name, hash;

	mem_opaque(size);
	if (size < 16 || size > 256)
		return FINGERPRINT_UNREAD;
	s->walk.reads++;
	s->walk.read_bytes += size;
	if (mem_read(s->code, size, address)) {
		s->walk.faults++;
		return FINGERPRINT_UNREAD;
	}
	/* A version that was never given out: what the layout takes for the count of versions is not it. */
	if (s->made && header_u32(s->code, l->code_version) >= s->made) {
		s->no_epoch = 1;
		s->epoch = 0;
	}
	name = header_u64(s->code, l->code_qualname ? l->code_qualname : l->code_name);
	hash = mix(name + header_u32(s->code, l->code_first_line));
	hash = mix(hash ^ header_u64(s->code, l->code_filename));
	hash = mix(hash ^ header_u64(s->code, l->code_linetable));
	if (l->code_version)
		hash = mix(hash ^ header_u32(s->code, l->code_version));
	else
		hash = mix(hash ^ name_digest(l, name) ^ file_digest(s, l, header_u64(s->code, l->code_filename)));
	return hash | 1;
}

/*
 * The clean-up frame that a call of a class pushes (_Py_InitCleanup, 3.13+): a static code object whose
 * three names are one string and whose first line is 0.
 */
static __always_inline int code_is_shim(const struct scratch *s, const struct layout *l)
{
	__u64 name = header_u64(s->code, l->code_name);

	return name && name == header_u64(s->code, l->code_filename) && !header_u32(s->code, l->code_first_line);
}

/*
 * 3.12 has a code object for entry frames, "<interpreter trampoline>" of file "<shim>", and links such a frame
 * before it writes the owner by which the walk knows it.
 */
static __always_inline int code_is_trampoline(const struct record_code *e)
{
	static const char begin[8] = "<interpr";

	return e->name.length == sizeof("<interpreter trampoline>") - 1 && e->file.length == sizeof("<shim>") - 1 &&
	       *(const __u64 *)e->data == *(const __u64 *)begin;
}

static __always_inline void code_send(struct scratch *s, struct cpu_stats *stats, const struct layout *l,
				      struct code *c, __u32 index, __u64 address, __u64 fingerprint)
{
	struct record_code *e = &s->record;
	__u32 size;
	__u64 flags = BPF_RB_NO_WAKEUP;

	if (s->captures >= CAPTURES_MAX)
		return;
	s->captures++;
	e->type = RECORD_CODE;
	e->code = index;
	e->process = s->process;
	e->pid = bpf_get_current_pid_tgid() >> 32;
	e->address = address;
	e->fingerprint = fingerprint;
	capture_code(e, l, address);
	if (code_is_trampoline(e)) {
		c->state |= CODE_SHIM;
		return;
	}
	size = capture_size(e);
	mem_opaque(size);
	if (size > sizeof(*e))
		return;
	if (bpf_ringbuf_query(&records, BPF_RB_AVAIL_DATA) > RING_BUSY)
		flags = BPF_RB_FORCE_WAKEUP;
	if (bpf_ringbuf_output(&records, e, size, flags))
		stats->ring_full++;
	else
		c->state |= CODE_SENT;
}

/* Where the number of the object last seen at an address is noted. */
static __always_inline __u32 *code_hint(const struct scratch *s, __u64 key)
{
	__u32 index = bank_index(s->bank, opt_code_mask, mix(key));
	struct code *c = bpf_map_lookup_elem(&codes, &index);

	return c ? &c->hint : NULL;
}

/*
 * The entry last seen at this address, if the epoch alone proves its object; else 0. Not one whose record is still to
 * be sent: that needs the fingerprint.
 */
static __always_inline __u32 code_by_epoch(const struct scratch *s, __u64 key)
{
	const __u32 *hint = code_hint(s, key);
	__u32 index = hint ? *hint : 0;
	const struct code *c = bpf_map_lookup_elem(&codes, &index);

	return c && c->key == key && c->epoch == s->epoch && c->state ? index : 0;
}

/*
 * The entry with this fingerprint, added if there is none; 0 when there is no room. The header is in s->code.
 * The fingerprint decides where it is, because thousands of objects may have lived at one address. One word
 * is the whole identity, so that CPUs that meet the object at the same time agree on its entry.
 */
static __always_inline __u32 code_by_fingerprint(struct scratch *s, struct cpu_stats *stats, __u64 key,
						 __u64 fingerprint)
{
	const __u64 identity = mix(key ^ mix(fingerprint)) | 1;
	const __u32 bank = s->bank, mask = opt_code_mask;
	__u32 at = identity >> 1;

	for (int i = 0; i < CODE_PROBES; i++, at += probe_step(identity)) {
		__u32 index = bank_index(bank, mask, at);
		struct code *c = bpf_map_lookup_elem(&codes, &index);
		__u64 old;

		if (!c)
			return 0;
		old = c->identity;
		if (!old)
			old = __sync_val_compare_and_swap(&c->identity, 0, identity);
		if (old && old != identity)
			continue;
		if (old) {
			stats->codes_known++;
		} else {
			stats->codes_new++;
			s->unsettled |= UNSETTLED_NEW;
		}
		c->key = key;
		c->epoch = s->epoch;
		return index;
	}
	return 0;
}

/* Notes the object now at an address; tells when it was another one. */
static __always_inline void code_note(struct scratch *s, struct cpu_stats *stats, __u64 key, __u32 index)
{
	__u32 *hint = code_hint(s, key), last;
	const struct code *c;

	if (!hint || *hint == index)
		return;
	last = *hint;
	*hint = index;
	c = bpf_map_lookup_elem(&codes, &last);
	if (c && last && c->key == key) {
		stats->codes_reused++;
		s->unsettled |= UNSETTLED_REUSED;
	}
}

static __always_inline struct known_code *code_known(struct thread *t, __u64 address)
{
	return &t->known[(address >> 4 ^ address >> 10) & (KNOWN_CODES - 1)];
}

/*
 * Finds the number of the code object at address, adds it and sends its names if it is new. Returns its enum
 * code_state, or -1 when there is no room.
 */
static __always_inline int code_intern(struct scratch *s, struct cpu_stats *stats, struct thread *t,
				       const struct layout *l, __u64 address, __u32 *ret_index)
{
	const __u64 key = code_key(s->process, address);
	struct known_code *known = code_known(t, address);
	__u64 fingerprint = 0;
	struct code *c;
	__u32 index;

	if (s->epoch && known->address == address && known->epoch == s->epoch && known->process == s->process) {
		stats->codes_known++;
		*ret_index = known->index;
		return CODE_SENT;
	}
	index = s->epoch ? code_by_epoch(s, key) : 0;
	if (index) {
		stats->codes_known++;
	} else {
		fingerprint = code_fingerprint(s, l, address);
		index = code_by_fingerprint(s, stats, key, fingerprint);
		if (index)
			code_note(s, stats, key, index);
	}
	c = bpf_map_lookup_elem(&codes, &index);
	if (!index || !c)
		return -1;
	if (fingerprint && code_is_shim(s, l))
		c->state = CODE_SHIM;
	if (!(c->state & (CODE_SENT | CODE_SHIM)))
		code_send(s, stats, l, c, index, address, fingerprint);
	*ret_index = index;
	if (c->state == CODE_SENT) {
		known->address = address;
		known->epoch = s->epoch;
		known->process = s->process;
		known->index = index;
	}
	return c->state & (CODE_SENT | CODE_SHIM);
}

#endif
