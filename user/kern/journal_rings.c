// SPDX-License-Identifier: GPL-2.0-only
/*
 * journal_rings.c - see journal_rings.h. The programs go on writing while a ring is read. So every word is
 * read once, and a record counts only if both of its words are of the lap that it should have.
 */
#include "kern/journal_rings.h"

#include <errno.h>
#include <stdlib.h>

#include <bpf/libbpf.h>

#include "base/clock.h"
#include "bpf/abi.h"
#include "kern/object.h"
#include "pyperf.skel.h"

_Static_assert(sizeof(struct journal_ring) % 64 == 0, "a ring ends where a line of the cache does");

int journal_rings_prepare(struct pyperf *s, int cpus, bool wanted)
{
	bpf_map__set_autocreate(s->maps.journals, wanted);
	return bpf_map__set_max_entries(s->maps.journals, cpus);
}

int journal_rings_open(struct journal_rings *j, const struct side *side, int cpus)
{
	void *rings;
	int err;

	if (!side->rodata->opt_log)
		return 0;
	j->read = calloc(cpus, sizeof(*j->read));
	if (!j->read)
		return -ENOMEM;
	err = table_map(&side->journals, false, &rings);
	if (err)
		return err;
	j->table = side->journals;
	j->rings = rings;
	j->count = cpus;
	return 0;
}

void journal_rings_close(struct journal_rings *j)
{
	table_unmap(&j->table, j->rings);
	free(j->read);
	*j = (struct journal_rings){};
}

static __u64 head_of(const struct journal_ring *ring)
{
	return __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
}

/* A record has the low bits of a time, which is less than half of their range away from now. */
static __u64 time_of(__u64 when, __u64 now)
{
	const __u64 passed = (now << (64 - JOURNAL_TIME_BITS)) -
			     (when >> (NODE_BITS + JOURNAL_LAP_BITS) << (64 - JOURNAL_TIME_BITS));

	return now - (__u64)((__s64)passed >> (64 - JOURNAL_TIME_BITS));
}

static struct journal_sample unpack(__u64 when, __u64 what, __u64 now)
{
	return (struct journal_sample){
		.ns = time_of(when, now),
		.node = when >> JOURNAL_LAP_BITS & ((1U << NODE_BITS) - 1),
		.amount = what >> (JOURNAL_KIND_BITS + JOURNAL_KIND_SHIFT),
		.kind = journal_kind_of(what),
		.is_span = what >> JOURNAL_LAP_BITS & 1,
	};
}

/* Whether the record that is the position-th of the ring is there, as a whole. */
static bool read_record(const struct journal_ring *ring, __u64 position, __u64 *ret_when, __u64 *ret_what)
{
	const struct journal_record *r = &ring->records[position % JOURNAL_RECORDS];
	const __u32 lap = journal_lap(position);

	*ret_when = __atomic_load_n(&r->when, __ATOMIC_ACQUIRE);
	*ret_what = __atomic_load_n(&r->what, __ATOMIC_ACQUIRE);
	return journal_lap_of(*ret_when) == lap && journal_lap_of(*ret_what) == lap;
}

/* Whether the ids behind this record are there, as a whole. */
static bool read_ids(const struct journal_ring *ring, __u64 position, struct trace_ids *ret)
{
	__u64 words[2 * JOURNAL_IDS_RECORDS];

	for (int i = 0; i < JOURNAL_IDS_RECORDS; i++) {
		__u64 when, what;

		if (!read_record(ring, position + 1 + i, &when, &what) ||
		    journal_kind_of(what) != JOURNAL_IDS)
			return false;
		words[2 * i] = when >> JOURNAL_LAP_BITS;
		words[2 * i + 1] = what >> (JOURNAL_KIND_BITS + JOURNAL_KIND_SHIFT);
	}
	*ret = journal_ids(words);
	return true;
}

/*
 * Reads the sample at this position. Returns how many records it has: 0 = they are not all there. Where
 * samples were written over, the first records may be ids of a sample that is lost: they have no amount.
 */
static int read_sample(const struct journal_ring *ring, __u64 position, __u64 now, struct journal_sample *ret)
{
	__u64 when, what;

	*ret = (struct journal_sample){};
	if (!read_record(ring, position, &when, &what))
		return 0;
	if (journal_kind_of(what) == JOURNAL_IDS)
		return 1;
	*ret = unpack(when, what, now);
	if (!(what >> (1 + JOURNAL_LAP_BITS) & 1))
		return 1;
	return read_ids(ring, position, &ret->ids) ? 1 + JOURNAL_IDS_RECORDS : 0;
}

/* Returns how many were lost, or -errno. */
static __s64 read_ring(const struct journal_ring *ring, __u64 *read,
		       int (*take)(void *context, const struct journal_sample *s), void *context)
{
	const __u64 head = head_of(ring), now = clock_ns();
	__s64 lost = 0;

	if (head - *read > JOURNAL_RECORDS) {
		lost = head - *read - JOURNAL_RECORDS;
		*read += lost;
	}
	while (*read < head) {
		struct journal_sample s;
		int n = read_sample(ring, *read, now, &s), err = 0;

		if (!n && head_of(ring) - *read < JOURNAL_RECORDS)
			break; /* its program was interrupted: it comes */
		if (!n)
			lost++; /* written over meanwhile */
		else if (s.amount)
			err = take(context, &s);
		if (err)
			return err;
		*read += n ?: 1;
	}
	return lost;
}

__s64 kernel_read_journal(struct kernel *k, int (*take)(void *context, const struct journal_sample *s),
			  void *context)
{
	const struct journal_rings *j = &k->journal;
	__s64 sum = 0;

	for (int cpu = 0; cpu < j->count; cpu++) {
		const __s64 lost = read_ring(&j->rings[cpu], &j->read[cpu], take, context);

		if (lost < 0)
			return lost;
		sum += lost;
	}
	return sum;
}

double kernel_journal_fullness(const struct kernel *k)
{
	const struct journal_rings *j = &k->journal;
	__u64 most = 0;

	for (int cpu = 0; cpu < j->count; cpu++) {
		const __u64 waiting = head_of(&j->rings[cpu]) - j->read[cpu];

		most = waiting > most ? waiting : most;
	}
	return (double)most / JOURNAL_RECORDS;
}
