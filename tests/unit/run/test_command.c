// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_command.c - COMMAND: held back until it may go, its exit code as a shell gives it, why its exec
 * failed, and that no process and no descriptor is left behind.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "run/command.h"
#include "base/cleanup.h"
#include "tests/forge/own_fds.h"
#include "tests/forge/test.h"

static char directory[] = "/tmp/test_command.XXXXXX";
static int fds_before;

static int setup(void **state)
{
	(void)state;
	fds_before = count_fds();
	return 0;
}

/* Whatever happened: no child, no descriptor. */
static int teardown(void **state)
{
	(void)state;
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	assert_int_equal(count_fds(), fds_before);
	return 0;
}

static struct command start(const char *first, ...)
{
	struct command c = { 0 };
	char *argv[8] = { (char *)first };
	va_list list;

	va_start(list, first);
	for (int i = 1; i < 7 && argv[i - 1]; i++)
		argv[i] = va_arg(list, char *);
	va_end(list);
	assert_int_equal(command_start(&c, argv, false), 0);
	assert_true(c.pid > 0);
	return c;
}

static int wait_for(struct command *c)
{
	int code = -1;

	for (int i = 0; i < 10000; i++) {
		if (command_ended(c, &code))
			return code;
		usleep(1000);
	}
	fail_msg("COMMAND does not end");
	return -1;
}

static int run_script(const char *script)
{
	struct command c = start("sh", "-c", script, NULL);
	int code;

	assert_int_equal(command_go(&c), 0);
	code = wait_for(&c);
	assert_int_equal(c.pid, 0);
	assert_false(command_ended(&c, &code)); /* it ends once */
	command_release(&c);
	return code;
}

TEST(exit_codes)
{
	assert_int_equal(run_script("exit 0"), 0);
	assert_int_equal(run_script("exit 1"), 1);
	assert_int_equal(run_script("exit 77"), 77);
	assert_int_equal(run_script("exit 255"), 255);
}

TEST(signals)
{
	static const int all[] = { SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGTERM, SIGUSR1, SIGPIPE };
	char script[64];

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		snprintf(script, sizeof(script), "ulimit -c 0; kill -%d $$; exit 7", all[i]);
		assert_int_equal(run_script(script), 128 + all[i]);
	}
}

