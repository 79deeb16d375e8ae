// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_compared_spread.c - a difference between two parts of a fleet: of all nodes, of one of them alone, and
 * one that lies among the nodes of a side.
 */
#include <stdio.h>
#include <string.h>

#include "report/compared.h"
#include "tests/forge/recording.h"
#include "tests/forge/test.h"

#define APP "/srv/app.py"

static struct recorded r;
static struct compared compared;

static int setup(void **state)
{
	(void)state;
	recording_type(&r, "samples", "count");
	r.base_label = recording_string(&r, RECORDED_BASE);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	compared_free(&compared);
	recorded_free(&r);
	r = (struct recorded){ 0 };
	return 0;
}

AROUND_EACH(setup, teardown);

/* A node with so much of one function, and so much else. */
static void add(bool is_base, int node, __s64 work, __s64 other)
{
	char labels[64];

	snprintf(labels, sizeof(labels), "node=n%d%s", node, is_base ? "," RECORDED_BASE "=true" : "");
	recording_add(&r, "work@" APP ":2;main@" APP ":9", labels, &work);
	recording_add(&r, "other@" APP ":5;main@" APP ":9", labels, &other);
}

static const struct compared_row *compare(enum compared_scale scale, const char *name)
{
	const struct report_query q = { .top = 10, .flat = true };
	const struct compared_scaling scaling = { scale, 1, 1 };
	char error[200];

	assert_int_equal(compared_make(&r, &q, &scaling, 1, 1, &compared, error, sizeof(error)), 0);
	for (size_t i = 0; i < compared.count; i++)
		if (!strcmp(recorded_get_string(&r, compared.rows[i].key.name), name))
			return &compared.rows[i];
	return NULL;
}

/* Nodes have different amounts to do, of which the function takes 10 %, and then 20 %. */
TEST(all_nodes_have_it)
{
	const struct compared_row *row;

	for (int i = 0; i < 5; i++) {
		add(true, i, 100 + 20 * i, 900 + 180 * i);
		add(false, 10 + i, 200 + 41 * i, 800 + 159 * i);
	}
	row = compare(SCALE_SAMPLES, "work");
	assert_true(row->is_beyond && row->self > 0);
	assert_int_equal(row->node, 0);
}

TEST(one_bad_node_is_no_regression)
{
	const struct compared_row *row;

	for (int i = 0; i < 5; i++) {
		add(true, i, 100, 900);
		add(false, 10 + i, i == 3 ? 700 : 100, i == 3 ? 300 : 900);
	}
	row = compare(SCALE_SAMPLES, "work");
	assert_true(!row->is_beyond && row->self > 500);
	assert_string_equal(recorded_get_string(&r, row->node), "n13");
}

/* One of the base, too: it is there that it had more. */
TEST(one_node_of_the_base)
{
	const struct compared_row *row;

	for (int i = 0; i < 4; i++) {
		add(true, i, i ? 100 : 800, i ? 900 : 200);
		add(false, 10 + i, 100, 900);
	}
	row = compare(SCALE_SAMPLES, "work");
	assert_true(!row->is_beyond);
	assert_string_equal(recorded_get_string(&r, row->node), "n0");
}

/* Sampling would hardly do it by chance, but these nodes are that different. */
TEST(nodes_differ_as_much)
{
	static const __s64 base[] = { 50, 400, 90, 300, 60, 380 }, now[] = { 420, 100, 380, 60, 440, 330 };
	const struct compared_row *row;

	for (int i = 0; i < 6; i++) {
		add(true, i, base[i], 1000 - base[i]);
		add(false, 10 + i, now[i], 1000 - now[i]);
	}
	row = compare(SCALE_SAMPLES, "work");
	assert_true(!row->is_beyond && row->self > 400);
	assert_int_equal(row->node, 0);
}

/* All of it grew, on one node: nothing for --fail-over. */
TEST(the_whole_of_one_node)
{
	const struct compared_row *row;

	for (int i = 0; i < 4; i++) {
		add(true, i, 100, 900);
		add(false, 10 + i, 100, i ? 900 : 3000);
	}
	compare(SCALE_NONE, "work");
	assert_true(!compared.whole.is_beyond && compared.whole.self == 2100);
	assert_string_equal(recorded_get_string(&r, compared.whole.node), "n10");
	assert_false(compared_grew(&compared, 0.1, &row));
}

/* Of one node a side nobody can say how nodes differ. */
TEST(one_node_a_side)
{
	const struct compared_row *row;

	add(true, 1, 100, 900);
	add(false, 2, 400, 600);
	row = compare(SCALE_SAMPLES, "work");
	assert_true(row->is_beyond);
	assert_int_equal(row->node, 0);
}
