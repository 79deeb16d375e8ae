// SPDX-License-Identifier: GPL-2.0-only
#include "top/live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/loop.h"
#include "kern/records.h"
#include "profile/filter.h"
#include "profile/join.h"
#include "targets/registry.h"
#include "top/screen.h"
#include "top/terminal.h"
#include "tree/window.h"

#define PROFILES_MAX 128
#define WHOLE_MAX    (32ULL << 20)
#define BYTES_MAX    (128ULL << 20) /* of all profiles that are kept for the comparison */

/* A profile that was shown. */
struct past {
	struct profile *profile;
	double taken; /* clock_seconds() */
};

struct live {
	struct windows *windows;
	struct kernel *kernel; /* this and the next once it is watched, else NULL */
	struct loop *loop;
	struct window *window;
	const struct registry *registry;
	struct terminal terminal;
	struct screen screen;
	struct past past[PROFILES_MAX]; /* the oldest first */
	size_t count;
	struct profile *whole; /* of all the time since the start, or since it had become too large */
	double refresh, due;   /* due: clock_seconds() of the next profile */
	bool marked;	       /* its end is marked, and it is being taken */
	bool stale;	       /* what is on the terminal */
	bool ended;
	enum event_kind kind;
	struct top_row chosen, under; /* a function whose lines are shown; the row under the cursor */
	bool has_under, wants_lines;  /* Enter was pressed, perhaps before the cursor was drawn */
};

static const struct past *newest(const struct live *l)
{
	return l->count ? &l->past[l->count - 1] : NULL;
}

static void drop_oldest(struct live *l)
{
	profile_free(l->past[0].profile);
	memmove(l->past, l->past + 1, --l->count * sizeof(l->past[0]));
}

/*
 * Drops the profiles that are older than the comparison goes back, but for one, and those that take too much
 * memory.
 */
static void drop_old(struct live *l)
{
	__u64 bytes = 0;

	for (size_t i = 0; i < l->count; i++)
		bytes += profile_bytes(l->past[i].profile);
	while (l->count > 2 && (l->count == PROFILES_MAX || bytes > BYTES_MAX ||
				l->past[1].taken < newest(l)->taken - LIVE_PAST_SECONDS)) {
		bytes -= profile_bytes(l->past[0].profile);
		drop_oldest(l);
	}
}

/* What is joined has to be copied each time, so it begins anew when it has become large. */
static int join_whole(struct live *l, struct profile *newer)
{
	const struct profile *const parts[] = { l->whole ?: newer, newer };
	struct profile *joined;
	int err;

	if (l->whole && profile_bytes(l->whole) > WHOLE_MAX) {
		profile_free(l->whole);
		l->whole = NULL;
	}
	err = profile_join(l->whole ? parts : parts + 1, l->whole ? 2 : 1, &joined);
	if (err)
		return err;
	profile_free(l->whole);
	l->whole = joined;
	return 0;
}

int live_open(struct live **ret, struct windows *windows, const struct registry *registry, double refresh)
{
	struct live *l = calloc(1, sizeof(*l));
	int err;

	if (!l)
		return -ENOMEM;
	l->windows = windows;
	l->registry = registry;
	l->refresh = refresh;
	l->due = clock_seconds() + refresh;
	l->screen.colour = true;
	l->screen.unit = "s";
	l->screen.cursor = -1;
	l->stale = true;
	while (!(windows->events & EVENT_BIT(l->kind)))
		l->kind++;
	err = window_open(windows, &l->window) ?: terminal_open(&l->terminal);
	if (err) {
		live_close(l);
		return err;
	}
	*ret = l;
	return 0;
}

void live_close(struct live *l)
{
	if (!l)
		return;
	loop_unwatch(l->loop, l);
	terminal_close(&l->terminal);
	window_close(l->window);
	while (l->count)
		drop_oldest(l);
	profile_free(l->whole);
	free(l);
}

static int due_ms(void *live)
{
	const struct live *l = live;
	const double left = l->due - clock_seconds();

	if (l->marked || l->stale || left <= 0)
		return 0;
	return (int)(left * 1e3) + 1;
}

