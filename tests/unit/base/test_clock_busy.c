// SPDX-License-Identifier: GPL-2.0-only
/* Where many want a CPU the thread loses it between two readings of clocks, for longer than a date may be
 * wrong by. Readings of clocks are our own here, every fourth of which takes long. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/forge/test.h"

BY_ITSELF("it has a clock_gettime() of its own");

#define LONG_NS (200 * NS_PER_MS)
#define MAY_BE_WRONG_NS (20 * NS_PER_MS)

static unsigned int readings, long_one;

int clock_gettime(clockid_t clock, struct timespec *ret)
{
	static const struct timespec pause = { .tv_nsec = LONG_NS };

	if (readings++ % 4 == long_one)
		nanosleep(&pause, NULL);
	return syscall(SYS_clock_gettime, clock, ret);
}

static __s64 true_boot(void)
{
	struct timespec boot, date;

	syscall(SYS_clock_gettime, CLOCK_BOOTTIME, &boot);
	syscall(SYS_clock_gettime, CLOCK_REALTIME, &date);
	return (date.tv_sec - boot.tv_sec) * (__s64)NS_PER_SECOND + date.tv_nsec - boot.tv_nsec;
}

/* When a process began is told as a date, and compared with those of files. */
TEST(when_the_machine_began_does_not_depend_on_who_else_runs)
{
	for (long_one = 0; long_one < 4; long_one++) {
		const __s64 want = true_boot();

		readings = 0;
		assert_true(llabs(clock_boot_unix_ns() - want) < (long long)MAY_BE_WRONG_NS);
	}
}
