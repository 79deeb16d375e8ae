// SPDX-License-Identifier: GPL-2.0-only
/*
 * proof.c - see proof.h. Frames are walked by the kernel side's bpf/python/walk.h and code objects read by
 * its bpf/python/capture.h, so what is proved is what will be used. Everything read is hostile, and changes
 * meanwhile.
 */
#include "python/proof.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/hash.h"

#define ATTEMPTS	 50
#define EAGER_ATTEMPTS	 10	/* without a pause; there are no more of them if there is nothing to see */
#define PAUSE_NS	 50000	/* before each of the others, so that the target gets on */
#define TIME_MAX	 200	/* ms of CPU time for all of them; a hostile process could make one long */
#define INTERPRETERS_MAX 16
#define THREADS_MAX	 256	/* looked at in one attempt */
#define STRETCHES_MAX	 4	/* of DEPTH_LIMIT frames each; so many are no accident, even without a root */
#define CODES_SLOTS	 1024	/* a power of two; half of it is the limit of code objects looked at */
#define NAME_MAX_LENGTH	 (1 << 20)
#define LASTI_MAX	 (1 << 24)

#ifdef __aarch64__
#define GLIBC_TID 208	    /* nptl/descr.h: struct pthread.tid, glibc 2.31 to 2.41 */
#define TID_MAX	  (1 << 22) /* Linux: PID_MAX_LIMIT */
#endif

static const char bad_list[] = "the thread list is not where this version has it";
static const char bad_thread_id[] =
	"thread states do not hold the ids of threads where this version has them";
static const char bad_walk[] = "the stacks of its threads do not lead to where those of this version end";
static const char bad_code[] =
	"the frames of its stacks do not hold code objects where this version has them";
static const char bad_names[] =
	"its code objects do not hold names and line tables where this version has them";
static const char too_slow[] = "the stacks of its threads take too long to walk";
static const char bad_instr[] = "the frames of its stacks do not stand in the bytecode of their code objects";

#include "python/objects.h"

/* CPU time: that others have the CPU says nothing of a layout. Who makes us wait is stopped by worker.c. */
static __u64 spent_ms(void)
{
	return clock_ns_of(CLOCK_PROCESS_CPUTIME_ID) / NS_PER_MS;
}
#include "python/target_walk.h"

#include "bpf/python/capture.h"

/* One attempt. */
static struct proof_state {
	const struct layout *layout;
	const char *reason;
	__u64 end; /* spent_ms(): of all attempts */
	unsigned int threads;
	unsigned int python; /* frames of the stack */
	__u32 head;	     /* bytes of an object's header */
	__u64 code_type;
	__u64 sized_code, size; /* the code object whose bytecode was last measured, and its size in bytes */
	unsigned int code_count;
	__u64 codes[CODES_SLOTS]; /* the code objects that were looked at; open addressing, 0 = free */
	__u8 tstate[TSTATE_READ + sizeof(__u64)];
	struct walk walk;
	struct record_code record;
} state;

static int contradict(const char *reason)
{
	state.reason = reason;
	return -EPROTO;
}

static __u64 tstate_word(unsigned int offset)
{
	__u64 value;

	if (offset > TSTATE_READ)
		return 0;
	memcpy(&value, state.tstate + offset, sizeof(value));
	return value;
}

/* --- code objects -------------------------------------------------------------------------------------- */

/* Whether the code object was looked at in this attempt. If not, it is noted. */
static bool seen_code(__u64 code)
{
	unsigned int i = hash_bytes(&code, sizeof(code)) & (CODES_SLOTS - 1);

	for (; state.codes[i]; i = (i + 1) & (CODES_SLOTS - 1)) {
		if (state.codes[i] == code)
			return true;
	}
	if (state.code_count == CODES_SLOTS / 2)
		return true;
	state.code_count++;
	state.codes[i] = code;
	return false;
}

static __u64 type_of(__u64 object)
{
	return read_word(object + state.head - sizeof(__u64));
}

static bool has_flag(__u64 object, __u64 flag)
{
	__u64 type = mem_plausible(object) ? type_of(object) : 0;

	return mem_plausible(type) && read_word(type + state.head + TYPE_FLAGS) & flag;
}

