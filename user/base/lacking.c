// SPDX-License-Identifier: GPL-2.0-only
#include "base/lacking.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/capabilities.h"
#include "base/cleanup.h"
#include "base/namespaces.h"
#include "base/privileges.h"

/* These count for the machine as a whole, and so in its first user namespace only. */
#define OF_THE_MACHINE (PRIVILEGE(CAP_BPF) | PRIVILEGE(CAP_PERFMON) | PRIVILEGE(CAP_SYS_ADMIN))

static struct {
	bool known, root, first_users;
	__u64 permitted, bounding;
} begin;

static __u64 bounding_set(void)
{
	__u64 set = 0;

	for (int i = 0; i < CAPABILITY_ROWS; i++)
		if (prctl(PR_CAPBSET_READ, capability_rows[i].number, 0, 0, 0) > 0)
			set |= PRIVILEGE(capability_rows[i].number);
	return set;
}

void lacking_remember(void)
{
	if (begin.known)
		return;
	if (privileges_get(&begin.permitted))
		begin.permitted = 0;
	begin.bounding = bounding_set();
	begin.root = !geteuid();
	begin.first_users = namespaces_has_first_users();
	begin.known = true;
}

__u64 lacking_of(__u64 wanted)
{
	lacking_remember();
	if (!begin.first_users && wanted & OF_THE_MACHINE)
		return wanted;
	if (begin.permitted & PRIVILEGE(CAP_SYS_ADMIN)) /* which includes these, as before Linux 5.8 */
		wanted &= ~(PRIVILEGE(CAP_BPF) | PRIVILEGE(CAP_PERFMON));
	return wanted & ~begin.permitted;
}

static bool is_one(__u64 mask)
{
	return !(mask & (mask - 1));
}

static const char *be(__u64 mask)
{
	return is_one(mask) ? "is" : "are";
}

/* Root lacks these. */
static void advise_root(__u64 lacking, char *text)
{
	_cleanup_buf_ struct buf names = { 0 }, docker = { 0 };

	if (capabilities_add(&names, lacking, CAPABILITY_AS_WORDS) ||
	    capabilities_add(&docker, lacking, CAPABILITY_AS_DOCKER))
		snprintf(text, LACKING_SIZE, "capabilities are missing");
	else if (lacking & begin.bounding)
		snprintf(text, LACKING_SIZE, "%.*s %s missing, though this is root", (int)names.size,
			 names.data, be(lacking));
	else
		snprintf(text, LACKING_SIZE,
			 "%.*s %s missing, taken out of the bounding set (docker run %.*s gives %s back)",
			 (int)names.size, names.data, be(lacking), (int)docker.size, docker.data,
			 is_one(lacking) ? "it" : "them");
}

const char *lacking_advice(__u64 wanted, char *text)
{
	_cleanup_buf_ struct buf names = { 0 };
	const __u64 lacking = lacking_of(wanted);

	if (capabilities_add(&names, wanted, CAPABILITY_AS_WORDS))
		snprintf(text, LACKING_SIZE, "capabilities are missing");
	else if (!begin.first_users && (!lacking || wanted & OF_THE_MACHINE))
		snprintf(text, LACKING_SIZE,
			 "this is a user namespace of its own, outside of which its capabilities count for "
			 "nothing: run it outside");
	else if (!lacking)
		snprintf(text, LACKING_SIZE,
			 "%.*s %s there, so it is seccomp or a security module that forbids it",
			 (int)names.size, names.data, be(wanted));
	else if (begin.root)
		advise_root(lacking, text);
	else
		snprintf(text, LACKING_SIZE, "run as root, or with %.*s", (int)names.size, names.data);
	return text;
}
