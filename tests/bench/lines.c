// SPDX-License-Identifier: GPL-2.0-only
/*
 * lines.c - how many lines of the processor's caches a tick touches, which is what it costs when they have
 * forgotten the sampler. Runs the program on_tick of the product's object (lines/run.h) on an interpreter
 * that is forged in memory (tests/forge), and prints JSON. It needs no rights and no kernel, and its figures
 * are the same on every machine. Started by the harness, tests/bench/line_tables.py.
 *
 * What it does not see: the kernel's own code and data on the way to the program and in helpers, and the
 * lines of page tables.
 */
#include <bpf/btf.h>

#include "tests/forge/interpreter.h"
#include "tests/bench/lines/parts.h"

#define THREAD_ID 0x7f1234567000ULL
#define FRAMES	  30
#define TOP	  3 /* frames in which the two stacks differ */
#define MINOR	  0x030d

enum { MAIN = 1, OTHER = 2 }; /* processes */

static struct btf *btf;
static struct py_thread *thread;
static __u64 root_frame;
static __u64 codes[FRAMES + TOP];

static int run_read(void *to, __u32 size, __u64 address)
{
	const __u64 arena = py_address(py.arena);

	if (address < arena || address > arena + py.used || size > arena + py.used - address)
		return -EFAULT;
	memcpy(to, (void *)(unsigned long)address, size);
	return 0;
}

static __u32 member(const char *type, const char *name)
{
	const struct btf_type *t = btf__type_by_id(btf, btf__find_by_name_kind(btf, type, BTF_KIND_STRUCT));

	for (int i = 0; t && i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_members(t)[i].name_off), name))
			return btf_member_bit_offset(t, i) / 8;
	die("the object knows no %s.%s", type, name);
}

static void set_task(const char *name, __u64 value, size_t size)
{
	memcpy(run.task + member("task_struct", name), &value, size);
}

/* The task that runs is the only thread of this process. */
static void set_process(__u32 pid)
{
	__u64 cgroup;

	set_task("pid", pid, 4);
	set_task("tgid", pid, 4);
	set_task("group_leader", (unsigned long)run.task, 8);
	set_task("mm", 1, 8);
	set_task("cred", (unsigned long)run.task + 4096, 8); /* of user 0, in no cgroup: all is 0 there */
	set_task("cgroups", (unsigned long)run.task + 5120, 8);
	cgroup = (unsigned long)run.task + 6144;
	memcpy(run.task + 5120 + member("css_set", "dfl_cgrp"), &cgroup, sizeof(cgroup));
	memcpy(run.task + member("task_struct", "thread") + member("thread_struct", "fsbase"),
	       &(__u64){ THREAD_ID }, 8);
	run.pid_tgid = (__u64)pid << 32 | pid;
}

static void *entry(const char *table, __u32 index)
{
	struct table *t = table_find(table);

	return t->memory + index * t->value;
}

static void introduce(__u32 pid)
{
	struct process p = { .id = pid, .state = PROCESS_PYTHON, .runtime = py_address(py.runtime) };

	memcpy(run_value(table_find("processes"), pid), &p, sizeof(p));
}

#define OPTION(name, value) (*(__typeof__(value) *)image_variable("opt_" #name) = (value))

/* As user/kern/kernel.c has them by default, with everything that can be left out switched off. */
static void set_options(void)
{
	OPTION(node_mask, LINES_NODES / BANKS - 1);
	OPTION(code_mask, LINES_CODES / BANKS - 1);
	OPTION(owner_mask, LINES_OWNERS / BANKS - 1);
	OPTION(thread_sets_mask, LINES_THREAD_SETS - 1);
	OPTION(patience, 400000U);
}

static void set_tables(void)
{
	struct node *nodes = entry("nodes", 0);
	struct code *all = entry("codes", 0);

	for (int i = 0; i < EVENT_KINDS; i++)
		nodes[i].key = KEY_RESERVED;
	for (int i = 0; i < CODE_FIRST; i++)
		all[i].identity = KEY_RESERVED;
	memcpy(entry("layouts", 0), &py.l, sizeof(py.l));
	introduce(MAIN);
	introduce(OTHER);
}

/* Stack number `which` of two: they have the same functions but for the newest ones. */
static void set_stack(int which)
{
	thread->top = py_address(thread->first_chunk) + FORGE_CHUNK_HEADER + 8;
	py_set_frame(thread, root_frame);
	for (int i = 0; i < FRAMES; i++)
		py_push(thread, codes[i + (i >= FRAMES - TOP ? which * TOP : 0)], 5 + i % 7);
}

