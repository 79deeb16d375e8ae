/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * owner.h - to whose account it goes what a process costs the profiler: that of the pod or container that it
 * is in, else that of the user who started it.
 */
#ifndef PYPERF_PROC_OWNER_H
#define PYPERF_PROC_OWNER_H

#include <sys/types.h>
#include <linux/types.h>

/*
 * A number that the processes of one owner have in common. 0 = it cannot be told, as of a process that has
 * ended. A name of a container below a user's own session is not believed, as the user makes cgroups there.
 */
__u64 owner_of(pid_t pid);
/* What that is called: "uid 1000", "container 0123456789ab", "pod UID". "" where it cannot be told. */
#define OWNER_NAME_SIZE 48
void owner_name(pid_t pid, char ret[OWNER_NAME_SIZE]);
/* The same from the texts of /proc/PID/status and /proc/PID/cgroup. */
__u64 owner_parse(const char *status, const char *cgroup);
void owner_parse_name(const char *status, const char *cgroup, char ret[OWNER_NAME_SIZE]);
/* That of a user's processes which are in no container. */
__u64 owner_of_user(uid_t user);

#endif
