// SPDX-License-Identifier: GPL-2.0-only
/*
 * confine.c - a set of rules without a rule. The system call says how new its Landlock is, and each version
 * refuses a right that it does not know, so the rights are listed by version (linux/landlock.h).
 */
#include "guard/confine.h"

#include <errno.h>
#include <linux/landlock.h>
#include <linux/types.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"

/* struct landlock_ruleset_attr of version 6; the header of this machine may be older. */
struct rights {
	__u64 files;   /* from EXECUTE on, one bit each */
	__u64 sockets; /* BIND_TCP, CONNECT_TCP */
	__u64 scopes;  /* ABSTRACT_UNIX_SOCKET, SIGNAL */
};

#define FIRST(bits) ((1ULL << (bits)) - 1)

static const struct version {
	struct rights rights;
	size_t size; /* bytes of the structure that it knows */
} versions[] = {
	[1] = { { FIRST(13), 0, 0 }, offsetof(struct rights, sockets) },
	[2] = { { FIRST(14), 0, 0 }, offsetof(struct rights, sockets) },
	[3] = { { FIRST(15), 0, 0 }, offsetof(struct rights, sockets) },
	[4] = { { FIRST(15), FIRST(2), 0 }, offsetof(struct rights, scopes) },
	[5] = { { FIRST(16), FIRST(2), 0 }, offsetof(struct rights, scopes) },
	[6] = { { FIRST(16), FIRST(2), FIRST(2) }, sizeof(struct rights) },
};

int confine_version(void)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

		_exit(version > 0 ? version : 0); /* not built in, not enabled, or refused */
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 0;
	return WEXITSTATUS(status);
}

int confine_to_nothing(int version)
{
	const int newest = ARRAY_SIZE(versions) - 1;
	const struct version *v = &versions[version < newest ? version : newest];
	_cleanup_close_ int rules = -1;

	if (!version)
		return 0;
	rules = syscall(SYS_landlock_create_ruleset, &v->rights, v->size, 0);
	if (rules < 0)
		return -errno;
	return syscall(SYS_landlock_restrict_self, rules, 0) ? -errno : 0;
}
