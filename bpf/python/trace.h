/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace.h - with --trace: the ids of the current span (bpf/abi/trace.h): that of OpenTelemetry's SDK, or the
 * one that the thread publishes (thread_context.h). Nothing is remembered of one sample for the next. What an
 * object is, its type says; a key of a dict is one if it is the very object.
 */
#ifndef PYPERF_BPF_PYTHON_TRACE_H
#define PYPERF_BPF_PYTHON_TRACE_H

#include "bpf/base/hash.h"
#include "bpf/base/ring.h"
#include "bpf/python/context.h"
#include "bpf/python/thread_context.h"

#define TRACE_DIGITS	 5    /* of an int of 128 bits, at most */
#define TRACE_KEYS_LARGE 0xff /* dk_size of a table whose indices have more than a byte */
#define TRACE_WAKE_NS	 1000000 /* between two spans for which a CPU wakes user space */

static __always_inline void trace_begin(struct scratch *s)
{
	s->trace.ids = (struct trace_ids){};
}

/* --- a dict ------------------------------------------------------------------------------------------- */

struct trace_search {
	struct scratch *s;
	__u64 key;
	__u32 words; /* of an entry: three, or two without the hash */
};

static long trace_entry(__u32 i, struct trace_search *c)
{
	const __u32 at = i * c->words + c->words - 2;
	const __u64 *entries = c->s->trace.entries;

	if (entries[at & (TRACE_ENTRY_WORDS - 1)] != c->key)
		return 0;
	c->s->trace.found = entries[(at + 1) & (TRACE_ENTRY_WORDS - 1)];
	return 1;
}

/*
 * What a dict has for a key, by its table of keys, goes to s->trace.found: 0 = nothing. A global function:
 * the verifier looks at it once. 0, or negative if it cannot be read.
 */
__noinline int trace_find(struct scratch *s, const struct context_vars *v, __u64 keys, __u64 key)
{
	struct trace_search c = { .s = s, .key = key, .words = 3 };
	__u64 entries, count;
	__u32 bytes;

	if (!opt_trace || !s || !v)
		return -1;
	s->trace.found = 0;
	if (!mem_plausible(keys) || walk_read(&s->walk, s->trace.words, sizeof(s->trace.words), keys))
		return -1;
	if (v->trace.keys_are_old) {
		count = s->trace.words[4];
		entries = keys + TRACE_KEYS_OLD + s->trace.words[1];
		if (s->trace.words[1] > TRACE_KEYS_LARGE)
			return -1;
	} else {
		count = s->trace.words[3];
		entries = keys + TRACE_KEYS_NEW + (1ULL << (s->trace.words[1] >> 8 & 31));
		c.words = s->trace.words[1] >> 16 & 0xff ? 2 : 3;
	}
	bytes = (count < TRACE_ENTRIES ? count : TRACE_ENTRIES) * c.words * sizeof(__u64);
	mem_opaque(bytes);
	if (bytes > sizeof(s->trace.entries) || walk_read(&s->walk, s->trace.entries, bytes, entries))
		return -1;
	bpf_loop(bytes / (c.words * sizeof(__u64)), trace_entry, &c, 0);
	return 0;
}

/* Reads ma_keys and ma_values of a dict to s->trace.words. */
static __always_inline int trace_dict(struct scratch *s, const struct context_vars *v, __u64 dict)
{
	return mem_plausible(dict) ? walk_read(&s->walk, s->trace.words, 2 * sizeof(__u64),
					       dict + v->head + TRACE_MA_KEYS) : -1;
}

/* --- an attribute of an instance ---------------------------------------------------------------------- */

/* The index-th of an instance's values; 0 = there is none. */
static __always_inline __u64 trace_value(struct scratch *s, const struct context_vars *v, __u64 values,
					 __u32 index)
{
	if (v->trace.values == TRACE_INLINE)
		values += TRACE_VALUES_HEAD;
	return search_read(s, values + sizeof(__u64) * index);
}

