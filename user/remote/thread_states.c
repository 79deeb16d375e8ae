// SPDX-License-Identifier: GPL-2.0-only
#include "remote/thread_states.h"

#include "python/target_walk.h"

#define INTERPRETERS_MAX 64
#define RECORD_BYTES	 1024 /* of the C library's record, in which the number is looked for */
#define RECORDS_COMPARED 32
#define NATIVE_ID	 8    /* native_thread_id stands behind thread_id (3.11 to 3.15) */
#define GIL_LOCKED	 8    /* _gil_runtime_state.locked, an int, behind last_holder (3.12 to 3.15) */
#define HAS_NATIVE_ID	 0x030b0000

__u64 thread_states_gil_holder(const struct thread_state *t, const struct layout *l, __u64 runtime)
{
	__u64 holder = 0;

	if (l->runtime_tstate)
		holder = read_word(runtime + l->runtime_tstate);
	else if (t->gil && (__u32)read_word(t->gil + l->gil_holder + GIL_LOCKED) == 1)
		holder = read_word(t->gil + l->gil_holder);
	return mem_plausible(holder) ? holder : 0;
}

/* A thread state, read at once: a word costs as much as all of it. */
struct state_copy {
	__u64 address;
	bool is_read; /* else its end may not be mapped, and each word is read by itself */
	__u8 bytes[TSTATE_READ + 2 * sizeof(__u64)];
};

static __u64 field(const struct state_copy *c, unsigned int offset)
{
	__u64 value;

	if (!c->is_read || offset > sizeof(c->bytes) - sizeof(value))
		return read_word(c->address + offset);
	memcpy(&value, c->bytes + offset, sizeof(value));
	return value;
}

/* Whether this status word is that of a thread state that its thread uses now, and has not taken apart. */
static bool is_attached(const struct layout *l, __u32 status)
{
	return status & l->status_active && (status & ~(__u32)l->status_may) == l->status_living;
}

/* Adds the thread state, and says where the next one is; 0 when this is none of that interpreter. */
static __u64 add_state(struct thread_states *s, const struct layout *l, __u64 interp, __u64 tstate)
{
	struct thread_state *t = &s->list[s->count];
	struct state_copy c = { .address = tstate };

	if (!mem_plausible(tstate))
		return 0;
	c.is_read = !mem_read(c.bytes, sizeof(c.bytes), tstate);
	if (field(&c, l->tstate_interp) != interp)
		return 0;
	*t = (struct thread_state){
		.address = tstate, .interp = interp, .id = field(&c, l->tstate_thread_id)
	};
	if (l->version >= HAS_NATIVE_ID)
		t->own_tid = (pid_t)field(&c, l->tstate_thread_id + NATIVE_ID);
	t->active = is_attached(l, (__u32)field(&c, l->tstate_status));
	s->count++;
	return field(&c, l->tstate_next);
}

/* Up to 3.11 all interpreters share one GIL, from 3.12 on each may have its own. */
static __u64 find_gil(const struct layout *l, __u64 runtime, __u64 interp)
{
	__u64 gil = l->interp_gil ? read_word(interp + l->interp_gil) : 0;

	if (l->runtime_gil)
		gil = runtime + l->runtime_gil;
	return mem_plausible(gil) ? gil : 0;
}

static void read_interpreter(struct thread_states *s, const struct layout *l, __u64 runtime, __u64 interp)
{
	const __u64 gil = find_gil(l, runtime, interp);
	__u64 tstate = read_word(interp + l->interp_threads);

	while (s->count < THREAD_STATES_MAX) {
		const size_t at = s->count;
		const __u64 next = add_state(s, l, interp, tstate);

		if (s->count == at)
			break;
		s->list[at].gil = gil;
		tstate = next;
	}
	s->is_cut |= tstate != 0;
}

int thread_states_read(struct thread_states *s, pid_t memory, const struct layout *l, __u64 runtime)
{
	__u64 interp;

	target_memory_choose(memory);
	s->count = 0;
	s->is_cut = false;
	interp = target_first_interpreter(l, runtime);
	for (int i = 0; i < INTERPRETERS_MAX && mem_plausible(interp); i++) {
		read_interpreter(s, l, runtime, interp);
		interp = read_word(interp + l->interp_next);
	}
	s->is_cut |= interp != 0;
	return target_memory_error();
}

static bool is_thread(const struct proc_thread *threads, size_t count, __u32 number)
{
	for (size_t i = 0; i < count; i++)
		if ((__u32)threads[i].own_tid == number)
			return true;
	return false;
}

/* Whether the records have numbers of threads there, and each another one. */
static bool is_place(const struct thread_states *s, const struct proc_thread *threads, size_t count,
		     __u32 offset)
{
	const size_t records = s->count < RECORDS_COMPARED ? s->count : RECORDS_COMPARED;
	__u32 numbers[RECORDS_COMPARED];

	for (size_t i = 0; i < records; i++) {
		numbers[i] = (__u32)read_word(s->list[i].id + offset);
		if (!is_thread(threads, count, numbers[i]))
			return false;
		for (size_t j = 0; j < i; j++)
			if (numbers[j] == numbers[i] && s->list[j].id != s->list[i].id)
				return false;
	}
	return records;
}

void thread_states_match(struct thread_states *s, const struct proc_thread *threads, size_t count)
{
	__u32 offset = 0;

	if (!s->count || s->list[0].own_tid)
		return;
	while (offset < RECORD_BYTES && !is_place(s, threads, count, offset))
		offset += 4;
	for (size_t i = 0; i < s->count && offset < RECORD_BYTES; i++)
		s->list[i].own_tid = (pid_t)read_word(s->list[i].id + offset);
}

const struct thread_state *thread_states_of(const struct thread_states *s, pid_t own_tid)
{
	const struct thread_state *found = NULL;

	for (size_t i = 0; i < s->count; i++) {
		const struct thread_state *t = &s->list[i];

		if (t->own_tid != own_tid)
			continue;
		if (t->active)
			return t;
		found = found ?: t;
	}
	return found;
}

bool thread_states_are_all(const struct thread_states *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (!s->list[i].own_tid)
			return false;
	return s->count && !s->is_cut;
}
