// SPDX-License-Identifier: GPL-2.0-only
/*
 * firefox.c - see firefox.h. Here is what all threads share: strings, functions, frames, stacks, categories,
 * and what markers there are. The layout is that of version 66 of the format. Strings are those of the
 * profile, by their ids; some more stand behind them.
 */
#include "formats/firefox.h"

#include <errno.h>

#include "formats/firefox_markers.h"
#include "formats/firefox_stacks.h"
#include "formats/firefox_threads.h"
#include "profile/frames.h"

#define FORMAT_VERSION 66
#define GECKO_VERSION  31

/* Of the colours that the viewer has, those that are most like the page's. */
static const char *const colours[FRAME_KINDS] = {
	[FRAME_PYTHON] = "orange", [FRAME_NATIVE] = "yellow", [FRAME_SYSCALL] = "blue",
	[FRAME_KERNEL] = "blue",   [FRAME_WAIT] = "purple",
};

static int add_categories(struct buf *out)
{
	int err = buf_add_string(out, "\"categories\":[");

	for (int i = 0; i < FRAME_KINDS && !err; i++)
		err = buf_printf(out, "%s{\"name\":\"%s\",\"color\":\"%s\",\"subcategories\":[\"Other\"]}",
				 i ? "," : "", frame_rows[i].shown, colours[i] ?: "grey");
	return err ?: buf_add_string(out, "]");
}

static bool is_of_bytes(int marker)
{
	return marker < EVENT_KINDS && event_rows[marker].unit == UNIT_BYTES;
}

static bool is_of_time(int marker)
{
	return marker >= EVENT_KINDS || event_rows[marker].unit == UNIT_NANOSECONDS;
}

/*
 * A marker for each kind of event, which says where, and for the GIL who held it; and for imports and
 * collections of garbage.
 */
static int add_schema(struct buf *out)
{
	int err = buf_add_string(out, "\"markerSchema\":[");

	for (int i = 0; i < FIREFOX_MARKERS && !err; i++)
		err = buf_printf(out,
				 "%s{\"name\":\"%s\",\"display\":[\"marker-chart\",\"marker-table\","
				 "\"timeline-overview\"],\"chartLabel\":\"{marker.data.why}\","
				 "\"tooltipLabel\":\"%s: {marker.data.why}\",\"fields\":["
				 "{\"key\":\"why\",\"label\":\"%s\",\"format\":\"string\"},"
				 "{\"key\":\"where\",\"label\":\"line\",\"format\":\"string\"},"
				 "{\"key\":\"amount\",\"label\":\"%s\",\"format\":\"%s\"}]}",
				 i ? "," : "", firefox_marker_key(i), firefox_marker_title(i),
				 firefox_marker_tells_holder(i) ? "held by" : "in",
				 is_of_bytes(i) ? "bytes" : "time",
				 is_of_bytes(i) ? "bytes" : is_of_time(i) ? "nanoseconds" : "integer");
	return err ?: buf_add_string(out, "]");
}

static int add_meta(const struct profile *p, struct buf *out)
{
	const struct profile_info *info = profile_get_info(p);
	int err = buf_printf(out,
			     "{\"meta\":{\"interval\":%.6f,\"startTime\":%.6f,\"processType\":0,"
			     "\"product\":\"pyperf-bpf\",\"importedFrom\":\"pyperf-bpf\",\"stackwalk\":0,"
			     "\"version\":%d,\"preprocessedProfileVersion\":%d,\"symbolicated\":true,"
			     "\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,"
			     "\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\","
			     "\"threadCPUDelta\":\"ns\"},"
			     "\"profilingStartTime\":0,\"profilingEndTime\":%.6f,",
			     info->period_ns / 1e6, info->start_unix_ns / 1e6, GECKO_VERSION, FORMAT_VERSION,
			     info->duration_ns / 1e6);

	return err ?: add_categories(out) ?: buf_add(out, ",", 1) ?: add_schema(out) ?:
	       buf_add_string(out, "},\"libs\":[],\n");
}

/* The first string is "", then those of the profile; "?" and names of markers come last. */
static int add_strings(const struct profile *p, struct buf *out)
{
	int err = buf_add_string(out, "\"stringArray\":[\"\"");

	for (__u32 id = 1; id <= profile_count(p, PROFILE_STRING) && !err; id++)
		err = buf_add(out, ",", 1) ?: buf_add_json(out, profile_get_string(p, id));
	err = err ?: buf_add_string(out, ",\"?\"");
	for (int i = 0; i < FIREFOX_MARKERS && !err; i++)
		err = buf_add(out, ",", 1) ?: buf_add_json(out, firefox_marker_title(i));
	return err ?: buf_add_string(out, "]");
}

/* "name":[...], a value for each record. */
static int add_record_column(const struct profile *p, enum profile_kind kind, const char *name,
			     int (*add)(const struct profile *p, __u32 id, struct buf *out), struct buf *out)
{
	int err = buf_printf(out, "\"%s\":[", name);

	for (__u32 id = 1; id <= profile_count(p, kind) && !err; id++)
		err = (id > 1 ? buf_add(out, ",", 1) : 0) ?: add(p, id, out);
	return err ?: buf_add_string(out, "],");
}

