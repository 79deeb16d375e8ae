// SPDX-License-Identifier: GPL-2.0-only
/*
 * variables.c - see variables.h. Python/pystate.c of 2.7 and 3.6 has _PyThreadState_Current, which is
 * exported, and interp_head and autoInterpreterState, which are static: stripping takes their names away.
 * But both point to a PyInterpreterState, and that can be recognized: the first thread state of its list
 * points back to it and holds the id of a thread.
 */
#include "python/variables.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "proc/remote.h"
#include "python/proof.h"
#include "python/target_memory.h"
#include "bpf/base/mem.h"

#define WORDS_MAX    (1 << 18) /* looked at: 2 MiB of data; the interpreter of Debian's 2.7 has 0.6 */
#define POINTERS_MAX (1 << 15) /* followed: each costs a system call or two */
#define CHUNK	     4096

struct variable_search {
	pid_t tid;
	const struct image *image;
	const struct layout *layout;
	__u64 bias;
	unsigned int words, pointers;
};

/* The word at address; 0 if it cannot be read. */
static __u64 word_at(__u64 address)
{
	__u64 value;

	return mem_plausible(address) && !mem_read(&value, sizeof(value), address) ? value : 0;
}

/* Most pointers in an interpreter's data lead to its own functions and tables. */
static bool points_into_image(const struct variable_search *s, __u64 address)
{
	for (int i = 0; i < s->image->load_count; i++) {
		const struct image_load *load = &s->image->load[i];

		if (address - s->bias - load->address < load->memory_size)
			return true;
	}
	return false;
}

static bool is_interpreter(const struct variable_search *s, __u64 address)
{
	__u64 tstate = word_at(address + s->layout->interp_threads), id;

	if (!tstate || word_at(tstate + s->layout->tstate_interp) != address)
		return false;
	id = word_at(tstate + s->layout->tstate_thread_id);
	return proof_of_thread_id(id, word_at);
}

/* The address of the first word in the chunk that points to an interpreter; 0 if there is none. */
static __u64 search_chunk(struct variable_search *s, __u64 start, const __u64 *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!mem_plausible(words[i]) || points_into_image(s, words[i]))
			continue;
		if (s->pointers++ >= POINTERS_MAX)
			return 0;
		if (is_interpreter(s, words[i]))
			return start + i * sizeof(__u64);
	}
	return 0;
}

static __u64 search_load(struct variable_search *s, const struct image_load *load)
{
	__u64 words[CHUNK / sizeof(__u64)];
	__u64 start = (s->bias + load->address + 7) & ~7ULL;
	__u64 end = s->bias + load->address + load->memory_size, found = 0;
	ssize_t n = CHUNK;

	for (__u64 at = start; at < end && n >= (ssize_t)sizeof(__u64) && !found; at += n) {
		n = remote_read_some(s->tid, at, words, end - at < CHUNK ? end - at : CHUNK);
		s->words += CHUNK / sizeof(__u64);
		if (n < (ssize_t)sizeof(__u64) || s->words > WORDS_MAX)
			return 0;
		n &= ~7;
		found = search_chunk(s, at, words, n / sizeof(__u64));
	}
	return found;
}

static __u64 search_data(pid_t tid, const struct image *image, __u64 bias, const struct layout *layout)
{
	struct variable_search s = { .tid = tid, .image = image, .layout = layout, .bias = bias };
	__u64 found = 0;

	for (int i = 0; i < image->load_count && !found; i++) {
		if (image->load[i].flags & PF_W)
			found = search_load(&s, &image->load[i]);
	}
	return found;
}

static bool is_near(__u64 a, __u64 b)
{
	return (a > b ? a - b : b - a) <= INT32_MAX;
}

__u64 variables_address(pid_t tid, const struct image *image, __u64 bias, struct layout *layout)
{
	__u64 thread = bias + image->old_thread, list = image->old_interps ? bias + image->old_interps : 0;
	__u64 other, first = thread;

	target_memory_choose(tid);
	other = list ? list : search_data(tid, image, bias, layout);
	if (other && !is_near(other, thread))
		other = 0;
	if (other && other < thread)
		first = other;
	first -= 8;
	layout->runtime_tstate = thread - first;
	layout->runtime_interpreters = other && list ? other - first : 0;
	layout->runtime_main = other && !list ? other - first : 0;
	return first;
}
