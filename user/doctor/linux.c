// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux.c - what the kernel is: its version, its type information, and whether it is locked down.
 */
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/lsm.h"
#include "doctor/checks.h"
#include "doctor/linux_version.h"
#include "kern/kernel.h"

bool linux_is(unsigned int major, unsigned int minor)
{
	unsigned int is_major = 0, is_minor = 0;
	struct utsname u;

	return !uname(&u) && sscanf(u.release, "%u.%u", &is_major, &is_minor) == 2 &&
	       (is_major > major || (is_major == major && is_minor >= minor));
}

void check_kernel(struct examination *x, struct checked *ret)
{
	struct utsname u = { 0 };

	uname(&u);
	if (linux_is(6, 1)) {
		finding_say(ret, GRADE_OK, "Linux %s, %s", u.release, u.machine);
	} else if (linux_is(5, 17)) {
		finding_say(ret, GRADE_NOTE, "Linux %s, %s: nobody has tried versions before 6.1", u.release,
			    u.machine);
	} else {
		finding_say(ret, GRADE_MISSING, "Linux %s is too old: the BPF programs need 6.1 or later",
			    u.release);
		finding_mend(ret, "boot a kernel of version 6.1 or later (Debian 12 has one)");
		x->hopeless = true;
	}
}

void check_btf(struct examination *x, struct checked *ret)
{
	if (!access(KERNEL_BTF_FILE, R_OK)) {
		finding_say(ret, GRADE_OK, "%s", KERNEL_BTF_FILE);
		return;
	}
	x->hopeless = true;
	if (access("/sys/kernel", F_OK)) {
		finding_say(ret, GRADE_MISSING, "%s is not there: /sys is not mounted", KERNEL_BTF_FILE);
		finding_mend(ret, "mount -t sysfs sysfs /sys");
		return;
	}
	finding_say(ret, GRADE_MISSING, "%s is not there: this kernel has no type information",
		    KERNEL_BTF_FILE);
	finding_mend(ret, "boot a kernel that was built with CONFIG_DEBUG_INFO_BTF (those of Debian, "
			  "Ubuntu and Fedora are)");
	finding_mend(ret, "in a container: mount the machine's /sys (docker run -v /sys:/sys:ro)");
}

void check_lockdown(struct examination *x, struct checked *ret)
{
	char levels[64];

	if (lsm_is_confidential()) {
		x->hopeless = true;
		finding_say(ret, GRADE_MISSING, "confidentiality: BPF programs may not read memory");
		finding_mend(ret, "boot with lockdown=integrity on the kernel's command line");
	} else if (lsm_lockdown(levels, sizeof(levels))) {
		finding_say(ret, GRADE_OK, "not known here (%s), so the BPF programs below will tell",
			    LOCKDOWN_FILE);
	} else {
		finding_say(ret, GRADE_OK, "%s: BPF programs may read memory", levels);
	}
}