static bool is_code(__u64 object)
{
	__u64 type = type_of(object), name;
	char text[sizeof("code")];

	if (type == state.code_type)
		return type;
	if (state.code_type || !mem_plausible(type))
		return false;
	name = read_word(type + state.head + TYPE_NAME);
	if (mem_read(text, sizeof(text), name) || memcmp(text, "code", sizeof(text)))
		return false;
	state.code_type = type;
	return true;
}

static bool is_part(const struct code_part *part, __u64 flag, __u32 most)
{
	return !(part->flags & ~(PART_CUT | PART_BYTES)) && part->length <= most &&
	       has_flag(part->address, flag);
}

/* Include/cpython/unicodeobject.h: a zero follows the last character. Names hold none themselves. */
static bool is_code_name(const struct code_part *part, const __u8 *characters)
{
	const struct layout *l = state.layout;
	__u32 word = 0, end = 0;
	__u64 at;

	if (!is_part(part, l->str_implied ? OBJECTS_BYTES : OBJECTS_STR, NAME_MAX_LENGTH) ||
	    mem_read(&word, sizeof(word), part->address + l->str_state) ||
	    capture_characters(l, part->address, word | l->str_implied, &at) ||
	    mem_read(&end, part->kind, at + (__u64)part->length * part->kind))
		return false;
	return !end && (part->kind != 1 || !memchr(characters, 0, part->bytes));
}

/* Include/cpython/bytesobject.h: a zero follows the last byte here too. */
static bool is_table(const struct code_part *part)
{
	__u8 end = 1;

	return is_part(part, OBJECTS_BYTES, LINETABLE_MAX) &&
	       !mem_read(&end, sizeof(end), part->address + state.layout->bytes_data + part->length) && !end;
}

static int check_code(__u64 code)
{
	const struct record_code *e = &state.record;

	if (seen_code(code))
		return 0;
	if (!is_code(code))
		return contradict(bad_code);
	if (capture_code(&state.record, state.layout, code) || !is_code_name(&e->name, e->data) ||
	    !is_code_name(&e->file, e->data + e->name.bytes) || !is_table(&e->table))
		return contradict(bad_names);
	return 0;
}

/* --- stacks -------------------------------------------------------------------------------------------- */

static bool is_in_bytecode(const struct frame *f)
{
	const struct layout *l = state.layout;
	__u64 size, copy;

	if (l->frame_lasti) /* the size is in another object, whose place is not in the layout */
		return (__s32)f->instr >= -1 && (__s32)f->instr <= LASTI_MAX;
	if (f->code != state.sized_code) { /* deep stacks are mostly recursion */
		state.sized_code = f->code;
		state.size = 2 * (read_word(f->code + state.head) & 0xffffffff);
	}
	size = state.size;
	/* 3.11, 3.12: a unit before the bytecode when the frame has not begun. */
	if (f->instr - (f->code + l->code_bytecode) + 2 <= size + 2)
		return true;
	copy = l->code_tlbc ? target_bytecode_copy(l, f) : 0;
	return mem_plausible(copy) && f->instr - copy < size;
}

static int check_frames(void)
{
	const struct walk *w = &state.walk;
	int err = 0;

	for (__u32 i = 0; i < w->depth && !err; i++) {
		err = check_code(w->frames[i].code);
		if (!err && !is_in_bytecode(&w->frames[i]))
			err = contradict(bad_instr);
	}
	return err;
}

/*
 * Whether the thread state's base frame is what it must be, where there is one: a shim without a caller. A
 * walk that begins there by mistake is whole by itself.
 */
static bool is_base_right(void)
{
	const struct layout *l = state.layout;
	const __u64 base = tstate_word(l->tstate_base_frame);
	__u8 owner = 0;

	return l->root_rule != ROOT_BASE ||
	       (mem_plausible(base) && !read_word(base + l->frame_previous) &&
		!mem_read(&owner, sizeof(owner), base + l->frame_owner) && owner >= l->owner_shim);
}

