// SPDX-License-Identifier: GPL-2.0-only
/*
 * sampler.c - the sampler of bpf/, compiled for the host, on an interpreter whose memory somebody has forged:
 * words of it become anything, most of all addresses of other parts of it, between ticks as well. Each tick
 * has one outcome, and what it reads is bounded (bpf/data/budget.h).
 */
#define PY_ARENA     (1UL << 20)
#define HOSTED_NODES (1U << 12)
#define HOSTED_CODES (1U << 10)

#include "tests/fuzz/fuzz.h"
#include "tests/forge/hosted.h"
#include "tests/forge/interpreter.h"

const char *const fuzz_corpus = "sampler";

#define THREAD_ID 0x7f1234567000ULL
#define TICKS_MAX 6

static const __u32 minors[] = {
	0x030b, 0x030c, 0x030d, 0x030e, 0x030f, FORGE_THREADED | 0x030d, FORGE_THREADED | 0x030e,
	FORGE_THREADED | 0x030f, 0x0207, 0x0306, 0x0307, 0x0308, 0x0309, 0x030a,
};

static __u64 reads;

/* Beyond what is forged nothing is there. */
static int mem_read(void *to, __u32 size, __u64 address)
{
	const __u64 arena = py_address(py.arena);

	reads++;
	if (address < arena || address > arena + py.used || size > arena + py.used - address)
		return -EFAULT;
	memcpy(to, (void *)(unsigned long)address, size);
	return 0;
}

/* A thread in the middle of something: functions, calls through C, generators; and a second one. */
static void forge_stack(__u32 minor, unsigned int depth)
{
	struct py_thread *t;
	__u64 code;

	py_begin(minor);
	if (!py.l.runtime_interpreters) /* variables of their own, of which a stripped one shows only this */
		py.l.runtime_tstate = 16;
	code = py_code("function");
	t = py_start_thread(THREAD_ID);
	if (py.l.runtime_tstate)
		forge_put(py.runtime, py.l.runtime_tstate, py_address(t->tstate), 8);
	for (unsigned int i = 0; i < depth; i++) {
		if (i % 7 == 3)
			py_push_shim(t);
		if (i % 5 == 4)
			py_push_generator(t, py_code("generator"), i % 9);
		else
			py_push(t, code, i % 11);
	}
	t = py_start_thread(THREAD_ID + 4096);
	py_push(t, code, 1);
}

/*
 * What all walks of one tick may read, as tests/unit/driven/driven_hostile.h has it: with the cache, in full,
 * and the callers. The rest is code objects with their names and tables, at most so many that are sent.
 */
static __u64 bytes_allowed(void)
{
	const __u64 blocks = BLOCK_BYTES_MIN + BLOCK_BYTES * opt_max_depth + BLOCK_SIZE;
	const __u64 steps = 3 * (4 * opt_max_depth + 64), headers = 1024 * 256ULL;
	const __u64 sent = 64 * (2 * STRING_MAX + LINETABLE_SMALL + 1024ULL);

	return blocks + steps * FRAME_READ_MAX + headers + sent + 512 * TSTATE_READ;
}

static void tick(void)
{
	const __u64 bytes = hosted.stats.read_bytes;
	enum outcome outcome;

	reads = 0;
	outcome = hosted_sample();
	FUZZ_CHECK(outcome < OUTCOME_COUNT);
	FUZZ_CHECK(hosted.scratch->walk.depth <= opt_max_depth);
	FUZZ_CHECK(hosted.stats.read_bytes - bytes <= bytes_allowed());
	FUZZ_CHECK(reads <= 20 * opt_max_depth);
}

/* Words that are not 0: what the interpreter consists of. Most of its memory is empty. */
static __u64 *words[PY_ARENA / 8];
static size_t word_count;

static void find_words(void)
{
	__u64 *word = (void *)py.arena;

	word_count = 0;
	for (size_t i = 0; i < py.used / 8; i++)
		if (word[i])
			words[word_count++] = &word[i];
}

/* One change: how, where and what. */
struct change {
	uint8_t how, at[3];
	uint8_t value[8];
};

static void change_memory(const struct change *c)
{
	__u64 *at = words[(c->at[0] | c->at[1] << 8 | c->at[2] << 16) % word_count], value;

	memcpy(&value, c->value, sizeof(value));
	switch (c->how % 8) {
	case 0:
		*at = value;
		break;
	case 1: /* an address of anything, */
		*at = py_address(py.arena) + value % py.used;
		break;
	case 2: /* ... of something, */
		*at = py_address(words[value % word_count]);
		break;
	case 3: /* some bytes of it */
		memcpy((char *)at + c->value[0] % 8, c->value + 1, c->value[0] / 8 % 7 + 1);
		break;
	case 4: /* a piece that is elsewhere, too */
		memmove(at, py.arena + value % (py.used - 64), py.arena + py.used - 64 > (__u8 *)at ? 64 : 8);
		break;
	default: /* what another word says, as another frame for a caller */
		*at = *words[value % word_count];
	}
}

static void introduce(void)
{
	hosted_clear();
	hosted.layout = py.l;
	hosted.process = (struct process){
		.runtime = py_address(py.runtime),
		.id = 1,
		.state = PROCESS_PYTHON,
	};
	hosted_task.pid = hosted_task.tgid = 4711;
	hosted_task.thread_pointer = THREAD_ID;
}

/* version, reads and depth, changes: the highest bit of `how` says that a tick comes before it */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct change c;
	int ticks = 1;

	if (size < 2)
		return 0;
	if (!hosted.nodes)
		FUZZ_CHECK(!hosted_begin());
	forge_stack(minors[data[0] % ARRAY_SIZE(minors)], data[1] / 2);
	introduce();
	find_words();
	hosted.single = data[1] & 1;
	for (size_t at = 2; at + sizeof(c) <= size; at += sizeof(c)) {
		memcpy(&c, data + at, sizeof(c));
		if (c.how & 128 && ticks++ < TICKS_MAX)
			tick();
		change_memory(&c);
	}
	tick();
	return 0;
}
