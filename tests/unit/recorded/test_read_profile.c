// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_read_profile.c - a profile in memory is the same value as its file, which is written and read again
 * for that, field by field; and a trace's moments are those of OTLP.
 */
#include <errno.h>
#include <stdlib.h>

#include "formats/otlp.h"
#include "formats/pprof.h"
#include "recorded/read_pprof.h"
#include "recorded/read_profile.h"
#include "recorded/recorded.h"
#include "tests/forge/fail_malloc.h"
#include "tests/forge/profiles.h"

#define PROFILES 60 /* of each sort */

/* --- a recorded profile as text, without the numbers of its strings ------------------------------------- */

static struct buf text;	 /* all of it, and ... */
static struct buf lines; /* ... lines whose order says nothing: char *[] */

static int free_text(void **state)
{
	(void)state;
	buf_free(&text);
	buf_free(&lines);
	return 0;
}

#define SAY(...) assert_int_equal(buf_printf(&text, __VA_ARGS__), 0)

static const char *string(const struct recorded *r, __u32 id)
{
	return recorded_get_string(r, id);
}

static void say_header(const struct recorded *r)
{
	for (size_t i = 0; i < r->type_count; i++)
		SAY("type %s %s\n", string(r, r->types[i].type), string(r, r->types[i].unit));
	SAY("default %s, period %lld %s %s\n", string(r, r->default_type), r->period,
	    string(r, r->period_type.type), string(r, r->period_type.unit));
	SAY("from %lld to %lld, %lld ns, %zu files\n", r->start_ns, r->end_ns, r->duration_ns, r->files);
	for (size_t i = 0; i < r->comment_count; i++)
		SAY("comment %s\n", string(r, r->comments[i]));
	SAY("ticks %llu of %llu, unlooked %llu, unanalysed %llu\n", r->ticks_came, r->ticks_wanted,
	    r->unlooked, r->unanalysed);
	for (size_t i = 0; i < r->quotas.count; i++) {
		const struct recorded_quota *q = &r->quotas.rows[i];

		SAY("quota %s %lld %lld %lld %lld %lld %lld, %zu processes, %u\n", q->cgroup, q->quota_us,
		    q->period_us, q->periods, q->ended_early, q->held_us, q->ran_us, q->pid_count, q->more);
	}
	for (size_t i = 0; i < r->starts.count; i++)
		SAY("start %lld %lld\n", r->starts.rows[i].pid, r->starts.rows[i].unix_ns);
	SAY("others began %lld\n", r->starts.others_ns);
}

static void say_growths(const struct recorded_growths *g)
{
	const struct recorded_stretch *profiles = (const struct recorded_stretch *)g->profiles.data;
	const struct recorded_growth *rows = (const struct recorded_growth *)g->rows.data;

	for (size_t i = 0; i < recorded_growths_profiles(g); i++)
		SAY("measured %lld %lld\n", profiles[i].start_ns, profiles[i].duration_ns);
	for (size_t i = 0; i < recorded_growths_rows(g); i++)
		SAY("growth %u %lld %lld %lld\n", rows[i].profile, rows[i].pid, rows[i].grown,
		    rows[i].shrunk);
}

