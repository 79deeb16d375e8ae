// SPDX-License-Identifier: GPL-2.0-only
/*
 * hot.c - what one stack costs in the kernel. Loads the product's sampler (hot.bpf.c), lets one target drive
 * it and prints JSON. Started by the harness, tests/bench/bench.py; "hot --help" for use by hand.
 */
#include <getopt.h>
#include <poll.h>

#include "base/clock.h"
#include "tests/bench/hot_dump.h"

#define READ_LOOP 1000 /* reads of one run */

static const char usage[] = "hot --pid PID [options]: times the sampler on a Python process that calls "
			    "os.getppid(). JSON on stdout.\n"
			    "  --cache verified|off|check  --reads block|single   as in pyperf-bpf\n"
			    "  --states       samples say what the interpreter was doing, as in pyperf-bpf\n"
			    "  --samples N    stacks for each call (1000); can be given four times\n"
			    "  --seconds S    length of a round (1)    --rounds N  how many (5)    --warm-up "
			    "S  before the first (0.2)\n"
			    "  --sampled HZ   by a perf event on --cpu N instead\n"
			    "  --beside PID   is sampled, too, and not timed; of the same interpreter\n"
			    "  --empty        the same events, but a program that does nothing (kernel_ns)\n"
			    "  --wait         one round, from the line \"ready\" until standard input ends\n"
			    "  --folded FILE  the stacks, by function name\n"
			    "hot --read-cost: times reads of its own memory\n";

/* Keeps the ring empty, or the sampler would send every name again and again. */
static void drain_for(double seconds)
{
	for (double end = clock_seconds() + seconds; clock_seconds() < end;) {
		ring_buffer__consume(hot.ring);
		usleep(2000);
	}
}

static void drain_until_end_of_input(void)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	char byte;

	do
		ring_buffer__consume(hot.ring);
	while (!poll(&input, 1, 2) || read(STDIN_FILENO, &byte, 1) > 0);
}

static void begin(enum bench_work work, __u32 repeat)
{
	struct bench_control *c = &hot.skel->bss->control;

	__atomic_store_n(&c->work, BENCH_PAUSE, __ATOMIC_SEQ_CST);
	usleep(20000); /* a run may be under way */
	memset(&hot.skel->bss->result, 0, sizeof(hot.skel->bss->result));
	c->repeat = repeat;
	__atomic_store_n(&c->work, work, __ATOMIC_SEQ_CST);
}

static int compare(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return (x > y) - (x < y);
}

/* Run times per stack of the round that ends now, as a JSON object. */
static void print_round(__u32 repeat)
{
	static __u64 sorted[BENCH_RUNS];
	struct bench_result r;
	size_t n;

	__atomic_store_n(&hot.skel->bss->control.work, BENCH_PAUSE, __ATOMIC_SEQ_CST);
	usleep(20000);
	r = hot.skel->bss->result;
	n = r.runs < BENCH_RUNS ? r.runs : BENCH_RUNS;
	memcpy(sorted, hot.times, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare);
	printf("{\"samples\": %u, \"runs\": %llu, \"stacks\": %llu, \"failed\": %llu", repeat, r.runs,
	       r.stacks, r.failed);
	if (n)
		printf(", \"mean\": %.2f, \"min\": %.2f, \"median\": %.2f, \"p99\": %.2f",
		       (double)r.total_ns / r.stacks, (double)sorted[0] / repeat,
		       (double)sorted[n / 2] / repeat, (double)sorted[n - 1 - n / 100] / repeat);
	printf("}");
}