/* The event loop blocks and ignores signals for itself, not for COMMAND. */
TEST(signals_as_if_started_by_a_shell)
{
	sigset_t all, old;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(run_script("grep -q '^SigBlk:[[:space:]]*0*$' /proc/self/status"), 0);
	/* But 32 and 33, which glibc's posix_spawn() sets to be ignored: make(1) starts us by it. */
	assert_int_equal(run_script("grep -q '^SigIgn:[[:space:]]*[0-9a-f]*[08]0000000$' /proc/self/status"),
			 0);
	assert_int_equal(run_script("kill -PIPE $$; exit 7"), 128 + SIGPIPE);
	assert_int_equal(run_script("kill -TERM $$; exit 7"), 128 + SIGTERM);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

TEST(held_back)
{
	struct command c;
	char path[128];
	int code = 5;

	snprintf(path, sizeof(path), "%s/ran", directory);
	c = start("touch", path, NULL);
	usleep(100000);
	assert_int_equal(access(path, F_OK), -1);
	assert_false(command_ended(&c, &code));
	assert_int_equal(code, 5);
	assert_int_equal(command_go(&c), 0);
	assert_int_equal(wait_for(&c), 0);
	assert_int_equal(access(path, F_OK), 0);
	unlink(path);
	command_release(&c);
}

TEST(released_before_go)
{
	struct command c;
	char path[128];
	pid_t pid;

	snprintf(path, sizeof(path), "%s/ran", directory);
	c = start("touch", path, NULL);
	pid = c.pid;
	command_release(&c);
	assert_int_equal(waitpid(pid, NULL, 0), -1);
	assert_int_equal(errno, ECHILD);
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(c.pid, 0);
	command_release(&c); /* and once more, and one that never was */
}

TEST(released_while_it_runs)
{
	struct command c = start("sleep", "60", NULL);
	pid_t pid = c.pid;

	assert_int_equal(command_go(&c), 0);
	command_release(&c);
	assert_int_equal(kill(pid, 0), 0); /* it goes on without us */
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

TEST(exec_failures)
{
	char path[128], *argv[] = { path, NULL };
	struct command c = { 0 };
	int code;
	FILE *f;

	snprintf(path, sizeof(path), "%s/missing", directory);
	assert_int_equal(command_start(&c, argv, false), 0);
	assert_int_equal(command_go(&c), -ENOENT);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* already gone */
	assert_false(command_ended(&c, &code));
	command_release(&c);

	snprintf(path, sizeof(path), "%s", directory);
	assert_int_equal(command_start(&c, argv, false), 0);
	assert_int_equal(command_go(&c), -EACCES);
	command_release(&c);

	snprintf(path, sizeof(path), "%s/file", directory);
	f = fopen(path, "w");
	fputs("\177ELFnot", f);
	fclose(f);
	assert_int_equal(command_start(&c, argv, false), 0);
	assert_int_equal(command_go(&c), -EACCES); /* not executable, not even for root */
	command_release(&c);
	unlink(path);

	c = start("", NULL);
	assert_int_equal(command_go(&c), -ENOENT);
	command_release(&c);
}

TEST(killed_before_go)
{
	struct command c = start("true", NULL);
	siginfo_t info;
	int code = 0;

	signal(SIGPIPE, SIG_IGN); /* as the event loop does */
	command_signal(&c, SIGKILL);
	assert_int_equal(waitid(P_PID, c.pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(command_go(&c), -EPIPE);
	assert_true(command_ended(&c, &code));
	assert_int_equal(code, 128 + SIGKILL);
	command_release(&c);
}

TEST(signalled)
{
	struct command c = start("sleep", "60", NULL);

	assert_int_equal(command_go(&c), 0);
	command_signal(&c, SIGTERM);
	assert_int_equal(wait_for(&c), 128 + SIGTERM);
	command_signal(&c, SIGTERM); /* nobody: pid 0 would be this whole process group */
	command_release(&c);
	command_signal(&c, SIGTERM);
}

/* One that is held back does not outlive a profiler that is killed. */
TEST(profiler_dies)
{
	int pipe_fd[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(pipe_fd), 0);
	pid = fork();
	if (!pid) {
		char *argv[] = { (char *)"sleep", (char *)"60", NULL };
		struct command c = { 0 };

		_exit(command_start(&c, argv, false) ? 1 : 0);
	}
	close(pipe_fd[1]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	alarm(20);
	assert_int_equal(read(pipe_fd[0], &byte, 1), 0); /* all holders of the pipe's end are gone */
	alarm(0);
	close(pipe_fd[0]);
}

TEST(arguments_and_environment)
{
	struct command c =
		start("sh", "-c", "test \"$0\" = zero && test \"$1\" = 'a b' && test \"$KEY\" = value",
		      "zero", "a b", NULL);

	setenv("KEY", "value", 1); /* too late: it has its own copy */
	assert_int_equal(command_go(&c), 0);
	assert_int_equal(wait_for(&c), 1);
	command_release(&c);
	c = start("sh", "-c", "test \"$0\" = zero && test \"$1\" = 'a b' && test \"$KEY\" = value", "zero",
		  "a b", NULL);
	assert_int_equal(command_go(&c), 0);
	assert_int_equal(wait_for(&c), 0);
	command_release(&c);
}

TEST(inherits_no_descriptor)
{
	struct command c = start("sleep", "60", NULL);
	char path[64];

	assert_int_equal(command_go(&c), 0);
	snprintf(path, sizeof(path), "/proc/%d/fd", c.pid);
	/* While it begins it has a library open; what it inherited would stay. */
	for (int i = 0; count_fds_in(path) + 1 != fds_before && i < 60000; i++)
		usleep(1000);
	assert_int_equal(count_fds_in(path) + 1, fds_before); /* reading our own takes one more */
	command_signal(&c, SIGKILL);
	assert_int_equal(wait_for(&c), 128 + SIGKILL);
	command_release(&c);
}

TEST(no_descriptors_left)
{
	char *argv[] = { (char *)"true", NULL };
	struct command c = { 0 };
	struct rlimit old, tight;
	int failures = 0, n = count_fds();

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	tight = old;
	tight.rlim_cur = dup(0); /* the lowest free one */
	close(tight.rlim_cur);
	for (int err = -EMFILE; err; tight.rlim_cur++) {
		setrlimit(RLIMIT_NOFILE, &tight);
		err = command_start(&c, argv, false);
		setrlimit(RLIMIT_NOFILE, &old);
		assert_true(err == -EMFILE || !err);
		failures += err == -EMFILE;
		command_release(&c);
		assert_int_equal(count_fds(), n);
	}
	assert_true(failures >= 4); /* at each end of its two pipes */
}

/* A user at the limit of processes: fork() says so, and nothing is left open. */
TEST(no_process_left)
{
	static char *argv[] = { "true", NULL };
	const struct rlimit none = { 0, 0 };
	struct command c = { .pid = 77 };
	int status;
	pid_t pid;

	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (!geteuid() && (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534)))
			_exit(2);
		if (setrlimit(RLIMIT_NPROC, &none))
			_exit(3);
		if (command_start(&c, argv, false) != -EAGAIN)
			_exit(4);
		_exit(c.pid != 77 || count_fds() != fds_before ? 5 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

TEST(its_cpu_time)
{
	struct command c =
		start("sh", "-c", "((while :; do :; done) & sleep 0.4; kill $!; wait $!; exit 3) 2>/dev/null",
		      NULL);

	assert_true(c.cpu_seconds == 0);
	assert_int_equal(command_go(&c), 0);
	assert_int_equal(wait_for(&c), 3);
	assert_true(c.cpu_seconds > 0.02 && c.cpu_seconds < 5);
	command_release(&c);
}

/* Of this process and its children: whoever names this process to Yama is killed. */
static bool forbid_naming(void)
{
	const __u32 self = getpid();
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_prctl, 0, 5),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_PTRACER, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, self, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = { ARRAY_SIZE(code), code };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

static int run_where_naming_is_forbidden(bool from_outside)
{
	char *argv[] = { (char *)"true", NULL };
	struct command c = { 0 };
	int status = 0;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		const struct rlimit none = { 0, 0 };

		setrlimit(RLIMIT_CORE, &none);
		if (!forbid_naming() || command_start(&c, argv, from_outside))
			_exit(1);
		signal(SIGPIPE, SIG_IGN);
		command_go(&c);
		_exit(waitpid(c.pid, &status, 0) == c.pid && WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Before it execs it lets the profiler's other children read it, if that is how it is profiled. */
TEST(readers_are_named)
{
	assert_int_equal(run_where_naming_is_forbidden(true), SIGSYS);
	assert_int_equal(run_where_naming_is_forbidden(false), 0);
}

static int make_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
	(void)state;
	return rmdir(directory);
}

static int begin(void **state)
{
	/* Whoever runs the tests may ignore some of them, as nohup does; COMMAND would inherit that. */
	for (int i = 1; i < SIGRTMIN; i++)
		signal(i, SIG_DFL);
	return make_directory(state);
}

AROUND_EACH(setup, teardown);
AROUND_ALL(begin, remove_directory);
