/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * code.h - from the address of a code object to its number, which names one object for good even when its
 * address is used again, and the copy of its names at first sight.
 *
 * An address proves nothing: CPython frees code objects, and makes others in their place. While the code
 * epoch (epoch.h) has not moved, an entry found under it is still right. When it has moved, and in versions
 * without one, the object's header is read and its fingerprint compared.
 */
#ifndef PYPERF_BPF_PYTHON_CODE_H
#define PYPERF_BPF_PYTHON_CODE_H

#include "bpf/base/hash.h"
#include "bpf/base/ring.h"
#include "bpf/data/maps.h"
#include "bpf/python/capture.h"
#include "bpf/python/digest.h"
#include "bpf/python/reads.h"
#include "bpf/python/settled.h"
#include "bpf/tree/bank.h"

#define CODE_PROBES  24	       /* slots of the table that are tried for one object */
#define CAPTURES_MAX 64	       /* records sent by one sample, to bound its time */

/*
 * At the start of a sample: no object was met yet. The epoch is the thread state's, and read_epoch() sets it
 * for every stack that is walked.
 */
static __always_inline void code_begin(struct scratch *s)
{
	s->code.moment = 0;
	s->code.no_epoch = s->code.unsettled = s->code.sent = s->code.unread = 0;
	s->code.recall = RECALL_NOT;
}

/* Reads the object's header into s->header. Returns 0, or negative if it cannot be read. */
static __always_inline int code_read_header(struct scratch *s, const struct layout *l, __u64 address)
{
	__u32 size = l->code_size;

	mem_opaque(size);
	if (size < 16 || size > HEADER_MASK + 1)
		return -1;
	if (walk_read(&s->walk, s->header, size, address))
		return -1;
	/*
	 * This version was never given out. So the field that the layout takes for the next version is
	 * another one.
	 */
	if (s->code.made && header_u32(s->header, l->code_version) >= s->code.made) {
		s->code.no_epoch = 1;
		s->code.epoch = 0;
	}
	return 0;
}

/* The fingerprint, odd, of the object whose header was read. s->code.fault: not all of it could be read. */
static __always_inline __u64 code_fingerprint(struct scratch *s, const struct layout *l)
{
	s->code.fault = 0;
	return digest_code(s->header, l, (__u64 *)s->record.data, &s->code.fault);
}

/*
 * Whether it is 3.12's code object of entry frames, "<interpreter trampoline>" of file "<shim>". Such a frame
 * is linked before its owner is written, by which the walk knows it.
 */
static __always_inline int code_is_trampoline(const struct record_code *e)
{
	static const char begin[8] = "<interpr";

	return e->name.length == sizeof("<interpreter trampoline>") - 1 &&
	       e->file.length == sizeof("<shim>") - 1 && *(const __u64 *)e->data == *(const __u64 *)begin;
}

/* Sends s->record, whose parts are filled, as that of entry c. If the ring is full, c->state stays. */
static __always_inline void code_output(struct scratch *s, struct cpu_stats *count, struct code *c)
{
	__u32 size = capture_size(&s->record);

	mem_opaque(size);
	if (size > sizeof(s->record))
		return;
	if (bpf_ringbuf_output(&records, &s->record, size, records_wakeup()))
		count->ring_full++;
	else
		c->state |= CODE_SENT;
}

/* Begins a record of the entry with this number. */
static __always_inline void code_record(struct scratch *s, __u32 index, __u64 fingerprint)
{
	struct record_code *e = &s->record;

	e->type = RECORD_CODE;
	e->code = index;
	e->process = s->who.process;
	e->pid = bpf_get_current_pid_tgid() >> 32;
	e->fingerprint = fingerprint;
}

/*
 * Sends the names of a code object that was just met. If the ring is full, or CAPTURES_MAX records were sent,
 * c->state stays 0 and the next sample that meets the object tries again.
 */
static __always_inline void code_send(struct scratch *s, struct cpu_stats *count, const struct layout *l,
				      struct code *c, __u32 index, __u64 address, __u64 fingerprint)
{
	if (s->code.sent >= CAPTURES_MAX)
		return;
	s->code.sent++;
	code_record(s, index, fingerprint);
	capture_code(&s->record, l, address);
	if (code_is_trampoline(&s->record))
		c->state |= CODE_SHIM;
	else
		code_output(s, count, c);
}