static int add_null(const struct profile *p, __u32 id, struct buf *out)
{
	(void)p;
	(void)id;
	return buf_add_string(out, "null");
}

static int add_zero(const struct profile *p, __u32 id, struct buf *out)
{
	(void)p;
	(void)id;
	return buf_add(out, "0", 1);
}

static int add_minus(const struct profile *p, __u32 id, struct buf *out)
{
	(void)p;
	(void)id;
	return buf_add(out, "-1", 2);
}

static int add_false(const struct profile *p, __u32 id, struct buf *out)
{
	(void)p;
	(void)id;
	return buf_add_string(out, "false");
}

/* 0 is not known. */
static int add_number_or_null(__u32 number, struct buf *out)
{
	return number ? buf_printf(out, "%u", number) : buf_add_string(out, "null");
}

static int function_name(const struct profile *p, __u32 id, struct buf *out)
{
	const __u32 name = profile_get_function(p, id)->name;

	return buf_printf(out, "%u", name ?: profile_count(p, PROFILE_STRING) + 1);
}

/* Each string is a source of that number, less 1. Those that are no files are never asked for. */
static int function_source(const struct profile *p, __u32 id, struct buf *out)
{
	const __u32 file = profile_get_function(p, id)->file;

	return file ? buf_printf(out, "%u", file - 1) : buf_add_string(out, "null");
}

static int function_line(const struct profile *p, __u32 id, struct buf *out)
{
	return add_number_or_null(profile_get_function(p, id)->start_line, out);
}

static int frame_function(const struct profile *p, __u32 id, struct buf *out)
{
	return buf_printf(out, "%u", profile_get_location(p, id)->function - 1);
}

static int frame_category(const struct profile *p, __u32 id, struct buf *out)
{
	return buf_printf(out, "%u", profile_get_function(p, profile_get_location(p, id)->function)->kind);
}

static int frame_line(const struct profile *p, __u32 id, struct buf *out)
{
	return add_number_or_null(profile_get_location(p, id)->line, out);
}

static int frame_column(const struct profile *p, __u32 id, struct buf *out)
{
	return add_number_or_null(profile_get_location(p, id)->column, out);
}

static int source_name(const struct profile *p, __u32 id, struct buf *out)
{
	(void)p;
	return buf_printf(out, "%u", id);
}

struct record_column {
	const char *name;
	int (*add)(const struct profile *p, __u32 id, struct buf *out);
};

static int add_table(const struct profile *p, const char *name, enum profile_kind kind,
		     const struct record_column *columns, struct buf *out)
{
	int err = buf_printf(out, "\"%s\":{", name);

	for (; columns->name && !err; columns++)
		err = add_record_column(p, kind, columns->name, columns->add, out);
	return err ?: buf_printf(out, "\"length\":%u},\n", profile_count(p, kind));
}

static const struct record_column function_columns[] = {
	{ "name", function_name },   { "isJS", add_false },	     { "relevantForJS", add_false },
	{ "resource", add_minus },   { "source", function_source }, { "lineNumber", function_line },
	{ "columnNumber", add_null }, { "originalLocation", add_null }, {},
};

static const struct record_column frame_columns[] = {
	{ "address", add_minus },      { "inlineDepth", add_zero },  { "category", frame_category },
	{ "subcategory", add_zero },   { "func", frame_function },   { "nativeSymbol", add_null },
	{ "innerWindowID", add_null }, { "line", frame_line },	     { "column", frame_column },
	{ "originalLocation", add_null }, {},
};

static const struct record_column source_columns[] = {
	{ "id", add_null },	      { "filename", source_name }, { "startLine", add_zero },
	{ "startColumn", add_zero }, { "sourceMapURL", add_null }, { "content", add_null }, {},
};

static int add_shared(const struct profile *p, const struct firefox_stacks *stacks, struct buf *out)
{
	return buf_add_string(out, "\"shared\":{") ?: firefox_stacks_write(stacks, out) ?:
	       add_table(p, "frameTable", PROFILE_LOCATION, frame_columns, out) ?:
	       add_table(p, "funcTable", PROFILE_FUNCTION, function_columns, out) ?:
	       add_table(p, "sources", PROFILE_STRING, source_columns, out) ?:
	       buf_add_string(out, "\"resourceTable\":{\"length\":0,\"lib\":[],\"name\":[],\"host\":[],"
				   "\"type\":[]},\n\"nativeSymbols\":{\"libIndex\":[],\"address\":[],"
				   "\"name\":[],\"functionSize\":[],\"length\":0},\n\"sourceLocationTable\":{"
				   "\"source\":[],\"line\":[],\"column\":[],\"length\":0},\n") ?:
	       add_strings(p, out) ?: buf_add_string(out, "},\n");
}

int firefox_encode(const struct profile *p, struct buf *out)
{
	_cleanup_(firefox_stacks_free) struct firefox_stacks stacks = {};
	const size_t start = out->size;
	int err = firefox_stacks_new(&stacks, p) ?: add_meta(p, out) ?: add_shared(p, &stacks, out) ?:
		  firefox_threads_write(p, &stacks, out) ?: buf_add_string(out, "}\n");

	if (err)
		out->size = start;
	return err;
}
