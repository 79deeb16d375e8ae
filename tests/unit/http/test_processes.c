// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_processes.c - the page's table: who is in it, in which order, and what a hostile name becomes.
 */
#include "tests/forge/tables.h"
#include "tests/forge/test.h"
#include "tests/unit/kern/need_kernel.h"

#include "base/buf.h"
#include "http/processes.h"
#include "kern/process_table.h"
#include "python/layout.h"

static struct buf out;

static int teardown_out(void **state)
{
	buf_free(&out);
	out = (struct buf){ 0 };
	return teardown(state);
}

static const char *table(const struct kernel *k, const struct profile *recent)
{
	buf_free(&out);
	out = (struct buf){ 0 };
	assert_int_equal(processes_html(registry, k, recent, &out), 0);
	assert_int_equal(buf_add(&out, "", 1), 0);
	return out.data;
}

static int rows(const char *html)
{
	int n = 0;

	while ((html = strstr(html, "<tr><td>"))) {
		html++;
		n++;
	}
	return n;
}

TEST(without_samples)
{
	const char *html = table(NULL, NULL);

	assert_int_equal(rows(html), 2);
	assert_non_null(strstr(html, "<tr><td><a href=\"?pid=100\">100</a><td>python3<td>unsupported"
				     "<td>/usr/bin/python3<td><td>0<td>0.0 %\n"
				     "<tr><td><a href=\"?pid=200\">200</a><td>gunicorn<td>unsupported"
				     "<td><td><td>0<td>0.0 %\n</table>\n"));
	assert_null(strstr(html, "more"));
}

TEST(those_with_most_samples_first)
{
	const char *html;

	set_root(25, 0, 0);
	set_node(26, 25, 100, 1, 1);
	set_root(27, 2, 0);
	set_node(28, 27, 101, 1, 3);
	add_process(3, 50, "third", "");
	run();
	html = table(NULL, profile);
	assert_int_equal(rows(html), 3);
	assert_non_null(strstr(html, "<td>3<td>75.0 %\n<tr><td><a href=\"?pid=100\">"));
	assert_non_null(strstr(html, "<td>1<td>25.0 %\n<tr><td><a href=\"?pid=50\">"));
	assert_non_null(strstr(html, "<td>0<td>0.0 %\n</table>"));
}

/* Of memory it is no number of samples. */
TEST(bytes_are_no_samples)
{
	static const struct profile_info info = { .events = EVENT_BIT(EVENT_MEMORY), .period_ns = 1 };
	const char *html;

	set_owner_of(0, EVENT_MEMORY, 1, 100, "");
	set_root(25, 0, 0);
	set_node(26, 25, 100, 1, 3 << 20);
	profile_free(TAKE_PTR(profile));
	assert_int_equal(profile_new(&info, &profile), 0);
	assert_int_equal(harvest(&forged_inputs, &(struct harvest_span){}, profile, &stats), 0);
	html = table(NULL, profile);
	assert_non_null(strstr(html, "<th>RSS growth<th>share<th>"));
	assert_non_null(strstr(html, "<td>3.00 MiB<td>100.0 %\n"));
}

/* Nor is CPU time that is the kernel's account. */
TEST(time_of_the_account)
{
	static const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 10000000,
						  .timed = true };
	const struct profile_labels labels = { .pid = 100, .tid = 100 };
	__u32 function, place;
	const char *html;

	profile_free(TAKE_PTR(profile));
	assert_int_equal(profile_new(&info, &profile), 0);
	assert_int_equal(profile_function(profile, FRAME_PYTHON, "f", "/a.py", 1, &function), 0);
	assert_int_equal(profile_location(profile, function, 1, 0, 0, &place), 0);
	assert_int_equal(profile_sample(profile, EVENT_CPU, &place, 1, &labels, 1), 0);
	assert_int_equal(profile_sample(profile, PROFILE_TIME, &place, 1, &labels, 1500000000), 0);
	html = table(NULL, profile);
	assert_non_null(strstr(html, "<th>CPU<th>share<th>"));
	assert_non_null(strstr(html, "<td>1.50 s<td>100.0 %\n"));
}