/*
 * What struct code.identity is for this key and fingerprint. Its upper half depends on the object's header
 * alone, so one read of that says whether an entry may still be right (code_holds()).
 */
static __always_inline __u64 code_identity(__u64 key, __u64 fingerprint)
{
	const __u64 of_header = mix(key ^ mix(fingerprint >> 32 ^ opt_secret));

	return (of_header & FINGERPRINT_HEADER) | (__u32)mix(key ^ mix(fingerprint ^ opt_secret)) | 1;
}

/*
 * Whether the object at address is what it was when it was interned as number index: all of it, or the header
 * alone.
 */
static __always_inline int code_holds(struct scratch *s, const struct layout *l, __u64 address, __u32 index,
				      int whole)
{
	const struct code *c = bpf_map_lookup_elem(&codes, &index);
	const __u64 key = code_key(s->who.process, address);

	if (!c || c->key != key || code_read_header(s, l, address))
		return 0;
	if (whole)
		return c->identity == code_identity(key, code_fingerprint(s, l));
	return !((c->identity ^ code_identity(key, digest_header(s->header, l))) & FINGERPRINT_HEADER);
}

/* The field that notes the number of the object that was last seen at an address. */
static __always_inline __u32 *code_hint(const struct scratch *s, __u64 key)
{
	__u32 index = bank_index(s->tree.bank, opt_code_mask, mix(key));
	struct code *c = bpf_map_lookup_elem(&codes, &index);

	return c ? &c->hint : NULL;
}

/*
 * The number of the object last seen at this address, if the epoch proves that it is still there; else 0. One
 * whose record is still to be sent is not returned, because its record needs the fingerprint.
 */
static __always_inline __u32 code_by_epoch(const struct scratch *s, __u64 key)
{
	const __u32 *hint = code_hint(s, key);
	__u32 index = hint ? *hint : 0;
	const struct code *c = bpf_map_lookup_elem(&codes, &index);

	return c && c->key == key && c->epoch == s->code.epoch && c->state ? index : 0;
}

/*
 * The number of the object with this key and fingerprint, which is added if it is new; 0 when there is no
 * room, or it is new and the process gets none. The fingerprint too decides where its entry stands, because
 * thousands of objects may have lived at one address. One word is the whole identity, so that CPUs that meet
 * the object at the same time agree on its entry.
 */
static __always_inline __u32 code_by_fingerprint(struct scratch *s, struct cpu_stats *count, __u64 key,
						 __u64 fingerprint)
{
	const __u64 identity = code_identity(key, fingerprint);
	const __u32 bank = s->tree.bank, mask = opt_code_mask;
	__u32 at = identity >> 1;

	for (int i = 0; i < CODE_PROBES; i++, at += probe_step(identity)) {
		__u32 index = bank_index(bank, mask, at);
		struct code *c = bpf_map_lookup_elem(&codes, &index);
		__u64 old;

		if (!c)
			return 0;
		old = c->identity;
		if (!old && s->quota.none)
			return 0;
		if (!old)
			old = __sync_val_compare_and_swap(&c->identity, 0, identity);
		if (old && old != identity)
			continue;
		if (old) {
			count->codes_known++;
		} else {
			count->codes_new++;
			s->code.unsettled |= UNSETTLED_NEW;
		}
		c->key = key;
		if (s->code.epoch)
			c->epoch = s->code.epoch;
		return index;
	}
	return 0;
}

/* Notes which object is at an address now, and that addresses are used again if another one was there. */
static __always_inline void code_note(struct scratch *s, struct cpu_stats *count, __u64 key, __u32 index)
{
	__u32 *hint = code_hint(s, key), last;
	const struct code *c;

	if (!hint || *hint == index)
		return;
	last = *hint;
	*hint = index;
	c = bpf_map_lookup_elem(&codes, &last);
	if (c && last && c->key == key) {
		count->codes_reused++;
		s->code.unsettled |= UNSETTLED_REUSED;
	}
}