static void say_places(const struct recorded *r)
{
	for (__u32 id = 1; id <= r->mappings.count; id++)
		SAY("mapping %s %s\n", string(r, recorded_get_mapping(r, id)->file),
		    string(r, recorded_get_mapping(r, id)->build_id));
	for (__u32 id = 1; id <= r->functions.count; id++)
		SAY("function %s %s %lld\n", string(r, recorded_get_function(r, id)->name),
		    string(r, recorded_get_function(r, id)->file), recorded_get_function(r, id)->start_line);
	for (__u32 id = 1; id <= r->places.count; id++) {
		const struct recorded_place *p = recorded_get_place(r, id);

		SAY("place %u %u kind %u, %lld:%lld 0x%llx\n", p->function, p->mapping, p->kind, p->line,
		    p->column, p->address);
	}
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Adds the lines that have been put aside, in order. */
static void say_lines(const char *between)
{
	char **all = (char **)lines.data;
	const size_t n = lines.size / sizeof(*all);

	if (n)
		qsort(all, n, sizeof(*all), by_text);
	for (size_t i = 0; i < n; i++) {
		SAY("%s%s", between, all[i]);
		free(all[i]);
	}
	buf_clear(&lines);
}

#define PUT_ASIDE(...)                                                                   \
	do {                                                                             \
		char *line;                                                              \
		assert_true(asprintf(&line, __VA_ARGS__) > 0);                           \
		assert_int_equal(buf_add(&lines, &line, sizeof(line)), 0);               \
	} while (0)

static void say_stacks(const struct recorded *r)
{
	for (__u32 id = 1; id <= recorded_stacks(r); id++) {
		const struct recorded_stack s = recorded_get_stack(r, id);

		SAY("stack %u:", id);
		for (size_t i = 0; i < s.n; i++)
			SAY(" %u", s.places[i]);
		for (size_t i = 0; i < r->type_count; i++)
			SAY(", %lld", s.values[i]);
		for (size_t i = 0; i < s.label_count; i++)
			PUT_ASIDE("%s=%s %u %lld", string(r, s.labels[i].key), string(r, s.labels[i].text),
				  s.labels[i].is_number, s.labels[i].number);
		say_lines(" ");
		SAY("\n");
	}
}

/* To be freed. */
static char *all_of(const struct recorded *r)
{
	buf_clear(&text);
	say_header(r);
	say_growths(&r->growths);
	say_places(r);
	say_stacks(r);
	assert_int_equal(r->moments.size, 0);
	assert_int_equal(buf_add(&text, "", 1), 0);
	return strdup(text.data);
}

/* --- the same as of a file ------------------------------------------------------------------------------ */

static void through_file(const struct profile *p, int (*encode)(const struct profile *p, struct buf *out),
			 struct recorded *r)
{
	_cleanup_buf_ struct buf file = { 0 };
	const char *why;

	assert_int_equal(encode(p, &file), 0);
	assert_int_equal(read_pprof(r, file.data, file.size, &why), 0);
}

static void compare(const struct profile *p)
{
	_cleanup_recorded_ struct recorded expected = { 0 }, r = { 0 };
	_cleanup_free_ char *of_file = NULL, *of_profile = NULL;

	through_file(p, pprof_encode, &expected);
	assert_int_equal(read_profile(&r, p), 0);
	of_file = all_of(&expected);
	of_profile = all_of(&r);
	assert_string_equal(of_profile, of_file);
}

TEST(as_of_pprof, .teardown = free_text)
{
	for (__u32 i = 0; i < PROFILES; i++) {
		const struct profiles_wish wish = { .samples = i % 2 ? 200 : i, .timed = i % 3 == 1,
						    .bare_natives = i % 4 == 3 };
		_cleanup_profile_ struct profile *p = profiles_forge(&wish);

		compare(p);
	}
}

/* A place has so many lines in a file, and no more. */
TEST(deeply_inlined, .teardown = free_text)
{
	static const struct profile_info info = { .events = EVENTS_ALL, .period_ns = 1 };
	const struct profile_labels labels = { .pid = 1 };
	__u32 function, mapping, stack[100], around = 0;
	_cleanup_profile_ struct profile *p = NULL;

	assert_int_equal(profile_new(&info, &p), 0);
	assert_int_equal(profile_mapping_native(p, "/lib/x.so", "12", NULL, &mapping), 0);
	for (int i = 0; i < 100; i++) {
		assert_int_equal(profile_function(p, FRAME_NATIVE, "f", "x.c", 0, &function), 0);
		assert_int_equal(profile_location_line(p, function, i + 1, mapping, 64, around, &around), 0);
		stack[99 - i] = around;
	}
	assert_int_equal(profile_sample(p, EVENT_OFFCPU, stack, 100, &labels, 9), 0);
	compare(p);
}

/* --- of a trace ----------------------------------------------------------------------------------------- */

static void say_values(const struct recorded *r, const struct recorded_stack *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct recorded_place *p = recorded_get_place(r, s->places[i]);
		const struct recorded_function *f = recorded_get_function(r, p->function);

		SAY(" %s %s %lld:%lld:%lld %u", string(r, f->name), string(r, f->file), f->start_line,
		    p->line, p->column, p->kind);
	}
}

/* What a report of a trace is made of. A stack as OTLP has other labels, under other names. */
static void put_moments_aside(const struct recorded *r)
{
	const struct recorded_moment *moments = (const struct recorded_moment *)r->moments.data;

	for (size_t i = 0; i < r->moments.size / sizeof(*moments); i++) {
		const struct recorded_moment *m = &moments[i];
		const struct recorded_stack s = recorded_get_stack(r, m->stack);

		buf_clear(&text);
		say_values(r, &s);
		assert_int_equal(buf_add(&text, "", 1), 0);
		PUT_ASIDE("%s at %lld: %lld of%s\n", string(r, r->types[m->type].type), m->begin, m->value,
			  text.data);
	}
}

/* To be freed. */
static char *of_trace(const struct recorded *r)
{
	put_moments_aside(r);
	buf_clear(&text);
	say_header(r);
	say_lines("");
	for (size_t type = 0; type < r->type_count; type++) {
		__s64 sum = 0;

		for (__u32 id = 1; id <= recorded_stacks(r); id++)
			sum += recorded_get_stack(r, id).values[type];
		SAY("in all %lld\n", sum);
	}
	assert_int_equal(buf_add(&text, "", 1), 0);
	return strdup(text.data);
}

TEST(times_as_of_otlp, .teardown = free_text)
{
	size_t moments = 0;

	for (__u32 i = 0; i < PROFILES; i++) {
		const struct profiles_wish wish = { .samples = i, .timed = i % 3 == 1, .has_moments = i % 4 };
		_cleanup_profile_ struct profile *p = profiles_forge(&wish);
		_cleanup_recorded_ struct recorded expected = { .trace = PROFILES_TRACE },
						   r = { .trace = PROFILES_TRACE };
		_cleanup_free_ char *of_file = NULL, *of_profile = NULL;

		through_file(p, otlp_encode, &expected);
		assert_int_equal(read_profile(&r, p), 0);
		moments += r.moments.size;
		of_file = of_trace(&expected);
		of_profile = of_trace(&r);
		assert_string_equal(of_profile, of_file);
	}
	assert_true(moments);
}

/* --- without memory ------------------------------------------------------------------------------------- */

TEST(each_allocation_fails, .teardown = free_text)
{
	const struct profiles_wish wish = { .samples = 40, .has_moments = true };
	_cleanup_profile_ struct profile *p = NULL;
	int err = -ENOMEM;

	if (!fail_malloc_works())
		skip();
	p = profiles_forge(&wish);
	for (long n = 0; err; n++) {
		_cleanup_recorded_ struct recorded r = { .trace = n % 2 ? PROFILES_TRACE : NULL };

		allocations_left = n;
		err = read_profile(&r, p);
		allocations_left = -1;
		if (err)
			assert_int_equal(err, -ENOMEM);
	}
}
