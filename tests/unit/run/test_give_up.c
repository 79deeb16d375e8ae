// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_give_up.c - what a run has given up, and that all that it still has to do with the kernel side works
 * then: ticks that begin anew when a CPU came, questions to maps, the list of processes. Each test does it in
 * a child, since nothing of it can be taken back. Needs the right to load BPF.
 */
#include "tests/forge/test.h"
#include "tests/unit/kern/open_kernel.h"

#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/privileges.h"
#include "kern/banks.h"
#include "kern/records.h"
#include "run/agent.h"
#include "run/give_up.h"

static struct options options;
static struct agent agent;
static char *nothing[] = { "true", NULL };

static int setup(void **state)
{
	(void)state;
	options = (struct options){ 0 };
	agent = (struct agent){ .options = &options };
	return 0;
}

/* A run that samples and then gives up; what it has left, or the negative number of what went wrong. */
static int open_and_give_up(enum trigger_kind trigger, __u64 *ret)
{
	int cpus;

	agent.kernel_options = everything;
	agent.kernel_options.trigger = trigger;
	if (kernel_open(&agent.kernel, &agent.kernel_options))
		return -1;
	if (kernel_start(agent.kernel, &cpus))
		return -2;
	if (give_up_privileges(&agent))
		return -3;
	return privileges_get(ret) ? -4 : 0;
}

/* What the loop does when a CPU has come or gone, and the rest of what it does with the kernel side. */
static int use_kernel(void)
{
	struct sought s = { .pid = getppid() };
	struct kernel_stats before, after;
	struct process p = { .id = 5 }, back;
	int cpus;

	kernel_stop(agent.kernel);
	kernel_stats(agent.kernel, &before);
	if (kernel_start(agent.kernel, &cpus) || cpus != sysconf(_SC_NPROCESSORS_ONLN))
		return 10;
	burn(0.2);
	kernel_stats(agent.kernel, &after);
	if (after.sum.ticks <= before.sum.ticks)
		return 11;
	if (kernel_set_process(agent.kernel, 1, &p) || kernel_get_process(agent.kernel, 1, &back) ||
	    back.id != 5 || kernel_remove_process(agent.kernel, 1))
		return 12;
	if (kernel_wait(agent.kernel) || kernel_read_records(agent.kernel) < 0)
		return 13;
	if (kernel_list_processes(agent.kernel, seek, &s) || s.found != 1)
		return 14;
	kernel_close(agent.kernel);
	return 0;
}

/* The capabilities that a child has kept, which then could do all that it has to. */
static __u64 kept(enum trigger_kind trigger)
{
	int fds[2], status;
	__u64 left = ~0ULL;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		int err = open_and_give_up(trigger, &left);

		if (write(fds[1], &left, sizeof(left)) != sizeof(left))
			_exit(100);
		_exit(err ? -err : use_kernel());
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], &left, sizeof(left)), sizeof(left));
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 1) {
		print_message("SKIP: no such ticks here, or no right to load BPF\n");
		skip();
	}
	assert_int_equal(status, 0);
	return left;
}

static int number_in(const char *path)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	int n = 0;

	if (f && fscanf(f, "%d", &n) != 1)
		n = 0;
	return n;
}

/* What perf events need anew. */
static __u64 for_events(void)
{
	__u64 needed = PRIVILEGE(CAP_PERFMON);

	if (number_in("/proc/sys/kernel/perf_event_paranoid") > 2)
		needed |= PRIVILEGE(CAP_SYS_ADMIN);
	return needed;
}

TEST(timers_need_nothing)
{
	assert_int_equal(kept(TRIGGER_TIMER), 0);
}

TEST(perf_events_need_one)
{
	assert_int_equal(kept(TRIGGER_PERF), for_events());
}

TEST(a_command_may_be_signalled)
{
	options.command = nothing;
	assert_int_equal(kept(TRIGGER_PERF), for_events() | PRIVILEGE(CAP_KILL));
}

/* Files that are written at the end, and read again, by somebody who is not their owner. */
TEST(files_of_others)
{
	char folder[] = "/tmp/pyperf-give-up-XXXXXX", file[64], output[64];
	const __u64 dac = PRIVILEGE(CAP_DAC_READ_SEARCH) | PRIVILEGE(CAP_DAC_OVERRIDE);
	__u64 have;

	assert_int_equal(privileges_get(&have), 0);
	if ((have & dac) != dac || !(have & PRIVILEGE(CAP_CHOWN))) {
		print_message("SKIP: only root can make files of another user\n");
		skip();
	}
	assert_non_null(mkdtemp(folder));
	snprintf(file, sizeof(file), "%s/file", folder);
	snprintf(output, sizeof(output), "%s/out.pb.gz", folder);
	fclose(fopen(file, "w"));
	options.output = output;
	options.push_header_file = file;
	assert_int_equal(kept(TRIGGER_PERF) & dac, 0);
	assert_int_equal(chmod(file, 0600) | chown(file, 12345, 12345), 0);
	assert_int_equal(kept(TRIGGER_PERF) & dac, PRIVILEGE(CAP_DAC_READ_SEARCH));
	assert_int_equal(chown(folder, 12345, 12345), 0);
	assert_int_equal(kept(TRIGGER_PERF) & dac, dac);
	options.output = NULL;
	options.push_header_file = NULL;
	options.output_dir = folder;
	assert_int_equal(kept(TRIGGER_PERF) & dac, dac);
	options.output_dir = NULL;
	snprintf(output, sizeof(output), "unix:%s/socket", folder);
	assert_int_equal(http_address_parse(output, &options.metrics_address), 0);
	assert_int_equal(kept(TRIGGER_PERF) & dac, dac);
	unlink(file);
	rmdir(folder);
}

AROUND_EACH(setup, NULL);
ENDS_IN(300);
