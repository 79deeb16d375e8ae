/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profiles.h - profiles that have everything there is: each label, kind of event and of frame, each marker,
 * functions that were inlined, and what a profile says of itself. What is in one is chance, the same in each
 * run.
 */
#ifndef PYPERF_TESTS_FORGE_PROFILES_H
#define PYPERF_TESTS_FORGE_PROFILES_H

#include <stdio.h>
#include <string.h>

#include "profile/frames.h"
#include "profile/moments.h"
#include "profile/profile.h"
#include "tests/forge/random.h"
#include "tests/forge/test.h"

#define PROFILES_START 1700000000000000000LL
#define PROFILES_TRACE "0af7651916cd43dd8448eb211c80319c"
#define PROFILES_DEPTH 12
#define PROFILES_PLACES 96

/* What one may have; the rest of it is chance. */
struct profiles_wish {
	__u32 samples;
	bool timed, bare_natives;
	bool has_moments; /* of all that is counted */
};

struct forged_profile {
	struct profile *profile;
	__u32 places[PROFILES_PLACES];
	size_t place_count;
};

/* Below n. */
static inline __u32 profiles_chance(__u32 n)
{
	return (random_word() >> 20) % n;
}

static inline const char *profiles_text(const char *of, __u32 different)
{
	static char texts[8][64];
	static int next;
	char *text = texts[next++ % 8];

	snprintf(text, sizeof(texts[0]), "%s%u", of, profiles_chance(different));
	return text;
}

static inline struct profile_info profiles_info(const struct profiles_wish *w)
{
	static const char *const extra[] = { "team", "pid", "tenant" };
	struct profile_info info = {
		.events = EVENTS_ALL & (__u32)(random_word() >> 13),
		.period_ns = 10000000 + profiles_chance(1000),
		.start_unix_ns = PROFILES_START,
		.duration_ns = 60000000000,
		.boot_unix_ns = PROFILES_START - 3600000000000,
		.frequency = 100,
		.ticks_came = 990,
		.ticks_wanted = profiles_chance(2) ? 1000 : 0,
		.short_cpus = { { 3, 10, 20 } },
		.short_cpu_count = profiles_chance(2),
		.unanalysed = profiles_chance(3),
		.unlooked = profiles_chance(3),
		.whose_unlooked = "1 of uid 1000",
		.losses = { { PROFILES_START, PROFILES_START + 1000000000, 7 } },
		.loss_count = profiles_chance(2),
		.quotas = { { .cgroup = "/a", .quota_us = 10000, .period_us = 100000, .periods = 5,
			      .ended_early = 3, .held_us = 12, .ran_us = 34, .pids = { 1, 2 }, .pid_count = 2,
			      .more = 1 } },
		.quota_count = profiles_chance(2),
		.log_ticks = 500,
		.log_spanless = profiles_chance(2) ? 20 : 0,
		.full = { [0] = profiles_chance(2) },
		.extra_count = profiles_chance(4),
		.timed = w->timed,
		.bare_natives = w->bare_natives,
	};

	if (w->timed || !info.events)
		info.events |= EVENT_BIT(EVENT_CPU);
	info.extra_in_series = info.extra_count ? 1 : 0;
	memcpy(info.extra, extra, sizeof(extra));
	return info;
}

/* --- places --------------------------------------------------------------------------------------------- */

static inline void profiles_add_place(struct forged_profile *f, __u32 place)
{
	if (f->place_count < PROFILES_PLACES)
		f->places[f->place_count++] = place;
}

static inline void profiles_add_named(struct forged_profile *f, enum frame_kind kind, const char *name,
				      __u32 mapping)
{
	__u32 function, place;

	assert_int_equal(profile_function(f->profile, kind, name, "", 0, &function), 0);
	assert_int_equal(profile_location(f->profile, function, 0, 0, mapping, &place), 0);
	profiles_add_place(f, place);
}

static inline void profiles_add_python(struct forged_profile *f, __u32 mapping)
{
	for (int i = 0; i < 12; i++) {
		__u32 function, place;

		assert_int_equal(profile_function(f->profile, FRAME_PYTHON, profiles_text("f", 6),
						  profiles_text("/srv/m.py", 3), profiles_chance(50),
						  &function),
				 0);
		assert_int_equal(profile_location(f->profile, function, profiles_chance(9),
						  profiles_chance(3), profiles_chance(4) ? mapping : 0,
						  &place),
				 0);
		profiles_add_place(f, place);
	}
}

/* Each with a line, with functions that were put into it, or by its offset alone. */
static inline void profiles_add_native(struct forged_profile *f, enum frame_kind kind, __u32 mapping,
				       const char *file)
{
	for (__u32 i = 0; i < 8; i++) {
		const __u32 offset = profiles_chance(3) ? 0x1000 + i : 0;
		__u32 function, place, around = 0;

		for (__u32 depth = 0; depth < 1 + i % 4; depth++) {
			const bool has_source = i % 3 && kind == FRAME_NATIVE;

			assert_int_equal(profile_function(f->profile, kind, profiles_text("c_", 9),
							  has_source ? "/src/x.c" : file, 0, &function),
					 0);
			assert_int_equal(profile_location_line(f->profile, function,
							       has_source ? profiles_chance(99) : 0, mapping,
							       offset, around, &place),
					 0);
			profiles_add_place(f, place);
			around = place;
		}
	}
}

