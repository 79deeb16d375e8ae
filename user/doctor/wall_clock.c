// SPDX-License-Identifier: GPL-2.0-only
/*
 * wall_clock.c - whether this machine's time can be believed. A profile says when it was taken; a receiver
 * refuses what is too old, or shows it where nobody looks.
 */
#include <errno.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>

#include "doctor/checks.h"

#define FIRST_RELEASE 1735689600 /* 2025-01-01: no machine can have this program before */

void check_clock(struct examination *x, struct checked *ret)
{
	struct timex t = { .modes = 0 };
	const int state = adjtimex(&t), err = errno;
	const time_t now = time(NULL);
	char text[64] = "?";
	struct tm tm;

	(void)x;
	if (gmtime_r(&now, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm);
	if (now < FIRST_RELEASE) {
		finding_say(ret, GRADE_NOTE, "it says %s, which cannot be: profiles say it, too", text);
		finding_mend(ret, "sudo timedatectl set-ntp true, or sudo date -s TIME");
	} else if (state < 0) {
		finding_say(ret, GRADE_OK, "%s; the kernel does not say here whether that is right: %s", text,
			    strerror(err));
	} else if (state == TIME_ERROR || t.status & STA_UNSYNC) {
		finding_say(ret, GRADE_NOTE,
			    "%s; nothing on this machine sets it by other clocks, as far as the kernel knows",
			    text);
		finding_mend(ret, "sudo timedatectl set-ntp true (systemd-timesyncd), or chrony; within a "
				  "virtual machine its host may do it");
	} else {
		finding_say(ret, GRADE_OK, "%s, at most %ld ms wrong", text, t.maxerror / 1000);
	}
}