TEST(ended_ones_are_left_out)
{
	const char *html;

	registry_end(registry, 1);
	html = table(NULL, NULL);
	assert_int_equal(rows(html), 1);
	assert_null(strstr(html, "?pid=100"));
	registry_end(registry, 2);
	assert_int_equal(rows(table(NULL, NULL)), 0);
}

TEST(nothing_of_a_name_is_markup)
{
	const char *html;

	add_process(3, 300, "<b>&'\"\x1b\xff", "/tmp/<script src=//evil>");
	html = table(NULL, NULL);
	assert_non_null(strstr(html, "<td>&#60;b&#62;&#38;&#39;&#34;"));
	assert_non_null(strstr(html, "<td>/tmp/&#60;script src=//evil&#62;<td>"));
	assert_null(strstr(html, "<b>"));
	assert_null(strstr(html, "<script"));
	assert_null(strchr(html, 0x1b));
	assert_null(strchr(html, 0xff));
}

TEST(container)
{
	struct registry_entry e = { .id = 3, .pid = 300, .layout = -1 };

	e.label[LABEL_container_id] = "0123456789abcdef0123456789abcdef";
	assert_int_equal(registry_add(registry, &e), 0);
	assert_non_null(strstr(table(NULL, NULL), "<td>0123456789ab<td>0<td>"));
	e.label[LABEL_pod] = "web-0";
	e.label[LABEL_namespace] = "shop";
	assert_int_equal(registry_add(registry, &e), 0);
	assert_non_null(strstr(table(NULL, NULL), "<td>shop/web-0<td>0<td>"));
	e.label[LABEL_container] = "app";
	assert_int_equal(registry_add(registry, &e), 0);
	assert_non_null(strstr(table(NULL, NULL), "<td>shop/web-0/app<td>0<td>"));
}

TEST(versions)
{
	struct layout l = layout_find(0x030d00f0)->layout;
	struct registry_entry e = { .id = 3, .pid = 300 };
	const char *html;

	need_kernel();
	l.version = 0x030d02f0;
	e.layout = kernel_add_layout(kernel, &l, 0);
	assert_true(e.layout >= 0);
	assert_int_equal(registry_add(registry, &e), 0);
	l.free_threaded = true;
	e.id = 4;
	e.layout = kernel_add_layout(kernel, &l, 0);
	assert_int_equal(registry_add(registry, &e), 0);
	html = table(kernel, NULL);
	assert_non_null(strstr(html, "<td>0.0 %<td><a class=\"now\" "
				     "href=\"debug/pyperf/stacks?pid=300\">stacks now</a>\n"));
	assert_null(strstr(html, "stacks?pid=100")); /* it has no stacks that could be read */
	assert_non_null(strstr(html, "<td>3.13.2<td>"));
	assert_non_null(strstr(html, "<td>3.13.2t<td>"));
}

/* As many rows as are looked at; the others are counted. */
TEST(many)
{
	const char *html;

	for (__u32 i = 3; i <= PROCESSES_SHOWN; i++)
		add_process(i, 1000 + i, "w", "");
	html = table(NULL, NULL);
	assert_int_equal(rows(html), PROCESSES_SHOWN);
	assert_null(strstr(html, "more"));
	for (__u32 i = 1; i <= 23; i++)
		add_process(10000 + i, 20000 + i, "w", "");
	html = table(NULL, NULL);
	assert_int_equal(rows(html), PROCESSES_SHOWN);
	assert_non_null(strstr(html, "</table>\n<p>and 23 more\n"));
	assert_null(strstr(html, "?pid=20001"));
}

AROUND_EACH(setup, teardown_out);
AROUND_ALL(NULL, close_kernel);
