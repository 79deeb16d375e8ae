// SPDX-License-Identifier: GPL-2.0-only
/*
 * recorded.c - files of pprof and OTLP that anybody may have written, and every report of them: each id leads
 * somewhere, no row has more than all, and what is shown can be shown.
 */
#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "report/answered.h"
#include "report/compared_svg.h"
#include "findings/findings.h"
#include "formats/formats.h"
#include "recorded/read_pprof.h"
#include "recorded/recorded.h"
#include "recorded/write_pprof.h"
#include "recorded/write_profile.h"

#define TRACE "9d5bca03974ef1030cbe1699c7bd0f2f" /* of otlp.pb */

const char *const fuzz_corpus = "recorded";

/* A line feed is ours; nothing else that moves a terminal may be there. */
static void check_shown(const struct buf *out)
{
	for (size_t i = 0; i < out->size; i++)
		FUZZ_CHECK(out->data[i] == '\n' || (out->data[i] & 0xff) >= ' ');
}

static void check_moments(const struct recorded *r)
{
	const struct recorded_moment *m = (const struct recorded_moment *)r->moments.data;

	for (size_t i = 0; i < r->moments.size / sizeof(*m); i++)
		FUZZ_CHECK(m[i].begin > 0 && m[i].type < r->type_count && m[i].stack &&
			   m[i].stack <= recorded_stacks(r));
}

static void check_stacks(const struct recorded *r)
{
	for (__u32 id = 1; id <= recorded_stacks(r); id++) {
		const struct recorded_stack s = recorded_get_stack(r, id);

		for (size_t i = 0; i < s.n; i++) {
			FUZZ_CHECK(s.places[i] && s.places[i] <= r->places.count);
			FUZZ_CHECK(recorded_get_place(r, s.places[i])->function <= r->functions.count);
		}
	}
}

static void ask(struct recorded *r, const struct report_query *q)
{
	struct buf text = { 0 }, json = { 0 };
	char error[256] = "";
	struct answered a;
	const int err = answered_make(r, q, &a, error, sizeof(error));

	FUZZ_CHECK(!err || (err == -EINVAL && *error));
	if (!err) {
		FUZZ_CHECK(!answered_text(&a, false, &text) && !answered_json(&a, &json));
		check_shown(&text);
		check_shown(&json);
	}
	answered_free(&a);
	buf_free(&text);
	buf_free(&json);
}

static void find(struct recorded *r)
{
	struct findings found;
	struct buf text = { 0 }, json = { 0 };

	FUZZ_CHECK(!findings_make(r, &found) && found.count <= FINDINGS_MAX);
	FUZZ_CHECK(!findings_text(&found, false, 100, &text) && !findings_json(&found, &json));
	check_shown(&text);
	check_shown(&json);
	buf_free(&text);
	buf_free(&json);
}

static void draw(struct recorded *r)
{
	const struct report_query q = { .top = 3, .flat = true };
	struct buf svg = { 0 };
	char error[256];
	struct compared c;
	const int err = compared_make(r, &q, &(struct compared_scaling){ 0 }, 1, 1, &c, error, sizeof(error));

	FUZZ_CHECK(!err || err == -EINVAL); /* it has no such event */
	if (!err) {
		FUZZ_CHECK(!compared_svg(&c, &svg));
		check_shown(&svg);
	}
	compared_free(&c);
	buf_free(&svg);
}

/* Beside itself: as a flame graph, and as a file that can be read. */
static void compare(const char *copy, size_t size)
{
	struct recorded r = { .is_base = true }, again = { 0 };
	struct buf file = { 0 };
	const char *why;

	if (!read_pprof(&r, copy, size, &why)) {
		r.is_base = false;
		FUZZ_CHECK(!read_pprof(&r, copy, size, &why));
		draw(&r);
		FUZZ_CHECK(!write_pprof(&r, 1, NULL, &file));
		FUZZ_CHECK(!read_pprof(&again, file.data, file.size, &why));
		FUZZ_CHECK(again.type_count == r.type_count);
		FUZZ_CHECK(recorded_stacks(&again) == recorded_stacks(&r));
	}
	recorded_free(&r);
	recorded_free(&again);
	buf_free(&file);
}

/* In each format that a profile has. */
static void rewrite(struct recorded *r)
{
	static const struct write_profile_wish all = { 0 };
	struct profile *p = NULL;
	char error[256] = "";
	const int err = write_profile(r, &all, &p, error, sizeof(error));

	FUZZ_CHECK(!err || (err == -EINVAL && *error));
	for (int i = 0; i < FORMATS && !err; i++) {
		struct buf file = { 0 };

		FUZZ_CHECK(!format_rows[i].encode(p, &file));
		buf_free(&file);
	}
	profile_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recorded r = { .trace = TRACE };
	const char *why = NULL;
	char *copy = fuzz_text(data, size);
	int err = read_pprof(&r, copy, size, &why);

	FUZZ_CHECK(!err || why);
	FUZZ_CHECK(!err || err == -EBADMSG || err == -E2BIG || err == -EFBIG || err == -EINVAL);
	if (!err) {
		check_stacks(&r);
		check_moments(&r);
		ask(&r, &(struct report_query){ .top = 10 });
		for (int by = 0; by < BY_LABEL; by++)
			ask(&r, &(struct report_query){ .by = by_rows[by].name, .top = 3, .fold = by % 2 });
		find(&r);
		rewrite(&r);
		ask(&r, &(struct report_query){ .trace = TRACE, .top = 3 });
		ask(&r, &(struct report_query){ .trace = TRACE, .by = "line", .event = "cpu", .top = 3 });
		ask(&r, &(struct report_query){ .by = "label:pid", .event = "cpu", .focus = "a", .top = 3 });
	}
	recorded_free(&r);
	compare(copy, size);
	free(copy);
	return 0;
}