bool live_has_ended(const struct live *l)
{
	return l && l->ended;
}

/* --- keys ----------------------------------------------------------------------------------------------- */

static void type(struct live *l, char key)
{
	char *filter = l->screen.filter;
	const size_t length = strlen(filter);

	switch (key) {
	case '\033':
		filter[0] = '\0';
		l->screen.typing = false;
		break;
	case '\n':
	case '\r':
		l->screen.typing = false;
		break;
	case '\b':
	case 0x7f:
		if (length)
			filter[length - 1] = '\0';
		break;
	default:
		if (key >= ' ' && length + 1 < SCREEN_FILTER_SIZE) {
			filter[length] = key;
			filter[length + 1] = '\0';
		}
	}
}

/* The next kind of event that profiles are of. */
static void next_kind(struct live *l)
{
	do
		l->kind = (l->kind + 1) % EVENT_KINDS;
	while (!(l->windows->events & EVENT_BIT(l->kind)));
}

/* The cursor stands on a row, of which draw() knows whether it is there. */
static void move(struct screen *s, int by)
{
	s->cursor = s->cursor + by < 0 ? 0 : s->cursor + by;
}

/* Those of the function under the cursor, if that is wanted, from the next page on. */
static bool show_lines(struct live *l)
{
	const bool wanted = l->wants_lines;

	l->wants_lines = false;
	if (!wanted || !l->has_under || (l->screen.view != TOP_FUNCTIONS && l->screen.view != TOP_LINES))
		return false;
	l->chosen = l->under;
	l->screen.of = &l->chosen;
	l->screen.view = TOP_LINES;
	l->screen.cursor = -1;
	return true;
}

static void go_back(struct screen *s)
{
	if (s->of)
		s->view = TOP_FUNCTIONS;
	s->of = NULL;
	s->cursor = -1;
}

static bool choose_view(struct live *l, char key)
{
	switch (key) {
#define VIEW(name, letter, word, first, second) \
	case letter:                            \
		l->screen.view = TOP_##name;    \
		return true;
		TOP_VIEWS_OF(VIEW)
#undef VIEW
	}
	return false;
}

static void heed(struct live *l, char key)
{
	struct screen *s = &l->screen;

	if (choose_view(l, key)) {
		s->of = NULL;
		s->cursor = -1;
		return;
	}
	switch (key) {
	case TERMINAL_DOWN:
		move(s, 1);
		break;
	case TERMINAL_UP:
		move(s, -1);
		break;
	case '\n':
	case '\r':
		l->wants_lines = true;
		break;
	case '\033':
		go_back(s);
		break;
	case 's':
		s->order = (s->order + 1) % (s->compare ? TOP_ORDERS : TOP_BY_CHANGE);
		break;
	case 'c':
		s->compare = !s->compare;
		s->order = s->compare ? TOP_BY_CHANGE : TOP_BY_SELF;
		break;
	case '/':
		s->typing = true;
		break;
	case 'e':
		next_kind(l);
		break;
	case ' ':
		s->paused = !s->paused;
		break;
	case 'q':
		l->ended = true;
		break;
	}
}

static void take_keys(struct live *l)
{
	char key;

	while ((key = terminal_key(&l->terminal))) {
		if (l->screen.typing)
			type(l, key);
		else
			heed(l, key);
		l->stale = true;
	}
}

/* --- profiles ------------------------------------------------------------------------------------------- */

/* A part of a new profile. It is taken even while the page is paused, so that none gets too large. */
static int take_profile(struct live *l)
{
	struct harvest_stats stats;
	struct profile *profile;
	int err;

	if (!l->marked) {
		if (clock_seconds() < l->due)
			return 0;
		err = window_mark(l->window);
		if (err)
			return err;
		l->marked = true;
		return 0;
	}
	err = window_prepare(l->window);
	if (err)
		return err == -EAGAIN ? 0 : err;
	err = window_take(l->window, &profile, &stats);
	if (err)
		return err;
	l->marked = false;
	l->due = clock_seconds() + l->refresh;
	err = join_whole(l, profile);
	if (err || l->screen.paused) {
		profile_free(profile);
		return err;
	}
	l->past[l->count++] = (struct past){ profile, clock_seconds() };
	drop_old(l);
	l->stale = true;
	return 0;
}