/* The slot in which the thread remembers the object at this address, if it does. */
static __always_inline struct known_code *code_known(struct thread *t, __u64 address)
{
	return &t->known[(address >> 4 ^ address >> 10) & (KNOWN_CODES - 1)];
}

/*
 * The epoch in which a thread's known code objects are still right, or, without epochs, the sample. The
 * thread is stopped meanwhile, so each object need be looked at only once, however many frames run it. Epochs
 * are odd, samples even.
 */
static __always_inline __u64 code_moment(struct scratch *s)
{
	if (s->code.epoch)
		return s->code.epoch;
	if (!s->code.moment)
		s->code.moment = bpf_ktime_get_ns() << 1;
	return s->code.moment;
}

/* From here on in this sample, without an epoch, objects are read again that were read or recalled before. */
static __always_inline void code_read_anew(struct scratch *s)
{
	s->code.moment = 0;
	s->code.recall = RECALL_NOT;
	s->code.unread = 0;
}

/* The digest of the header in s->header, for struct known_code; not 0. */
static __always_inline __u32 known_digest(const struct scratch *s, const struct layout *l)
{
	return (digest_header(s->header, l) + s->tree.generation) | 1;
}

/*
 * Whether the object at address is the one that the thread remembers there. Without an epoch a settled one
 * (settled.h) is taken for the same if its header still says the same, as long as cached callers of that time
 * are trusted.
 */
static __always_inline int code_is_known(struct scratch *s, const struct thread *t, const struct layout *l,
					 struct known_code *known, __u64 address)
{
	if (known->address != address || known->process != s->who.process)
		return 0;
	if (known->epoch == code_moment(s))
		return 1;
	if (!s->code.recall || !known->digest || known->reading != t->reading ||
	    code_read_header(s, l, address) || known_digest(s, l) != known->digest)
		return 0;
	known->epoch = code_moment(s);
	s->code.recall = RECALL_DONE;
	return 1;
}

/* Remembers the object with the thread; its header is in s->header if it is settled. */
static __always_inline void code_remember(struct scratch *s, const struct thread *t, const struct layout *l,
					  struct known_code *known, __u64 address, __u32 index, int settled)
{
	known->address = address;
	known->epoch = code_moment(s);
	known->process = s->who.process;
	known->index = index;
	known->reading = t->reading;
	known->digest = settled ? known_digest(s, l) : 0;
}

/*
 * Stores the number of the code object at address, which is added, and its names sent, if it is new. Returns
 * its enum code_state, 0 if its names could not be sent, or -1 when there is no room.
 */
static __always_inline int code_intern(struct scratch *s, struct cpu_stats *count, struct thread *t,
				       const struct layout *l, __u64 address, __u32 *ret_index)
{
	const __u64 key = code_key(s->who.process, address);
	struct known_code *known = code_known(t, address);
	__u64 fingerprint = 0;
	int settled = 0;
	struct code *c;
	__u32 index;

	if (code_is_known(s, t, l, known, address)) {
		count->codes_known++;
		*ret_index = known->index;
		return CODE_SENT;
	}
	index = s->code.epoch ? code_by_epoch(s, key) : 0;
	if (index) {
		count->codes_known++;
	} else {
		s->code.fault = 1;
		fingerprint = code_read_header(s, l, address) ? FINGERPRINT_UNREAD : code_fingerprint(s, l);
		s->code.unread |= s->code.fault;
		index = code_by_fingerprint(s, count, key, fingerprint);
		if (index && s->code.epoch)
			code_note(s, count, key, index);
		else if (index && !s->code.fault)
			settled = code_settle(s, count, key, index, t->used);
		if (!s->code.epoch && !settled)
			s->code.unsettled |= UNSETTLED_YOUNG;
	}
	c = bpf_map_lookup_elem(&codes, &index);
	if (!index || !c)
		return -1;
	if (fingerprint && digest_is_shim(s->header, l))
		c->state = CODE_SHIM;
	if (!(c->state & (CODE_SENT | CODE_SHIM)))
		code_send(s, count, l, c, index, address, fingerprint);
	*ret_index = index;
	if (c->state == CODE_SENT)
		code_remember(s, t, l, known, address, index, settled);
	return c->state & (CODE_SENT | CODE_SHIM);
}

#endif
