// SPDX-License-Identifier: GPL-2.0-only
/*
 * sandbox.c - a seccomp filter of our own. The lists are short and the same for every architecture, so that
 * libseccomp would be one more library to trust and save nothing. A call that is refused returns an error
 * and does not kill: a C library that tries something newer first goes on with what it did before.
 */
#include "guard/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/sanitized.h"
#include "guard/isolate.h"
#include "guard/rules.h"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* No O_CREAT, O_TRUNC, O_APPEND, O_WRONLY, O_RDWR: with these only O_RDONLY is left. */
#define OPEN_FLAGS                                                                                           \
	(O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_DIRECTORY | O_PATH)

/*
 * A worker may have capabilities besides those that it reads by (isolate.c), and then no call here may have a
 * use for them but to read. So there is no MADV_HWPOISON and MADV_SOFT_OFFLINE (100 and 101), which take
 * memory, of files that others have mapped too, out of service (CAP_SYS_ADMIN); no clock that wakes a
 * suspended machine (8 and 9, CAP_WAKE_ALARM); no limits of others (CAP_SYS_RESOURCE).
 */
#define ADVICE 31 /* all other advice on memory */

/* What each of them needs. */
static const struct rule common_rules[] = {
	/* The socket to whoever asks, and files that are open. */
	{ SYS_sendto, IS, 0, ISOLATED_SOCKET_FD },
	{ SYS_close, ANY, 0, 0 },
	{ SYS_pread64, ANY, 0, 0 },
	{ SYS_fstat, ANY, 0, 0 },
	{ SYS_fcntl, IS, 1, F_GETFD }, /* libelf asks whether it is open */
	/* Memory of its own, none of which can be executed. */
	{ SYS_mmap, WITHIN, 2, PROT_READ | PROT_WRITE },
	{ SYS_mprotect, WITHIN, 2, PROT_READ | PROT_WRITE },
	{ SYS_munmap, ANY, 0, 0 },
	{ SYS_mremap, ANY, 0, 0 },
	{ SYS_madvise, WITHIN, 2, ADVICE },
	{ SYS_brk, ANY, 0, 0 },
	/* Chance and its end. */
	{ SYS_getrandom, ANY, 0, 0 },
	{ SYS_restart_syscall, ANY, 0, 0 },
	{ SYS_rt_sigreturn, ANY, 0, 0 },
	{ SYS_exit, ANY, 0, 0 },
	{ SYS_exit_group, ANY, 0, 0 },
#ifdef SANITIZED
	{ SYS_sched_yield, ANY, 0, 0 },
	{ SYS_sigaltstack, ANY, 0, 0 },
#endif
};

static const struct rule parser_rules[] = {
	{ SYS_recvmsg, IS, 0, ISOLATED_SOCKET_FD }, /* a question and a file */
};

static const struct rule worker_rules[] = {
	/* The descriptors to the outside. */
	{ SYS_recvfrom, IS, 0, ISOLATED_SOCKET_FD },
	{ SYS_pwrite64, IS, 0, ISOLATED_TABLE_FD },
	{ SYS_sendmsg, IS, 0, ISOLATED_PARSER_FD },
	{ SYS_recvfrom, IS, 0, ISOLATED_PARSER_FD },
	/* Files of targets and of /proc, read-only. */
	{ SYS_openat, WITHIN, 2, OPEN_FLAGS },
	{ SYS_read, ANY, 0, 0 },
	{ SYS_lseek, ANY, 0, 0 },
	{ SYS_newfstatat, ANY, 0, 0 },
	{ SYS_statx, ANY, 0, 0 }, /* which mount a file is in */
	{ SYS_readlinkat, ANY, 0, 0 },
	{ SYS_fstatfs, ANY, 0, 0 },
	{ SYS_getdents64, ANY, 0, 0 },
	{ SYS_fcntl, IS, 1, F_GETFL }, /* opendir() */
	/* The memory of targets. Not process_vm_writev, not ptrace. */
	{ SYS_process_vm_readv, ANY, 0, 0 },
	{ SYS_clock_gettime, ANY, 0, 0 },
	{ SYS_clock_nanosleep, WITHIN, 0, CLOCK_REALTIME | CLOCK_MONOTONIC },
};

static const struct rule sampler_rules[] = {
	{ SYS_ppoll, ANY, 0, 0 },
	{ SYS_getcpu, ANY, 0, 0 },
	{ SYS_sched_yield, ANY, 0, 0 },
	{ SYS_sched_setaffinity, IS, 0, 0 }, /* its own */
};

