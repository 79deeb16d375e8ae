// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_rows_unwind_arm64.c - what test_rows_unwind.c does, on arm64: this program goes up its own stack by
 * the rows of its own files, and libgcc has to come to the same addresses and the same stack pointers.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>
#include <unwind.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "elf/rows.h"

#ifdef __aarch64__

#define DEPTH 64

struct frame {
	__u64 pc, sp;
};

struct stack {
	struct frame frames[DEPTH];
	int count;
};

static __u32 slots_seen, kinds_seen; /* as bits */
static bool signal_seen;

/* --- rows of the files that are mapped here ------------------------------------------------------------ */

struct wanted {
	__u64 address;
	char path[4096];
	__u64 offset;
	bool is_kernels;
};

static int on_object(struct dl_phdr_info *info, size_t size, void *context)
{
	struct wanted *w = context;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		const __u64 start = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type != PT_LOAD || w->address - start >= ph->p_memsz)
			continue;
		strcpy(w->path, *info->dlpi_name ? info->dlpi_name : "/proc/self/exe");
		w->offset = w->address - start + ph->p_offset;
		w->is_kernels = info->dlpi_addr + ph->p_vaddr == getauxval(AT_SYSINFO_EHDR);
		return 1;
	}
	return 0;
}

static __u32 rule_for(__u64 pc)
{
	_cleanup_buf_ struct buf bytes = { 0 };
	struct wanted w = { .address = pc };
	_cleanup_close_ int fd = -1;
	struct rows rows;

	assert_int_equal(dl_iterate_phdr(on_object, &w), 1);
	if (w.is_kernels) {
		assert_int_equal(rows_read_vdso(w.offset >> REGION_SHIFT, &bytes), 0);
	} else {
		fd = open(w.path, O_RDONLY | O_CLOEXEC);
		assert_int_equal(rows_read(fd, w.offset >> REGION_SHIFT, &bytes), 0);
	}
	assert_int_equal(rows_parse(bytes.data, bytes.size, &rows), 0);
	return rows_find(&rows, w.offset & ((1U << REGION_SHIFT) - 1));
}

/* --- up the stack by them ------------------------------------------------------------------------------- */

struct registers {
	__u64 pc, sp, bp, link;
	bool exact; /* pc is not a return address */
};

static __u64 word_at(__u64 address)
{
	return *(const __u64 *)address;
}

static void signal_caller(struct registers *r)
{
	const char *sp = (const char *)r->sp;

	memcpy(&r->pc, sp + ARM64_CONTEXT_PC, 8);
	memcpy(&r->bp, sp + ARM64_CONTEXT_BP, 8);
	memcpy(&r->link, sp + ARM64_CONTEXT_LINK, 8);
	memcpy(&r->sp, sp + ARM64_CONTEXT_SP, 8);
	r->exact = true;
	signal_seen = true;
}

static __u64 cfa_of(const struct registers *r, __u32 rule)
{
	switch (rule_kind(rule)) {
	case RULE_SP:
		return r->sp + 8 * rule_argument(rule);
	case RULE_BP:
		return r->bp + 8 * rule_argument(rule);
	case RULE_PAIR:
		return r->sp + 16 * rule_pair_cfa(rule);
	}
	if (rule_is(rule, RULE_SP_FAR))
		return r->sp + 8 * (RULE_WORDS_MAX + 1 + rule_small(rule));
	assert_true(rule_is(rule, RULE_LINK));
	return r->sp + 16 * rule_small(rule);
}

/* False at the root. */
static bool to_caller(struct registers *r)
{
	const __u32 rule = rule_for(r->pc - !r->exact), slot = rule_slot(rule);
	__u64 cfa, pair;

	if (rule_is(rule, RULE_ROOT))
		return false;
	if (rule_is(rule, RULE_SIGNAL)) {
		signal_caller(r);
		return true;
	}
	cfa = cfa_of(r, rule);
	kinds_seen |= 1U << rule_kind(rule);
	if (rule_kind(rule) == RULE_PAIR) {
		pair = r->sp + 16 * rule_pair_at(rule);
	} else if (rule_is(rule, RULE_LINK)) {
		*r = (struct registers){ word_at(cfa - 8 * slot), cfa, r->bp, 0, false };
		return true;
	} else {
		slots_seen |= 1U << slot;
		pair = slot == RULE_SLOT_AT_SP ? r->sp : slot == RULE_SLOT_AT_BP ? r->bp : cfa - 8 * slot;
	}
	if (rule_kind(rule) != RULE_PAIR && slot == RULE_SLOT_SAME) {
		assert_true(r->exact);
		*r = (struct registers){ r->link, cfa, r->bp, 0, false };
		return true;
	}
	*r = (struct registers){ word_at(pair + 8), cfa, word_at(pair), 0, false };
	return true;
}

