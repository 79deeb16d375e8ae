// SPDX-License-Identifier: GPL-2.0-only
#include "base/privileges.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CAPABILITIES_MAX 64
#define ALL		 (~0ULL)

struct sets {
	__u64 effective, permitted, inheritable;
};

/* The system calls have each set in two halves. */
static int read_sets(struct sets *ret)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct half[_LINUX_CAPABILITY_U32S_3] = {};

	if (syscall(SYS_capget, &header, half))
		return -errno;
	*ret = (struct sets){
		.effective = half[0].effective | (__u64)half[1].effective << 32,
		.permitted = half[0].permitted | (__u64)half[1].permitted << 32,
		.inheritable = half[0].inheritable | (__u64)half[1].inheritable << 32,
	};
	return 0;
}

static int write_sets(const struct sets *s)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct half[_LINUX_CAPABILITY_U32S_3] = {
		{ s->effective, s->permitted, s->inheritable },
		{ s->effective >> 32, s->permitted >> 32, s->inheritable >> 32 },
	};

	return syscall(SYS_capset, &header, half) ? -errno : 0;
}

int privileges_get(__u64 *ret)
{
	struct sets sets;
	int err = read_sets(&sets);

	if (!err)
		*ret = sets.permitted;
	return err;
}

int privileges_use(__u64 capabilities)
{
	struct sets sets;
	int err = read_sets(&sets);

	if (err)
		return err;
	sets.effective = sets.permitted & capabilities;
	return write_sets(&sets);
}

/* Without CAP_SETPCAP it stays as it is, and after no_new_privs nothing depends on it. */
static int limit_bounding_set(__u64 capabilities)
{
	for (int i = 0; i < CAPABILITIES_MAX && prctl(PR_CAPBSET_READ, i, 0, 0, 0) >= 0; i++)
		if (!(capabilities & PRIVILEGE(i)) && prctl(PR_CAPBSET_DROP, i, 0, 0, 0) && errno != EPERM)
			return -errno;
	return 0;
}

int privileges_clear_ambient(void)
{
	return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) ? -errno : 0;
}

int privileges_keep(__u64 capabilities)
{
	struct sets sets;
	int err;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	err = privileges_use(ALL); /* CAP_SETPCAP, if it was put aside */
	if (!err)
		err = limit_bounding_set(0);
	if (!err)
		err = privileges_clear_ambient();
	if (!err)
		err = read_sets(&sets);
	if (err)
		return err;
	sets.permitted &= capabilities;
	sets.effective = sets.permitted;
	sets.inheritable = 0;
	return write_sets(&sets);
}

int privileges_hand_on(__u64 capabilities)
{
	struct sets sets;
	int err = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : privileges_use(ALL);

	if (!err)
		err = limit_bounding_set(capabilities);
	if (!err)
		err = read_sets(&sets);
	if (err)
		return err;
	sets.permitted &= capabilities;
	sets.inheritable &= capabilities; /* the ambient set is never more than these two */
	sets.effective = 0;
	return write_sets(&sets);
}