/* The rows of a profile that was shown, of the kind that is chosen. */
static int make_rows(const struct live *l, const struct profile *profile, struct top_rows *ret)
{
	const struct profile_filter filter = { .events = EVENT_BIT(l->kind) };
	_cleanup_profile_ struct profile *of_kind = NULL;
	int err;

	*ret = (struct top_rows){ 0 };
	if (l->windows->events == EVENT_BIT(l->kind))
		return top_rows_make(profile, l->screen.view, ret);
	err = profile_filter_apply(&filter, profile, &of_kind);
	return err ?: top_rows_make(of_kind, l->screen.view, ret);
}

static int add_past(struct live *l, struct top_rows *rows)
{
	struct top_rows before;
	int err;

	l->screen.past_seconds = 0;
	if (!l->screen.compare || l->count < 2)
		return 0;
	err = make_rows(l, l->past[0].profile, &before) ?: top_rows_compare(rows, &before);
	top_rows_free(&before);
	l->screen.past_seconds = newest(l)->taken - l->past[0].taken;
	return err;
}

static int add_whole(struct live *l, struct top_rows *rows)
{
	const bool is_bytes = event_rows[l->kind].unit == UNIT_BYTES;
	struct top_rows whole;
	int err;

	l->screen.whole_seconds = (double)profile_get_info(l->whole)->duration_ns / NS_PER_SECOND;
	l->screen.unit = is_bytes ? "MiB" : "s";
	err = make_rows(l, l->whole, &whole) ?:
	      top_rows_add_since(rows, &whole, l->screen.whole_seconds *
					       (is_bytes ? (double)NS_PER_SECOND / (1 << 20) : 1));
	top_rows_free(&whole);
	return err;
}

/* It stays on the page, and on a row. */
static void keep_cursor(struct live *l, const struct top_rows *rows)
{
	struct screen *s = &l->screen;
	const int room = screen_room(s), most = rows->count < (size_t)room ? (int)rows->count : room;

	if (s->cursor >= most)
		s->cursor = most - 1;
	l->has_under = s->cursor >= 0;
	if (l->has_under)
		l->under = rows->rows[s->cursor];
}

static int draw(struct live *l)
{
	_cleanup_buf_ struct buf page = { 0 };
	struct top_rows rows = { 0 };
	struct screen *s = &l->screen;
	int err = 0;

	terminal_size(&s->columns, &s->lines);
	registry_count(l->registry, &s->processes);
	s->resource = event_rows[l->kind].resource;
	if (l->count) {
		s->seconds = profile_get_info(newest(l)->profile)->duration_ns / 1e9;
		err = make_rows(l, newest(l)->profile, &rows) ?: add_past(l, &rows) ?:
		      add_whole(l, &rows);
	}
	if (!err && s->of)
		top_rows_keep_lines_of(&rows, s->of);
	if (!err) {
		top_rows_filter(&rows, s->filter);
		top_rows_sort(&rows, s->order);
		keep_cursor(l, &rows);
		l->stale = show_lines(l);
		err = l->stale ? 0 : screen_draw(s, &rows, &page);
	}
	if (!err && page.size)
		terminal_draw(&page);
	top_rows_free(&rows);
	return err;
}

/* 0, or -ENOMEM or another -errno. */
static int take_turn(struct live *l)
{
	int err;

	if (!l->marked && clock_seconds() >= l->due)
		kernel_read_records(l->kernel);
	take_keys(l);
	err = take_profile(l);
	if (!err && l->stale) {
		l->stale = false;
		err = draw(l);
	}
	return err;
}

static void on_turn(void *live, unsigned int ready)
{
	struct live *l = live;

	(void)ready;
	if (take_turn(l))
		l->ended = true;
}

int live_watch(struct live *l, struct kernel *kernel, struct loop *loop)
{
	const int keys = l->terminal.has_keys ? STDIN_FILENO : -1;

	l->kernel = kernel;
	l->loop = loop;
	return loop_watch(loop, &(struct loop_row){ keys, due_ms, on_turn, l });
}