/* The word of an object that leads to its dict, or in 3.12 to its values. */
static __always_inline __u64 trace_dict_word(struct scratch *s, const struct context_vars *v,
					     const struct trace_class *k, __u64 object)
{
	if (v->trace.values == TRACE_DICT)
		return search_read(s, object + k->at);
	return search_read(s, object - (v->head == OBJECT_HEAD ? 3 : 1) * sizeof(__u64));
}

/* Where the values of an instance are, unless it has a dict of its own; 0 = it has. */
static __always_inline __u64 trace_values(struct scratch *s, const struct context_vars *v,
					  const struct trace_class *k, __u64 object, __u64 dict_word)
{
	if (v->trace.values == TRACE_INLINE)
		return search_read(s, object + k->at) >> 24 & 0xff ? object + k->at : 0;
	if (v->trace.values == TRACE_TAGGED)
		return dict_word & 1 ? dict_word + 1 : 0;
	return v->trace.values == TRACE_POINTER ? search_read(s, object - 4 * sizeof(__u64)) : 0;
}

/* The attribute _context of a span of this class; 0 = it cannot be had. */
static __always_inline __u64 trace_attribute(struct scratch *s, const struct context_vars *v,
					     const struct trace_class *k, __u64 object)
{
	const __u64 word = v->trace.values == TRACE_INLINE ? 0 : trace_dict_word(s, v, k, object);
	const __u64 values = trace_values(s, v, k, object, word);
	__u64 dict = word;

	if (values)
		return trace_value(s, v, values, k->index);
	if (v->trace.values == TRACE_INLINE)
		dict = trace_dict_word(s, v, k, object);
	if (trace_dict(s, v, dict))
		return 0;
	if (s->trace.words[1])
		return trace_value(s, v, s->trace.words[1], k->index);
	return trace_find(s, v, s->trace.words[0], v->trace.name) ? 0 : s->trace.found;
}

static __always_inline const struct trace_class *trace_class(const struct context_vars *v, __u64 type)
{
	for (int i = 0; i < TRACE_CLASSES; i++)
		if (i < v->trace.count && v->trace.classes[i].type == type)
			return &v->trace.classes[i];
	return NULL;
}

/* --- ids ---------------------------------------------------------------------------------------------- */

/* How many digits the int has whose words were read; more than TRACE_DIGITS if it is negative, or no int. */
static __always_inline __u64 trace_digits(struct scratch *s, const struct context_vars *v)
{
	const __u64 word = s->context.object.words[0];

	if (context_type(s, v) != CONTEXT_INT || (v->int_tag && (word & 3) == 2))
		return TRACE_DIGITS + 1;
	return v->int_tag ? word >> 3 : word;
}

/* An int of 128 bits at most. 0, or negative. */
static __always_inline int trace_int(struct scratch *s, const struct context_vars *v, __u64 object,
				     __u64 *ret_high, __u64 *ret_low)
{
	__u32 digit[TRACE_DIGITS] = {}, bytes;
	__u64 digits, rest;

	if (context_object(s, v, object))
		return -1;
	digits = trace_digits(s, v);
	if (digits > TRACE_DIGITS)
		return -1;
	if (digits > 0)
		digit[0] = s->context.object.words[1] & DIGIT_MASK;
	if (digits > 1)
		digit[1] = s->context.object.words[1] >> 32 & DIGIT_MASK;
	rest = object + v->head + CONTEXT_DIGITS + sizeof(__u64);
	bytes = digits > 2 ? (digits - 2) * sizeof(__u32) : 0;
	mem_opaque(bytes);
	if (bytes && (bytes > 3 * sizeof(__u32) || walk_read(&s->walk, digit + 2, bytes, rest)))
		return -1;
	*ret_low = digit[0] | (__u64)digit[1] << DIGIT_BITS | (__u64)digit[2] << 2 * DIGIT_BITS;
	*ret_high = digit[2] >> 4 | (__u64)digit[3] << 26 | (__u64)digit[4] << 56;
	return digit[4] >> 8 ? -1 : 0;
}