/* Walks to the root, in several stretches if the stack is deeper than one walk goes. */
static int walk_to_root(__u64 frame)
{
	const struct layout *l = state.layout;
	struct walk *w = &state.walk;
	int err = 0;

	w->max_depth = DEPTH_LIMIT - 1;
	w->single = 0;
	w->keep_shims = 0;
	w->read_bytes = 0;
	state.python = 0;
	walk_begin(w, frame, l->tstate_chunk ? tstate_word(l->tstate_chunk) : 0);
	for (int i = 0; i < STRETCHES_MAX && !err && (!i || w->end == WALK_DEEP); i++) {
		if (i && spent_ms() > state.end)
			return contradict(too_slow);
		if (i)
			w->end = WALK_ON;
		w->depth = w->python = 0;
		walk_run(w, l);
		err = check_frames();
		state.python += w->python;
	}
	if (err || w->end == WALK_DEEP)
		return err;
	return is_base_right() && walk_is_whole(w, l, tstate_word(l->tstate_base_frame)) ?
		       0 :
		       contradict(bad_walk);
}

bool proof_of_thread_id(__u64 id, __u64 (*word_at)(__u64 address))
{
	if (!mem_plausible(id))
		return false;
	if (word_at(id) == id)
		return true;
#ifdef __aarch64__
	return (__u32)word_at(id + GLIBC_TID) - 1 < TID_MAX;
#else
	return false;
#endif
}

/* --- threads ------------------------------------------------------------------------------------------- */

static int try_thread(__u64 tstate, __u64 interp)
{
	const struct layout *l = state.layout;
	__u64 frame, id;
	int err;

	if (!mem_plausible(tstate) || l->tstate_size > TSTATE_READ ||
	    mem_read(state.tstate, l->tstate_size, tstate) || tstate_word(l->tstate_interp) != interp)
		return contradict(bad_list);
	frame = target_newest_frame(l, tstate_word(l->tstate_frame));
	if (!frame)
		return PROOF_NOT_YET;
	err = walk_to_root(frame);
	if (err || !state.python)
		return err;
	id = tstate_word(l->tstate_thread_id);
	return proof_of_thread_id(id, read_word) ? PROOF_HOLDS : contradict(bad_thread_id);
}

/* Any thread proves the layout. One that runs changes its stack; those that wait do not. */
static int try_interpreter(__u64 interp)
{
	__u64 tstate = read_word(interp + state.layout->interp_threads);
	int result = PROOF_NOT_YET, one;

	while (tstate && state.threads++ < THREADS_MAX && spent_ms() <= state.end) {
		one = try_thread(tstate, interp);
		if (one == PROOF_HOLDS)
			return one;
		if (one < 0)
			result = one;
		if (one < 0 && state.reason == bad_list)
			break;
		tstate = tstate_word(state.layout->tstate_next);
	}
	return result;
}

static int attempt(__u64 runtime)
{
	__u64 interp = target_first_interpreter(state.layout, runtime);
	int result = PROOF_NOT_YET, one;

	state.threads = state.code_count = 0;
	state.code_type = state.sized_code = 0;
	memset(state.codes, 0, sizeof(state.codes));
	for (int i = 0; interp && i < INTERPRETERS_MAX; i++) {
		one = mem_plausible(interp) ? try_interpreter(interp) : contradict(bad_list);
		if (one == PROOF_HOLDS)
			return one;
		if (one < 0)
			result = one;
		interp = mem_plausible(interp) ? read_word(interp + state.layout->interp_next) : 0;
	}
	return result;
}

int proof_of_layout(pid_t tid, const struct layout *layout, __u64 runtime, const char **ret_reason)
{
	static const struct timespec pause = { .tv_nsec = PAUSE_NS };
	int result = -EPROTO, one;

	target_memory_choose(tid);
	state.end = spent_ms() + TIME_MAX;
	state.reason = too_slow;
	state.layout = layout;
	state.head = objects_head(layout);
	for (int i = 0; i < (result < 0 ? ATTEMPTS : EAGER_ATTEMPTS) && spent_ms() <= state.end; i++) {
		if (i >= EAGER_ATTEMPTS)
			nanosleep(&pause, NULL);
		one = attempt(runtime);
		if (target_memory_error())
			return target_memory_error();
		if (one == PROOF_HOLDS)
			return one;
		if (one == PROOF_NOT_YET && spent_ms() <= state.end)
			result = one;
	}
	if (result < 0)
		*ret_reason = state.reason;
	return result;
}