static const struct rule zygote_rules[] = {
	/* It takes sockets from the profiler, sends what became of a worker, and joins that to a parser. */
	{ SYS_recvmsg, ANY, 0, 0 },
	{ SYS_sendmsg, ANY, 0, 0 },
	{ SYS_socketpair, IS, 0, AF_UNIX },
	{ SYS_ppoll, ANY, 0, 0 },
#ifdef SYS_poll
	{ SYS_poll, ANY, 0, 0 },
#endif
	/* It forks, and no thread or name space comes of it. */
	{ SYS_clone, WITHIN, 0, CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID | SIGCHLD },
	{ SYS_set_robust_list, ANY, 0, 0 },
	{ SYS_getpid, ANY, 0, 0 },
	{ SYS_getppid, ANY, 0, 0 },
	{ SYS_pidfd_open, ANY, 0, 0 },
	{ SYS_pidfd_send_signal, ANY, 0, 0 },
	{ SYS_wait4, ANY, 0, 0 },
	/* What a worker and a parser give up before they enter their own lists. */
	{ SYS_prctl, ANY, 0, 0 },
	{ SYS_seccomp, ANY, 0, 0 },
	{ SYS_capget, ANY, 0, 0 },
	{ SYS_capset, ANY, 0, 0 },
	{ SYS_prlimit64, IS, 0, 0 }, /* its own */
	{ SYS_rt_sigaction, ANY, 0, 0 },
	{ SYS_rt_sigprocmask, ANY, 0, 0 },
	{ SYS_memfd_create, ANY, 0, 0 },
	{ SYS_fcntl, IS, 1, F_DUPFD_CLOEXEC },
#ifdef SYS_dup2
	{ SYS_dup2, ANY, 0, 0 },
#endif
	{ SYS_dup3, ANY, 0, 0 },
	{ SYS_close_range, ANY, 0, 0 },
	{ SYS_landlock_create_ruleset, ANY, 0, 0 },
	{ SYS_landlock_restrict_self, ANY, 0, 0 },
};

#define FOR(sandbox) (1U << (sandbox))

#define LIST(rules) &(const struct rule_list){ rules, ARRAY_SIZE(rules) }

static const struct {
	const struct rule_list *list;
	unsigned int sandboxes;
} lists[] = {
	{ LIST(common_rules), ~0U },
	{ LIST(parser_rules), FOR(SANDBOX_PARSER) | FOR(SANDBOX_ZYGOTE) },
	{ LIST(worker_rules), FOR(SANDBOX_WORKER) | FOR(SANDBOX_SAMPLER) | FOR(SANDBOX_ZYGOTE) },
	{ LIST(sampler_rules), FOR(SANDBOX_SAMPLER) },
	{ LIST(zygote_rules), FOR(SANDBOX_ZYGOTE) },
	{ &profiler_rules, FOR(SANDBOX_PROFILER) },
};

#define RULES_MAX                                                                                            \
	(ARRAY_SIZE(common_rules) + ARRAY_SIZE(parser_rules) + ARRAY_SIZE(worker_rules) +                    \
	 ARRAY_SIZE(zygote_rules) + PROFILER_RULES_MAX)

#define RULE_STEPS 6 /* of a rule, at most */
#define FRAME_STEPS 5 /* before and after the rules */

struct filter_program {
	unsigned short count;
	struct sock_filter steps[FRAME_STEPS + RULE_STEPS * RULES_MAX];
};

static void add(struct filter_program *p, __u16 code, __u32 value, __u8 if_true, __u8 if_false)
{
	p->steps[p->count++] = (struct sock_filter){ code, if_true, if_false, value };
}

static void load(struct filter_program *p, size_t offset)
{
	add(p, BPF_LD | BPF_W | BPF_ABS, offset, 0, 0);
}

/* A rule that does not fit leaves the number where it was, for the next one. */
static void add_rule(struct filter_program *p, const struct rule *r)
{
	const __u8 steps[] = { [ANY] = 1, [IS] = 4, [WITHIN] = 5, [ABSENT] = 1 };
	const bool checks = r->check == IS || r->check == WITHIN;

	add(p, BPF_JMP | BPF_JEQ | BPF_K, r->number, 0, steps[r->check]);
	if (checks) {
		/* Both architectures are little-endian: the lower half comes first. */
		load(p, offsetof(struct seccomp_data, args) + r->argument * sizeof(__u64));
		if (r->check == WITHIN)
			add(p, BPF_ALU | BPF_AND | BPF_K, ~r->value, 0, 0);
		add(p, BPF_JMP | BPF_JEQ | BPF_K, r->check == IS ? r->value : 0, 0, 1);
	}
	add(p, BPF_RET | BPF_K, r->check == ABSENT ? SECCOMP_RET_ERRNO | ENOSYS : SECCOMP_RET_ALLOW, 0, 0);
	if (checks)
		load(p, offsetof(struct seccomp_data, nr));
}

static void add_lists(struct filter_program *p, enum sandbox sandbox)
{
	for (size_t l = 0; l < ARRAY_SIZE(lists); l++)
		for (size_t i = 0; lists[l].sandboxes & FOR(sandbox) && i < lists[l].list->count; i++)
			add_rule(p, &lists[l].list->rules[i]);
}

/* Of the whole process, whatever threads it has. */
static int enter_all_threads(const struct sock_fprog *filter)
{
	long thread = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, filter);

	return thread < 0 ? -errno : thread ? -ESRCH : 0;
}

int sandbox_enter(enum sandbox sandbox)
{
	struct filter_program p = {};
	struct sock_fprog filter = { .filter = p.steps };

	/* The calls of another architecture have other numbers; none of ours makes one. */
	load(&p, offsetof(struct seccomp_data, arch));
	add(&p, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
	add(&p, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
	load(&p, offsetof(struct seccomp_data, nr));
	add_lists(&p, sandbox);
	add(&p, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM, 0, 0);
	filter.len = p.count;
	if (sandbox == SANDBOX_PROFILER)
		return enter_all_threads(&filter);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) ? -errno : 0;
}