static void print_counters(void)
{
	const char *comma = "";

	printf(" \"outcomes\": {");
#define OUTCOME(name, ...)                                                                                \
	printf("%s\"" #name "\": %llu", comma,                                                               \
	       hot_counter(offsetof(struct cpu_stats, outcome[EVENT_CPU][OUTCOME_##name])));                 \
	comma = ", ";
#include "bpf/outcomes.def"
#undef OUTCOME
	printf("},\n \"counters\": {");
	comma = "";
#define STAT(name, help)                                                                                     \
	printf("%s\"" #name "\": %llu", comma, hot_counter(offsetof(struct cpu_stats, name)));               \
	comma = ", ";
#include "bpf/stats.def"
#undef STAT
	printf("}");
}

static void print_instructions(void)
{
	const struct bpf_program *p = hot.o.frequency ? hot.skel->progs.on_tick : hot.skel->progs.on_syscall;
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);

	if (!bpf_obj_get_info_by_fd(bpf_program__fd(p), &info, &size))
		printf(" \"jited_bytes\": %u, \"verified_instructions\": %u, \"kernel_ns\": %.2f,\n",
		       info.jited_prog_len, info.verified_insns,
		       info.run_cnt ? (double)info.run_time_ns / info.run_cnt : 0);
}

static void measure_rounds(__u32 repeat, const char *comma)
{
	for (__u32 i = 0; i < hot.o.rounds; i++) {
		begin(hot.o.work, repeat);
		drain_for(hot.o.seconds);
		printf("%s", i ? ", " : comma);
		print_round(repeat);
	}
}

static void measure_target(void)
{
	hot_set_target();
	hot.counting = hot.o.work == BENCH_EMPTY ? bpf_enable_stats(BPF_STATS_RUN_TIME) : -1;
	hot_attach();
	printf("{\"version\": \"%s\", \"rounds\": [", hot.identity.version);
	begin(hot.o.work, hot.o.repeats[0]);
	if (hot.o.wait) {
		fputs("ready\n", stderr);
		drain_until_end_of_input();
		print_round(hot.o.repeats[0]);
	} else {
		drain_for(hot.o.warm_up); /* and every code object's names are sent once */
		for (__u32 i = 0; i < hot.o.repeat_count; i++)
			measure_rounds(hot.o.repeats[i], i ? ", " : "");
	}
	printf("],\n");
	print_instructions();
	print_counters();
	printf("}\n");
	ring_buffer__consume(hot.ring);
	if (hot.o.folded)
		dump_folded(hot.o.folded);
}

static void drive_self(enum bench_work work, __u32 repeat, __u32 size)
{
	static __u8 memory[2 * BENCH_READ_MAX] __attribute__((aligned(4096)));

	memset(memory, 1, sizeof(memory));
	hot.skel->bss->control.read_size = size;
	hot.skel->bss->control.read_address = (__u64)(unsigned long)memory;
	begin(work, repeat);
	for (double end = clock_seconds() + hot.o.seconds; clock_seconds() < end;)
		syscall(SYS_getppid);
	print_round(repeat);
}

/*
 * The units that other figures are made of: a run of nothing, a turn of bpf_loop(), a read of so many bytes.
 */
static void measure_reads(void)
{
	static const __u32 sizes[] = { 8, 80, 1024, 4096 };

	hot_attach();
	printf("{\"empty_run\": ");
	drive_self(BENCH_EMPTY, 1, 0);
	printf(",\n \"turn\": ");
	drive_self(BENCH_EMPTY, READ_LOOP, 0);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		printf(",\n \"read_%u\": ", sizes[i]);
		drive_self(BENCH_READ, READ_LOOP, sizes[i]);
	}
	printf("}\n");
}

static __u32 number(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*end || !*text || value > 1U << 30)
		die("not a number: %s", text);
	return value;
}

static void add_repeat(__u32 repeat)
{
	if (!repeat || hot.o.repeat_count == ARRAY_SIZE(hot.o.repeats))
		die("--samples: up to four numbers, none of them 0");
	hot.o.repeats[hot.o.repeat_count++] = repeat;
}

static enum cache_mode cache_mode(const char *text)
{
	static const char *const names[] = { "verified", "off", "check" };

	for (int i = 0; i < (int)ARRAY_SIZE(names); i++)
		if (!strcmp(text, names[i]))
			return (enum cache_mode)i;
	die("no cache mode: %s", text);
}

static void take_option(int c)
{
	struct hot_options *o = &hot.o;

	switch (c) {
	case 'p':
		o->pid = number(optarg);
		break;
	case 'b':
		if (o->beside_count == ARRAY_SIZE(o->beside))
			die("--beside: up to %zu programs", ARRAY_SIZE(o->beside));
		o->beside[o->beside_count++] = number(optarg);
		break;
	case 'c':
		o->cache = cache_mode(optarg);
		break;
	case 'r':
		o->single = !strcmp(optarg, "single");
		break;
	case 'S':
		o->states = true;
		break;
	case 'n':
		add_repeat(number(optarg));
		break;
	case 'e':
		o->work = BENCH_EMPTY;
		break;
	case 'W':
		o->warm_up = atof(optarg);
		break;
	case 's':
		o->seconds = atof(optarg);
		break;
	case 'R':
		o->rounds = number(optarg);
		break;
	case 'f':
		o->frequency = number(optarg);
		break;
	case 'C':
		o->cpu = number(optarg);
		break;
	case 'w':
		o->wait = true;
		break;
	case 'o':
		o->folded = optarg;
		break;
	case 'm':
		o->reads = true;
		break;
	case 'h':
		fputs(usage, stdout);
		exit(0);
	default:
		exit(2);
	}
}

static void parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "pid", 1, NULL, 'p' },     { "cache", 1, NULL, 'c' },	    { "reads", 1, NULL, 'r' },
		{ "samples", 1, NULL, 'n' }, { "seconds", 1, NULL, 's' },   { "rounds", 1, NULL, 'R' },
		{ "sampled", 1, NULL, 'f' }, { "cpu", 1, NULL, 'C' },	    { "wait", 0, NULL, 'w' },
		{ "folded", 1, NULL, 'o' },  { "read-cost", 0, NULL, 'm' }, { "help", 0, NULL, 'h' },
		{ "warm-up", 1, NULL, 'W' }, { "empty", 0, NULL, 'e' },	    { "states", 0, NULL, 'S' },
		{ "beside", 1, NULL, 'b' },  		{}
	};
	struct hot_options *o = &hot.o;

	*o = (struct hot_options){
		.work = BENCH_SAMPLE, .repeats = { 1000 }, .seconds = 1, .warm_up = 0.2, .rounds = 5
	};
	for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;)
		take_option(c);
	if (optind < argc || !!o->pid == o->reads)
		die("wrong usage; see --help");
	if (o->frequency)
		o->repeats[0] = 1;
	if (!o->repeat_count || o->frequency)
		o->repeat_count = 1;
	if (o->reads)
		o->pid = getpid();
}

static int silent(enum libbpf_print_level level, const char *format, va_list args)
{
	return level == LIBBPF_WARN && getenv("HOT_VERBOSE") ? vfprintf(stderr, format, args) : 0;
}

int main(int argc, char **argv)
{
	libbpf_set_print(silent);
	parse(argc, argv);
	hot_load(dump_on_record);
	if (hot.o.reads)
		measure_reads();
	else
		measure_target();
	ring_buffer__free(hot.ring);
	hot__destroy(hot.skel);
	return 0;
}
