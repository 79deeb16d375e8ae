// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_screen.c - the page of top: as many lines as the terminal has, none wider than it, the right words.
 */
#include <string.h>

#include "views/table_cell.h"
#include "top/screen.h"
#include "tests/forge/test.h"

static struct top_row rows[] = {
	{ "a_function_with_a_name_that_is_longer_than_its_column_is", "/srv/a/long/path/to/app.py:12", 0.5,
	  1.25, 0.75, 12.34 },
	{ "g", "b.py:1", 0.01, 0.02, 0, 0.5 },
};

static const struct top_rows two = { rows, 2, 1.5, 0.03, 0.3, 1234 };

static struct screen a_screen(void)
{
	return (struct screen){ .columns = 80, .lines = 12, .resource = "CPU", .unit = "s", .seconds = 2,
				.whole_seconds = 90, .processes = 3, .cursor = -1 };
}

/* The page as text, whose lines are all within the terminal. */
static const char *page_of(const struct screen *s, const struct top_rows *r)
{
	static char text[65536];
	_cleanup_buf_ struct buf b = { 0 };
	int lines = 0;

	assert_int_equal(screen_draw(s, r, &b), 0);
	assert_true(b.size < sizeof(text));
	memcpy(text, b.data, b.size);
	text[b.size] = '\0';
	for (const char *at = text, *end; *at; at = end + 1, lines++) {
		end = strchr(at, '\n');
		assert_non_null(end);
		if (!s->colour)
			assert_in_range(table_cell_columns(at, end - at), 0, s->columns);
	}
	assert_int_equal(lines, s->lines);
	return text;
}

#define assert_has(page, words) assert_non_null(strstr(page, words))

TEST(head_table_and_keys)
{
	struct screen s = a_screen();
	const char *page = page_of(&s, &two);

	assert_has(page, "1.50 CPUs by 3 processes in 2 s; 2.0 % not seen; 20 % C threads\n");
	assert_has(page, "    50.0   125.0   12.34  a_function");
	assert_has(page, "app.py:12\n");
	assert_has(page, "of 1,234 samples, 100 % is one CPU; self s: of the last 90 s; ordered by self\n");
	assert_has(page, "  self % total %  self s  function");
	assert_has(page, "     1.0     2.0    0.50  g ");
	assert_has(page, "q quit\n");
	assert_null(strchr(page, '\033'));
}

TEST(any_size_of_terminal)
{
	static const int columns[] = { 40, 60, 80, 81, 132, 300 };

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		for (int lines = 6; lines < 60; lines++) {
			struct screen s = a_screen();

			s.columns = columns[i];
			s.lines = lines;
			page_of(&s, &two);
			s.compare = true;
			page_of(&s, &two);
		}
}

TEST(changes)
{
	struct screen s = a_screen();

	s.compare = true;
	assert_has(page_of(&s, &two), "nothing to compare with yet");
	s.past_seconds = 58;
	assert_has(page_of(&s, &two), "against 58 s ago");
	assert_has(page_of(&s, &two), "   -25.0  a_fun");
	assert_has(page_of(&s, &two), "    +1.0  g ");
}

TEST(states_are_said)
{
	const struct top_rows none = { 0 };
	struct screen s = a_screen();

	assert_has(page_of(&s, &none), "nothing was seen here");
	s.paused = true;
	assert_has(page_of(&s, &two), "[paused]");
	strcpy(s.filter, "parse");
	assert_has(page_of(&s, &two), "filter: parse");
	s.typing = true;
	assert_has(page_of(&s, &two), "filter: parse_");
	s.colour = true;
	assert_has(page_of(&s, &two), "\033[31m");
	s.cursor = 0;
	assert_null(strstr(page_of(&s, &two), "\033[31m"));
	assert_has(page_of(&s, &two), "\033[7m    50.0");
	s.typing = false;
	s.of = &rows[1];
	assert_has(page_of(&s, &two), "lines of g (Esc goes back)");
}