/* The ids in a tuple, which become those of the sample. 0, or negative. */
static __always_inline int trace_tuple(struct scratch *s, const struct context_vars *v, __u64 tuple)
{
	__u64 items[2] = {}, more = 0;
	struct trace_ids ids = {};

	if (context_object(s, v, tuple) || s->context.object.type != v->trace.ids_type ||
	    s->context.object.words[0] < 2 ||
	    walk_read(&s->walk, items, sizeof(items), tuple + v->head + v->trace.tuple_items) ||
	    trace_int(s, v, items[0], &ids.high, &ids.low) || trace_int(s, v, items[1], &more, &ids.span) ||
	    more)
		return -1;
	if (ids.high | ids.low) /* else it is no span's: INVALID_SPAN_CONTEXT */
		s->trace.ids = ids;
	return 0;
}

/* The ids of the span that a context of the SDK has. 0, also if it has none; or negative. */
static __always_inline int trace_context(struct scratch *s, const struct context_vars *v, __u64 context)
{
	const struct trace_class *k;
	__u64 span;

	if (trace_dict(s, v, context) || s->trace.words[1] ||
	    trace_find(s, v, s->trace.words[0], v->trace.span_key))
		return -1;
	span = s->trace.found;
	if (!span)
		return 0;
	if (context_object(s, v, span))
		return -1;
	s->trace.span = span;
	k = trace_class(v, s->context.object.type);
	return k ? trace_tuple(s, v, trace_attribute(s, v, k, span)) : -1;
}

/*
 * Tells user space of a span that it was not told of, or not lately: its route has to be read while it lives.
 * Not inlined, because its record would take up stack that the walk needs.
 */
static __noinline void trace_tell(struct scratch *s, struct cpu_stats *count)
{
	const __u64 about = mix(s->trace.ids.span ^ mix(s->trace.ids.low ^ opt_secret)) | 1;
	__u32 slot = about >> 32 & (SPANS_TOLD - 1);
	__u64 *last = bpf_map_lookup_elem(&spans_told, &slot), wakeup, now;
	struct record_span e = { .type = RECORD_SPAN };

	if (!last || *last == about)
		return;
	*last = about;
	e.pid = s->who.known_tgid;
	e.id = s->who.known.id;
	e.address = s->trace.span;
	e.ids = s->trace.ids;
	wakeup = records_wakeup();
	now = bpf_ktime_get_ns();
	if (now - s->trace.woken > TRACE_WAKE_NS) {
		s->trace.woken = now;
		wakeup = BPF_RB_FORCE_WAKEUP;
	}
	if (bpf_ringbuf_output(&records, &e, sizeof(e), wakeup))
		count->ring_full++;
}

/* The ids of OpenTelemetry's SDK. 0, also if it has no span; or negative. */
static __always_inline int trace_sdk(struct scratch *s, const struct layout *l, const struct context_vars *v,
				     __u64 tstate)
{
	if (!v->trace.count || !context_begin(s, l, v, tstate))
		return 0;
	context_find(s, v, TRACE_KEY);
	return s->context.value ? trace_context(s, v, s->context.value) : 0;
}

/*
 * Before the walk of a thread with this thread state: the ids of its current span go with the sample. Always
 * 0. A global function: the verifier then does not follow each result on its own.
 */
__noinline int trace_read(struct scratch *s, struct cpu_stats *count, const struct layout *l, __u64 tstate)
{
	struct context_vars *v;
	__u32 index;
	int err;

	if (!opt_trace || !s || !count || !l)
		return -1;
	index = s->who.known.contexts - 1;
	v = bpf_map_lookup_elem(&contexts, &index);
	if (!v)
		return 0;
	err = trace_sdk(s, l, v, tstate);
	if (!s->trace.ids.span && thread_context_is_read(&v->thread)) {
		s->trace.span = 0;
		err = thread_context_read(s, v);
	}
	if (s->trace.ids.span) {
		count->trace_spans++;
		if (s->trace.span)
			trace_tell(s, count);
	} else if (err) {
		count->trace_unknown++;
	}
	return 0;
}

#endif
