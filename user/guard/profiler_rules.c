// SPDX-License-Identifier: GPL-2.0-only
/*
 * profiler_rules.c - the system calls of the profiler itself from the first sample on. It talks to the
 * network by libraries (libcurl, GnuTLS, libmicrohttpd, the resolver of the C library), so the list is long.
 * What is not on it: to execute anything, to look at or trace another process, to load a BPF program or to
 * make a map, to listen anywhere else, to mount, to change owners, users or name spaces, and all that is
 * rarely used.
 *
 * A call that is not on it fails with EPERM, and nobody is killed for it: a library that is newer than this
 * list may try one, and a profiler that goes on without is worth more than one that has ended. It is not told
 * to the kernel's log either, as clone3() would be there for each thread. strace -f shows what is refused.
 *
 * The children that write files have it, too.
 */
#include "guard/rules.h"

#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <termios.h>

#include "base/cleanup.h"

/* What pthread_create() and fork() ask for. No name space among it. */
#define CLONE_FLAGS                                                                                          \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS |   \
	 CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID | SIGCHLD)

#define CALL(name)		  { SYS_##name, ANY, 0, 0 }
#define CALL_IF(name, argument, value) { SYS_##name, IS, argument, value }
#define BPF(command)		  CALL_IF(bpf, 0, BPF_##command)
#define IOCTL(command)		  CALL_IF(ioctl, 1, command)

static const struct rule rules[] = {
	/* The loop, and what is asked most. */
	CALL(epoll_pwait), CALL(epoll_ctl), CALL(epoll_create1), CALL(ppoll), CALL(pselect6), CALL(read),
	CALL(write), CALL(futex), CALL(clock_gettime), CALL(clock_nanosleep), CALL(nanosleep),
	CALL(timerfd_create), CALL(timerfd_settime), CALL(eventfd2), CALL(signalfd4), CALL(pipe2),
	/* BPF: maps and programs that are there. */
	BPF(MAP_LOOKUP_ELEM), BPF(MAP_UPDATE_ELEM), BPF(MAP_DELETE_ELEM), BPF(MAP_GET_NEXT_KEY),
	BPF(MAP_LOOKUP_AND_DELETE_ELEM), BPF(MAP_LOOKUP_BATCH), BPF(MAP_LOOKUP_AND_DELETE_BATCH),
	BPF(MAP_UPDATE_BATCH), BPF(MAP_DELETE_BATCH), BPF(PROG_TEST_RUN), BPF(ITER_CREATE),
	BPF(LINK_CREATE), BPF(LINK_DETACH), BPF(OBJ_GET_INFO_BY_FD), CALL(perf_event_open),
	CALL(membarrier), IOCTL(PERF_EVENT_IOC_ENABLE), IOCTL(PERF_EVENT_IOC_DISABLE),
	IOCTL(PERF_EVENT_IOC_SET_BPF), CALL(sched_getaffinity), CALL(sched_setaffinity),
	/* Files: profiles, those that are read again, and /proc. */
	CALL(openat), CALL(readv), CALL(writev), CALL(pwrite64), CALL(lseek), CALL(newfstatat),
	CALL(statx), CALL(statfs), CALL(fstatfs), CALL(faccessat), CALL(faccessat2), CALL(getdents64),
	CALL(readlinkat), CALL(unlinkat), CALL(renameat), CALL(renameat2), CALL(linkat), CALL(mkdirat),
	CALL(fsync), CALL(fdatasync), CALL(ftruncate), CALL(fallocate), CALL(fchmod), CALL(fcntl),
	CALL(flock), CALL(dup), CALL(dup3), CALL(sendfile), CALL(fadvise64), CALL(umask), CALL(getcwd),
	CALL(close_range), CALL(memfd_create),
	/* The terminal, of top. */
	IOCTL(TCGETS), IOCTL(TCSETS), IOCTL(TCSETSW), IOCTL(TCSETSF), IOCTL(TIOCGWINSZ),
	/* The network; FIONREAD and netlink are the resolver's. Not listen(): that is done by now. */
	CALL(socket), CALL(socketpair), CALL(connect), CALL(bind), CALL(accept), CALL(accept4),
	CALL(getsockname), CALL(getpeername), CALL(getsockopt), CALL(setsockopt), CALL(sendto),
	CALL(recvfrom), CALL(sendmsg), CALL(recvmsg), CALL(sendmmsg), CALL(recvmmsg), CALL(shutdown),
	IOCTL(FIONREAD), IOCTL(FIONBIO),
	/*
	 * Modules of the resolver and of TLS are loaded when a name is first asked for. Nothing that is
	 * mapped can be written and executed.
	 */
	{ SYS_mmap, WITHIN, 2, PROT_READ | PROT_EXEC }, CALL(msync),
	/* Threads, and children that write files. No filter sees the flags of clone3(), in memory. */
	{ SYS_clone, WITHIN, 0, CLONE_FLAGS }, { SYS_clone3, ABSENT, 0, 0 }, CALL(set_robust_list),
	CALL(rseq), CALL(rt_sigaction), CALL(rt_sigprocmask), CALL(rt_sigpending), CALL(rt_sigtimedwait),
	CALL(sigaltstack), CALL(sched_yield), CALL(getpriority), CALL(setpriority), CALL(wait4),
	CALL(waitid), CALL(pidfd_open), CALL(pidfd_send_signal), CALL_IF(kill, 1, 0),
	CALL_IF(kill, 1, SIGTERM), CALL_IF(kill, 1, SIGKILL), CALL_IF(kill, 1, SIGINT),
	CALL_IF(tgkill, 2, SIGABRT), CALL_IF(prctl, 0, PR_SET_NAME), CALL_IF(prctl, 0, PR_SET_PDEATHSIG),
	CALL_IF(prctl, 0, PR_GET_NAME), CALL(set_tid_address),
	/* Who and where it is. */
	CALL(getpid), CALL(getppid), CALL(gettid), CALL(getuid), CALL(geteuid), CALL(getgid),
	CALL(getegid), CALL(getrusage), CALL(prlimit64), CALL(sysinfo), CALL(uname), CALL(times),
	CALL(getcpu), CALL(clock_getres), CALL(gettimeofday), CALL(capget),
#ifdef __x86_64__
	/* Older forms, which no other architecture has. */
	CALL(epoll_wait), CALL(poll), CALL(select), CALL(open), CALL(stat), CALL(lstat), CALL(access),
	CALL(readlink), CALL(unlink), CALL(rename), CALL(link), CALL(mkdir), CALL(dup2), CALL(pipe),
	CALL(time),
#endif
};

const struct rule_list profiler_rules = { rules, ARRAY_SIZE(rules) };

_Static_assert(ARRAY_SIZE(rules) <= PROFILER_RULES_MAX, "sandbox.c has no room for them");
