// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_capabilities.c - names of capabilities, each way in which they are written.
 */
#include <string.h>

#include "base/buf.h"
#include "base/capabilities.h"
#include "base/privileges.h"
#include "tests/forge/test.h"

#define FOUR (PRIVILEGE(CAP_BPF) | PRIVILEGE(CAP_PERFMON) | PRIVILEGE(CAP_SYS_PTRACE) | \
	      PRIVILEGE(CAP_DAC_READ_SEARCH))

static void is_written(__u64 mask, enum capability_style style, const char *expected)
{
	_cleanup_buf_ struct buf text = { 0 };

	assert_int_equal(capabilities_add(&text, mask, style), 0);
	assert_int_equal(text.size, strlen(expected));
	assert_memory_equal(text.data, expected, text.size);
}

TEST(names)
{
	_cleanup_buf_ struct buf empty = { 0 };

	assert_int_equal(capabilities_up_to(CAPABILITY_WANTED), FOUR);
	is_written(FOUR, CAPABILITY_AS_NAMES, "CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH");
	is_written(FOUR, CAPABILITY_AS_FILE, "cap_bpf,cap_perfmon,cap_sys_ptrace,cap_dac_read_search");
	is_written(FOUR, CAPABILITY_AS_DOCKER,
		   "--cap-add BPF --cap-add PERFMON --cap-add SYS_PTRACE --cap-add DAC_READ_SEARCH");
	is_written(FOUR, CAPABILITY_AS_LIST, "BPF, PERFMON, SYS_PTRACE, DAC_READ_SEARCH");
	is_written(PRIVILEGE(CAP_KILL), CAPABILITY_AS_NAMES, "CAP_KILL");
	assert_int_equal(capabilities_add(&empty, 0, CAPABILITY_AS_NAMES), 0);
	assert_int_equal(empty.size, 0);
}

/* Who is asked for something is told why. */
TEST(every_row_has_a_reason)
{
	for (int i = 0; i < CAPABILITY_ROWS; i++) {
		assert_int_equal(strncmp(capability_rows[i].name, "CAP_", 4), 0);
		assert_true(strlen(capability_rows[i].reason) > 5);
	}
}
