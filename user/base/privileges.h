/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * privileges.h - gives up capabilities for good. Each capability is a bit, PRIVILEGE(CAP_...); all of it is
 * about the calling thread alone.
 */
#ifndef PYPERF_BASE_PRIVILEGES_H
#define PYPERF_BASE_PRIVILEGES_H

#include <errno.h>
#include <linux/capability.h>
#include <linux/types.h>
#include <stdbool.h>

#define PRIVILEGE(capability) (1ULL << (capability))

/* Whether a right was missing, of what failed by err. */
static inline bool privileges_lacked(int err)
{
	return err == -EPERM || err == -EACCES;
}

/* The capabilities that this thread may use. 0 or -errno, and then *ret is as it was. */
int privileges_get(__u64 *ret);

/*
 * Makes of what this thread may use only these effective, until it is called again; those that it has not
 * are left out. 0 or -errno.
 */
int privileges_use(__u64 capabilities);

/*
 * Keeps these, as far as the thread has them, and nothing else. Neither exec nor anything that it starts can
 * have more: no_new_privs is set, and the ambient, the inheritable and, where CAP_SETPCAP allows it, the
 * bounding set are emptied. 0 or -errno, and then some may be gone already.
 */
int privileges_keep(__u64 capabilities);

/*
 * Uses none from now on, and keeps these for what is executed, if that is root's, if its file has
 * capabilities, or if there is an ambient set. Nothing that is executed can have more. 0 or -errno, as
 * privileges_keep().
 */
int privileges_hand_on(__u64 capabilities);

/* Programs that are executed from now on get nothing from the ambient set. 0 or -errno. */
int privileges_clear_ambient(void);

#endif
