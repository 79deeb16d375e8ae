// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_encode_report.c - the report of a trace is, byte for byte, what is said of its profile in a file of
 * OTLP.
 */
#include <sys/eventfd.h>

#include "base/job.h"
#include "formats/otlp.h"
#include "http/encode_job.h"
#include "recorded/read_pprof.h"
#include "report/answered.h"
#include "tests/forge/profiles.h"

#define PROFILES 40
#define TOP	 10

static void through_file(const struct profile *p, const struct report_wish *w, struct buf *out)
{
	const struct report_query q = { .trace = w->trace, .top = w->top };
	_cleanup_recorded_ struct recorded r = { .trace = w->trace };
	_cleanup_buf_ struct buf file = { 0 };
	struct answered a;
	char error[512];
	const char *why;

	assert_int_equal(otlp_encode(p, &file), 0);
	assert_int_equal(read_pprof(&r, file.data, file.size, &why), 0);
	assert_int_equal(answered_make(&r, &q, &a, error, sizeof(error)), 0);
	assert_int_equal(w->json ? answered_json(&a, out) : answered_text(&a, false, out), 0);
	answered_free(&a);
	assert_int_equal(buf_add(out, "", 1), 0);
}

static void through_job(const struct profile *p, const struct report_wish *w, struct buf *out)
{
	struct encode_work work = { .profile = p, .format = ENCODE_REPORT, .report = *w };
	const int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	struct job *job;
	__u32 samples;

	strcpy(work.trace, w->trace);
	assert_true(event >= 0);
	assert_int_equal(encode_job_start(&job, &work, event), 0);
	assert_int_equal(encode_job_end(job, out, &samples), 0);
	assert_int_equal(buf_add(out, "", 1), 0);
	close(event);
}

TEST(as_of_a_file)
{
	for (__u32 i = 0; i < PROFILES; i++) {
		const struct profiles_wish wish = { .samples = 3 * i, .timed = i % 3 == 1,
						    .has_moments = i % 4 };
		const struct report_wish w = { .trace = PROFILES_TRACE, .top = TOP, .json = i % 2 };
		_cleanup_profile_ struct profile *p = profiles_forge(&wish);
		_cleanup_buf_ struct buf expected = { 0 }, out = { 0 };

		through_file(p, &w, &expected);
		through_job(p, &w, &out);
		assert_string_equal(out.data, expected.data);
	}
}
