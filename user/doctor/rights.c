// SPDX-License-Identifier: GPL-2.0-only
/*
 * rights.c - what this process may do: its capabilities, and which processes it sees. Whoever may not is told
 * both ways on: as root, or by capabilities that the file has; in a container, what starts it so.
 */
#include <sys/prctl.h>
#include <unistd.h>

#include "base/capabilities.h"
#include "base/namespaces.h"
#include "base/privileges.h"
#include "doctor/checks.h"
#include "doctor/triggers.h"
#include "proc/visible.h"

static void mend_for_user(const struct examination *x, struct checked *ret)
{
	_cleanup_buf_ struct buf list = { 0 };
	__u64 mask = capabilities_up_to(CAPABILITY_WANTED);

	/* Then neither sudo nor capabilities of a file give anything. */
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) > 0)
		finding_mend(ret, "it was started with no_new_privs (systemd's NoNewPrivileges=, Kubernetes' "
				  "allowPrivilegeEscalation: false): start it without");
	finding_mend(ret, "sudo %s ...", x->program);
	/* Timers, which need no more than the others, are there from 6.7 on only. */
	if (triggers_need_admin())
		mask |= PRIVILEGE(CAP_SYS_ADMIN);
	if (!capabilities_add(&list, mask, CAPABILITY_AS_FILE))
		finding_mend(ret, "sudo setcap %.*s+ep %s", (int)list.size, list.data, x->program);
}

static void mend_for_root(struct checked *ret)
{
	_cleanup_buf_ struct buf docker = { 0 }, list = { 0 };
	const __u64 mask = capabilities_up_to(CAPABILITY_WANTED);

	if (capabilities_add(&docker, mask, CAPABILITY_AS_DOCKER) ||
	    capabilities_add(&list, mask, CAPABILITY_AS_LIST))
		return;
	finding_mend(ret, "in a container: docker run --pid=host %.*s", (int)docker.size, docker.data);
	finding_mend(ret, "in Kubernetes: securityContext: {capabilities: {add: [%.*s]}}, hostPID: true",
		     (int)list.size, list.data);
	finding_mend(ret, "in a service of systemd: CapabilityBoundingSet= without a limit");
}

static void say_lacking(struct checked *ret, enum grade grade, __u64 lacking)
{
	_cleanup_buf_ struct buf text = { 0 };
	int err = 0;

	for (int i = 0; i < CAPABILITY_ROWS && !err; i++)
		if (lacking & PRIVILEGE(capability_rows[i].number))
			err = buf_printf(&text, "%s%s (%s)", text.size ? ", " : "", capability_rows[i].name,
					 capability_rows[i].reason);
	finding_say(ret, grade, "missing: %.*s", (int)text.size, text.data ?: "");
}

void check_capabilities(struct examination *x, struct checked *ret)
{
	_cleanup_buf_ struct buf names = { 0 };
	const __u64 asked = capabilities_up_to(CAPABILITY_WANTED);
	__u64 has = 0;

	if (privileges_get(&has))
		has = 0;
	x->lacking = capabilities_up_to(CAPABILITY_NEEDED) & ~has;
	if (!namespaces_has_first_users()) {
		x->lacking = capabilities_up_to(CAPABILITY_NEEDED);
		finding_say(ret, GRADE_MISSING,
			    "this is a user namespace of its own (a container without root, or "
			    "userns-remap): what it may do is worth nothing for BPF");
		finding_mend(ret, "start it outside of the container, or in one with --userns=host");
	} else if (asked & ~has) {
		say_lacking(ret, x->lacking ? GRADE_MISSING : GRADE_NOTE, asked & ~has);
		if (geteuid())
			mend_for_user(x, ret);
		else
			mend_for_root(ret);
	} else if (!capabilities_add(&names, asked, CAPABILITY_AS_NAMES)) {
		finding_say(ret, GRADE_OK, "%.*s", (int)names.size, names.data);
	}
	x->hopeless |= !!x->lacking;
}

void check_pid_namespace(struct examination *x, struct checked *ret)
{
	if (namespaces_has_first_pids()) {
		finding_say(ret, GRADE_OK, "the machine's");
		return;
	}
	x->hopeless = true;
	finding_say(ret, GRADE_MISSING,
		    "this is a pid namespace of its own, from which other processes cannot be named");
	finding_mend(ret, "in a container: docker run --pid=host");
	finding_mend(ret, "in Kubernetes: hostPID: true");
}

void check_proc(struct examination *x, struct checked *ret)
{
	if (!visible_is_mounted()) {
		x->hopeless = true;
		finding_say(ret, GRADE_MISSING, "/proc is not mounted");
		finding_mend(ret, "mount -t proc proc /proc");
	} else if (!visible_shows_others()) {
		finding_say(ret, GRADE_MISSING, "/proc hides the processes of others (hidepid)");
		finding_mend(ret, "mount -o remount,hidepid=0 /proc");
	} else {
		finding_say(ret, GRADE_OK, "/proc shows the processes of others");
	}
}