static _Unwind_Reason_Code on_frame(struct _Unwind_Context *context, void *to)
{
	struct stack *s = to;

	if (s->count == DEPTH)
		return _URC_END_OF_STACK;
	s->frames[s->count++] = (struct frame){ _Unwind_GetIP(context), _Unwind_GetCFA(context) };
	return _URC_NO_REASON;
}

/* The first frame is this function's own, of which the places differ. */
static __attribute__((noinline)) int look(int n)
{
	struct stack right = { .count = 0 };
	struct registers r;
	ucontext_t here;
	volatile int count = 1; /* getcontext() returns twice, as far as the compiler knows */

	getcontext(&here);
	r = (struct registers){ here.uc_mcontext.pc, here.uc_mcontext.sp, here.uc_mcontext.regs[29],
				here.uc_mcontext.regs[30], true };
	_Unwind_Backtrace(on_frame, &right);
	for (; to_caller(&r); count++) {
		assert_true(count < right.count);
		assert_int_equal(r.pc, right.frames[count].pc);
		assert_int_equal(r.sp, right.frames[count].sp);
	}
	assert_true(count >= 4);
	/* libgcc may report the root's caller, which has no address. */
	assert_true(count == right.count || (count + 1 == right.count && !right.frames[count].pc));
	return n + 1;
}

/* --- functions of every kind ---------------------------------------------------------------------------- */

typedef int (*next_fn)(int n);

static void keep(void *p)
{
	__asm__ volatile("" : : "r"(p) : "memory");
}

static __attribute__((noinline)) int plain(next_fn next, int n)
{
	return next(n) * 3;
}

static __attribute__((noinline)) int by_x29(next_fn next, int n)
{
	char text[n + 16];

	keep(text);
	return next(n) * 5;
}

static __attribute__((noinline)) int large(next_fn next, int n)
{
	char room[65536];

	keep(room);
	return next(n) * 11;
}

static __attribute__((noinline, optimize("omit-frame-pointer"))) int without_x29(next_fn next, int n)
{
	volatile int a = n;

	return next(n) + a;
}

struct many {
	long words[40];
};

/* What it hands over lies below x29 and x30. */
static __attribute__((noinline)) int takes(struct many a, next_fn next, int b, int c, int d, int e, int f,
					   int g, long h, long i, long j)
{
	return next(b) + c + d + e + f + g + (int)(h + i + j + a.words[3]);
}

static __attribute__((noinline)) int hands_over(next_fn next, int n)
{
	struct many many = { { n } };

	keep(&many);
	return takes(many, next, n, 1, 2, 3, 4, 5, 6, 7, 8) + 1;
}

static int through_x29(int n)
{
	return by_x29(look, n) + 1;
}

static int through_large(int n)
{
	return large(through_x29, n) + 1;
}

static int through_hands_over(int n)
{
	return hands_over(through_large, n) + 1;
}

static void functions_of_every_kind(void **state)
{
	(void)state;
	plain(look, 1);
	by_x29(look, 3);
	assert_true(kinds_seen & 1U << RULE_BP);
	large(look, 5);
	hands_over(look, 6);
	without_x29(look, 7);
	without_x29(through_hands_over, 8);
	assert_true(slots_seen & 1U << RULE_SLOT_AT_SP);
	assert_true(slots_seen & 1U << RULE_SLOT_AT_BP);
}

static int compare(const void *a, const void *b)
{
	look(8);
	return *(const int *)a - *(const int *)b;
}

static void callbacks_of_a_library(void **state)
{
	int list[] = { 3, 1, 2 };

	(void)state;
	qsort(list, ARRAY_SIZE(list), sizeof(*list), compare);
	assert_int_equal(list[0], 1);
}

static void *thread(void *context)
{
	plain(look, 1);
	return context;
}

static void threads(void **state)
{
	pthread_t id;

	(void)state;
	assert_int_equal(pthread_create(&id, NULL, thread, NULL), 0);
	assert_int_equal(pthread_join(id, NULL), 0);
}

static void on_signal(int number)
{
	by_x29(look, number);
}

static int raise_signal(int n)
{
	return raise(SIGUSR1) + n;
}

/* qemu-user has what a handler returns to in a page of no file. */
static void signals(void **state)
{
	struct sigaction action = { .sa_handler = on_signal };

	(void)state;
	if (!getauxval(AT_SYSINFO_EHDR)) {
		print_message("SKIP: the kernel maps no page of code\n");
		skip();
	}
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	by_x29(raise_signal, 1);
	assert_true(signal_seen);
	signal(SIGUSR1, SIG_DFL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_every_kind),
		cmocka_unit_test(callbacks_of_a_library),
		cmocka_unit_test(threads),
		cmocka_unit_test(signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 0; /* its twin is for this machine */
}

#endif