static inline void profiles_add_places(struct forged_profile *f)
{
	static const __u64 shift = 0x400000, none = 0;
	struct profile *p = f->profile;
	__u32 python, mapping;

	assert_int_equal(profile_mapping(p, "/usr/bin/python3.12", "abcdef", &python), 0);
	profiles_add_python(f, python);
	assert_int_equal(profile_mapping_native(p, "/usr/lib/libc.so.6", "0123", &shift, &mapping), 0);
	profiles_add_native(f, FRAME_NATIVE, mapping, "/usr/lib/libc.so.6");
	assert_int_equal(profile_mapping_native(p, "/usr/lib/libm.so.6", "4567", &none, &mapping), 0);
	profiles_add_native(f, FRAME_NATIVE, mapping, "/usr/lib/libm.so.6");
	assert_int_equal(profile_mapping_native(p, "/srv/x.so", "", NULL, &mapping), 0);
	profiles_add_native(f, FRAME_NATIVE, mapping, "/srv/x.so");
	assert_int_equal(profile_mapping_native(p, "[vdso]", "", NULL, &mapping), 0);
	profiles_add_native(f, FRAME_NATIVE, mapping, "[vdso]");
	assert_int_equal(profile_mapping_native(p, "[kernel]", "", NULL, &mapping), 0);
	profiles_add_native(f, FRAME_KERNEL, mapping, "[kernel]");
	profiles_add_named(f, FRAME_SYSCALL, "[syscall read]", 0);
	for (int i = 0; i < WAIT_CAUSES; i += 2)
		profiles_add_named(f, FRAME_WAIT, wait_rows[i].frame, 0);
	for (int i = 0; i < NATIVE_ENDS; i += 2)
		profiles_add_named(f, FRAME_UNPLACED, native_rows[i].frame, 0);
	for (int i = 0; i < OUTCOME_COUNT; i++)
		if (i == OUTCOME_C_THREAD || !profiles_chance(4))
			profiles_add_named(f, i == OUTCOME_C_THREAD ? FRAME_C_THREAD : FRAME_MARKER,
					   outcome_rows[i].frame, 0);
	profiles_add_named(f, FRAME_MARKER, FRAME_ALL_HIDDEN, 0);
}

/* --- samples -------------------------------------------------------------------------------------------- */

static inline struct profile_labels profiles_labels(const struct forged_profile *f)
{
	struct profile_labels l = { .pid = 100 + profiles_chance(3), .tid = 100 + profiles_chance(4),
				    .ready = profiles_chance(3), .comm = profiles_text("python", 2),
				    .thread = profiles_text("worker-", 3),
				    .began_boot_ns = 1000000000ULL * profiles_chance(3) };

	for (int i = 0; i < LABEL_COUNT; i++)
		if (label_rows[i].is_text && !profiles_chance(5))
			profile_labels_set(&l, i, profiles_text(label_rows[i].key, 2));
	l.gil = profiles_chance(2) ? "holds" : "released";
	l.trace_id = profiles_chance(2) ? PROFILES_TRACE : NULL;
	l.span_id = l.trace_id ? (profiles_chance(2) ? "b7ad6b7169203331" : "c7ad6b7169203331") : NULL;
	for (__u32 i = 0; i < profile_get_info(f->profile)->extra_count; i++)
		l.extra[i] = profiles_chance(2) ? profiles_text("extra", 2) : NULL;
	return l;
}

/* A function that was put into others is always followed by these. */
static inline size_t profiles_stack(const struct forged_profile *f, __u32 *ret)
{
	const size_t wanted = 1 + profiles_chance(PROFILES_DEPTH);
	size_t n = 0;

	while (n < wanted)
		for (__u32 id = f->places[profiles_chance(f->place_count)]; id;
		     id = profile_get_location(f->profile, id)->around)
			ret[n++] = id;
	return n;
}

static inline void profiles_note(struct profile *p, enum event_kind kind, __u64 count, __u64 *at)
{
	const bool is_tick = event_rows[kind].unit == UNIT_COUNT;
	const struct moment m = { .begin = *at, .end = is_tick ? *at + (count - 1) * 1000 : *at + 1,
				  .amount = count, .sample = profile_last_sample(p), .kind = kind };

	*at += 1000000 + profiles_chance(1000);
	assert_int_equal(profile_moment(p, &m), 0);
}

static inline void profiles_add_sample(const struct forged_profile *f, const struct profiles_wish *w,
				       __u64 *at)
{
	const struct profile_labels labels = profiles_labels(f);
	__u32 stack[PROFILES_DEPTH + 8];
	const size_t n = profiles_stack(f, stack);

	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		const __u64 count = 1 + profiles_chance(30);

		if (!(profile_get_info(f->profile)->events & EVENT_BIT(kind)) || profiles_chance(3))
			continue;
		assert_int_equal(profile_sample(f->profile, kind, stack, n, &labels, count), 0);
		if (w->has_moments)
			profiles_note(f->profile, kind, count, at);
	}
	if (w->timed && profiles_chance(2))
		assert_int_equal(profile_sample(f->profile, PROFILE_TIME, stack, n, &labels,
						1000 * profiles_chance(99)),
				 0);
	if (!profiles_chance(4))
		assert_int_equal(profile_account(f->profile, &labels, 5000000000), 0);
}

static inline struct profile *profiles_forge(const struct profiles_wish *w)
{
	const struct profile_info info = profiles_info(w);
	struct forged_profile f = { 0 };
	__u64 at = 1000;

	assert_int_equal(profile_new(&info, &f.profile), 0);
	profiles_add_places(&f);
	for (__u32 i = 0; i < w->samples; i++)
		profiles_add_sample(&f, w, &at);
	return f.profile;
}

#endif