static void forge_program(void)
{
	char name[16];

	py_begin(MINOR);
	thread = py_start_thread(THREAD_ID);
	root_frame = thread->leaf;
	for (int i = 0; i < FRAMES + TOP; i++) {
		snprintf(name, sizeof(name), "function_%d", i);
		codes[i] = py_code(name);
	}
}

static void tick(__u32 pid, int stack)
{
	set_process(pid);
	set_stack(stack);
	run.jiffies += 2;
	run_once(false);
}

/* Each of both processes has had both stacks. */
static void warm_up(void)
{
	run.jiffies = 100000;
	for (int i = 0; i < 8; i++)
		tick(i & 1 ? OTHER : MAIN, i / 2 & 1);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct touched *)a)->part, ((const struct touched *)b)->part);
}

/* Lines of the parts of one kind, as JSON. */
static void print_parts(const char *kind, bool of_code)
{
	int sum = 0, count;

	printf(", \"%s\": {", kind);
	for (int i = 0; i < run.count; i += count) {
		for (count = 1; i + count < run.count && !by_name(&run.touched[i], &run.touched[i + count]);)
			count++;
		if (run.touched[i].line >> 63 != of_code)
			continue;
		printf("%s\"%s\": %d", sum ? ", " : "", run.touched[i].part, count);
		sum += count;
	}
	printf("}");
}

/* Pages of data, which the processor has to find in page tables when its TLB has forgotten them. */
static int pages(void)
{
	int found = 0;

	for (int i = 0, k; i < run.count; i++) {
		for (k = 0; k < i && run.touched[k].line / 64 != run.touched[i].line / 64;)
			k++;
		found += k == i && !(run.touched[i].line >> 63);
	}
	return found;
}

static void print_tick(const char *name, const char *comma)
{
	const struct cpu_stats *count = entry("stats", 0);

	if (count->outcome[EVENT_CPU][OUTCOME_WHOLE] != count->ticks)
		die("a stack of %s was not whole", name);
	printf("%s{\"tick\": \"%s\", \"instructions\": %llu, \"bytes\": %llu, \"pages\": %d", comma, name,
	       (unsigned long long)run.executed, (unsigned long long)run.bytes, pages());
	qsort(run.touched, run.count, sizeof(*run.touched), by_name);
	print_parts("code", true);
	print_parts("data", false);
	printf(", \"helpers\": {");
	comma = "";
	for (int i = 0; i < HELPERS; i++)
		if (run.helpers[i]) {
			printf("%s\"%d\": %d", comma, i, run.helpers[i]);
			comma = ", ";
		}
	printf("}}");
}

/* The tick that is measured is of the main process. before: whose the tick before it was on this CPU. */
static void measure(const char *name, __u32 before, int stack, const char *comma)
{
	tick(MAIN, 0);
	if (before != MAIN)
		tick(before, 1);
	set_process(MAIN);
	set_stack(stack);
	run.jiffies += 2;
	run_once(true);
	print_tick(name, comma);
}

static void print_functions(void)
{
	for (int n = 0; n < image.function_count; n++) {
		const struct function *f = &image.functions[n];
		const struct insn *last = &image.insns[f->last - 1];
		__u32 bytes;
		int live = 0;

		for (int k = f->first; k < f->last; k++)
			live += image.insns[k].live;
		if (!live)
			continue;
		bytes = last->at + last->size - image.insns[f->first].at + JIT_PROLOGUE;
		printf("%s{\"name\": \"%s\", \"bytes\": %u, \"instructions\": %d, \"stack\": %d}",
		       n ? ",\n  " : "", f->name, bytes, live, f->stack);
	}
}

int main(int argc, char **argv)
{
	if (argc != 2)
		die("usage: lines OBJECT: counts what a tick of the sampler in this BPF object touches");
	btf = btf__parse_elf(argv[1], NULL);
	image_open(argv[1]);
	part_tables();
	forge_program();
	set_options();
	image_program("on_tick");
	run_begin();
	set_tables();
	jit_place();
	warm_up();
	printf("{\"ticks\": [");
	measure("the stack of the tick before", MAIN, 0, "");
	measure("another stack, another process before", OTHER, 1, ",\n ");
	printf("],\n \"functions\": [");
	print_functions();
	printf("]}\n");
	btf__free(btf);
	return 0;
}
