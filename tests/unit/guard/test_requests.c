// SPDX-License-Identifier: GPL-2.0-only
/* test_requests.c - the list of requests: each has a row, and none carries what only another one needs. */

#include "elf/functions.h"
#include "elf/rows.h"
#include "guard/requests.h"
#include "python/capture_remote.h"
#include "tests/forge/test.h"

#define HEAD offsetof(struct worker_request, process)

TEST(each_number_has_a_row_and_no_other)
{
	assert_null(request_row(WORKER_NONE));
	assert_null(request_row(WORKER_TYPES));
	assert_null(request_row(UINT32_MAX));
	for (__u32 type = WORKER_NONE + 1; type < WORKER_TYPES; type++) {
		const struct request_row *row = request_row(type);

		assert_non_null(row);
		assert_non_null(row->read);
		assert_true(row->size >= HEAD && row->size <= sizeof(struct worker_request));
		assert_int_equal(row->answer == ANSWER_TABLE, row->table_max > 0);
	}
}

TEST(a_request_has_what_its_kind_needs)
{
	assert_int_equal(request_row(WORKER_CONTAINER)->size, HEAD);
	assert_int_equal(request_row(WORKER_IDENTIFY)->size, HEAD + sizeof(struct request_identity));
	assert_int_equal(request_row(WORKER_CAPTURE)->size, HEAD + sizeof(struct request_object));
	assert_int_equal(request_row(WORKER_SLEEPERS)->size, HEAD + sizeof(struct request_sleepers));
	assert_int_equal(request_row(WORKER_ROWS)->size, HEAD + sizeof(struct request_mapped));
}

TEST(tables_have_bounds)
{
	assert_int_equal(request_row(WORKER_TABLE)->table_max, LINETABLE_MAX);
	assert_int_equal(request_row(WORKER_MAPS)->table_max, CODE_MAPS_BYTES_MAX);
	assert_int_equal(request_row(WORKER_FUNCTIONS)->table_max, FUNCTIONS_BYTES_MAX);
	assert_int_equal(request_row(WORKER_ROWS)->table_max, ROWS_BYTES_MAX);
	assert_int_equal(request_row(WORKER_SOURCE_TEXT)->table_max, SOURCE_TEXT_MAX);
}
