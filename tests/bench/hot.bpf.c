// SPDX-License-Identifier: GPL-2.0-only
/*
 * hot.bpf.c - the product's own sampler, timed one run at a time: driven by a system call of the target (hot:
 * N stacks in a row, CPU caches warm) or by a perf event (sampled: as the product runs it). Also single reads
 * of user memory, so that figures of two machines can be compared. For tests/bench/hot.c.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "bpf/abi.h"
#include "bpf/sample/sampler.h"
#include "tests/bench/bench.h"

char LICENSE[] SEC("license") = "GPL";

const volatile __u32 target;	      /* tgid */
const volatile __u32 driving_syscall; /* its number: getppid */

/* Changed by user space between rounds. */
struct bench_control control;
struct bench_result result;
__u64 found_start, found_exec;
__u32 sought; /* tgid */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, BENCH_RUNS);
	__type(key, __u32);
	__type(value, __u64); /* a smaller value would be padded to this */
} times SEC(".maps");	      /* ns of each run, the newest BENCH_RUNS of them */

static __u8 buffer[BENCH_READ_MAX];

/* Without a function between: eight calls within each other are the most that the kernel takes. */
static long sample_callback(__u32 i, void *context)
{
	sample_tick();
	return 0;
}

static long read_callback(__u32 i, void *context)
{
	__u32 size = control.read_size;

	mem_opaque(size);
	if (size > BENCH_READ_MAX)
		return 1;
	if (bpf_probe_read_user(buffer, size, (const void *)control.read_address))
		result.failed++;
	return 0;
}

static long empty_callback(__u32 i, void *context)
{
	return 0;
}

static __always_inline void record(__u64 ns, __u32 repeat)
{
	__u32 at = __sync_fetch_and_add(&result.runs, 1) & (BENCH_RUNS - 1);
	__u64 *slot = bpf_map_lookup_elem(&times, &at);

	__sync_fetch_and_add(&result.total_ns, ns);
	__sync_fetch_and_add(&result.stacks, repeat);
	if (slot)
		*slot = ns;
}

SEC("raw_tp/sys_enter")
int on_syscall(struct bpf_raw_tracepoint_args *ctx)
{
	const __u32 repeat = control.repeat;
	__u64 begin;

	if (ctx->args[1] != driving_syscall || bpf_get_current_pid_tgid() >> 32 != target)
		return 0;
	begin = bpf_ktime_get_ns();
	switch (control.work) {
	case BENCH_SAMPLE:
		bpf_loop(repeat, sample_callback, NULL, 0);
		break;
	case BENCH_READ:
		bpf_loop(repeat, read_callback, NULL, 0);
		break;
	case BENCH_EMPTY:
		bpf_loop(repeat, empty_callback, NULL, 0);
		break;
	default:
		return 0;
	}
	record(bpf_ktime_get_ns() - begin, repeat);
	return 0;
}

SEC("perf_event")
int on_tick(struct bpf_perf_event_data *ctx)
{
	const int mine = bpf_get_current_pid_tgid() >> 32 == target;
	__u64 begin;

	if (control.work != BENCH_SAMPLE)
		return 0;
	begin = bpf_ktime_get_ns();
	sample_tick();
	if (mine)
		record(bpf_ktime_get_ns() - begin, 1);
	return 0;
}

/* Leaves what proves the identity of a process to the sampler in found_start and found_exec. */
SEC("iter/task")
int find_process(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	if (task && (__u32)task->pid == sought) {
		found_start = task->start_boottime;
		found_exec = task->self_exec_id;
	}
	return 0;
}
