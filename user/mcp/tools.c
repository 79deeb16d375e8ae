// SPDX-License-Identifier: GPL-2.0-only
#include "mcp/tools.h"

#include <string.h>

#include "export/push/request.h"
#include "formats/formats.h"
#include "options/commands.h"
#include "report/report_query.h"

const struct tool tools[TOOLS] = {
#define TOOL(NAME, name, command, work, fixed, about) { name, COMMAND_##command, work, fixed, about },
#include "mcp/tools.def"
};

const struct argument tool_arguments[] = {
#define OPTION(tool, name, option, required, about)                                                          \
	{ TOOL_##tool, ARGUMENT_OPTION, name, option, required, about, NULL, NULL, 0, 0 },
#define SECONDS(tool, name, option, about)                                                                   \
	{ TOOL_##tool, ARGUMENT_SECONDS, name, option, false, about, NULL, NULL, 0, 0 },
#define PIDS(tool, name, option, about)                                                                      \
	{ TOOL_##tool, ARGUMENT_PIDS, name, option, false, about, NULL, NULL, 0, 0 },
#define MOST(tool, name, option, value, limit, about)                                                        \
	{ TOOL_##tool, ARGUMENT_MOST, name, option, false, about, NULL, NULL, value, limit },
#define PROFILE(tool, name, about)                                                                           \
	{ TOOL_##tool, ARGUMENT_PROFILE, name, NULL, true, about, NULL, NULL, 0, 0 },
#define FILTER(tool, name, array, member, about)                                                             \
	{ TOOL_##tool, ARGUMENT_FILTER, name, NULL, false, about, array, member, 0, 0 },
#define CUT(tool, array, value, limit, about)                                                                \
	{ TOOL_##tool, ARGUMENT_CUT, array, NULL, false, about, array, NULL, value, limit },
#include "mcp/tools.def"
};

const size_t tool_arguments_count = ARRAY_SIZE(tool_arguments);

const struct only tool_only[] = {
#define ONLY(tool, member) { TOOL_##tool, member },
#include "mcp/tools.def"
};

const size_t tool_only_count = ARRAY_SIZE(tool_only);

const struct next_call tool_next[] = {
#define NEXT(tool, next, arguments, why) { TOOL_##tool, TOOL_##next, arguments, why },
#include "mcp/tools.def"
};

const size_t tool_next_count = ARRAY_SIZE(tool_next);

static const struct option_fact option_facts[] = {
#define FLAG(short_name, long_name, field, group, help)                                                      \
	{ long_name, FACT_FLAG, NULL, 0, 0, GROUP_##group, help },
#define NUMBER(short_name, long_name, metavar, field, group, value, min, max, help)                          \
	{ long_name, FACT_NUMBER, NULL, min, max, GROUP_##group, help },
#define TEXT(short_name, long_name, metavar, field, group, value, help)                                      \
	{ long_name, FACT_TEXT, NULL, 0, 0, GROUP_##group, help },
#define CHOICE(short_name, long_name, field, group, value, choices, help)                                    \
	{ long_name, FACT_CHOICE, choices, 0, 0, GROUP_##group, help },
#include "options/options.def"
};

const struct tool *tools_find(const char *name)
{
	for (size_t i = 0; i < TOOLS; i++)
		if (!strcmp(tools[i].name, name))
			return &tools[i];
	return NULL;
}

const struct argument *tools_argument(const struct tool *t, const char *name)
{
	for (size_t i = 0; i < tool_arguments_count; i++)
		if (&tools[tool_arguments[i].tool] == t && !strcmp(tool_arguments[i].name, name))
			return &tool_arguments[i];
	return NULL;
}

const struct option_fact *tools_option(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(option_facts); i++)
		if (!strcmp(option_facts[i].name, name))
			return &option_facts[i];
	return NULL;
}

static int add_choices(const char *choices, struct buf *out)
{
	int err = buf_add_string(out, "\"type\":\"string\",\"enum\":[\"");

	for (; *choices && !err; choices++)
		err = *choices == '|' ? buf_add_string(out, "\",\"") : buf_add(out, choices, 1);
	return err ?: buf_add_string(out, "\"]");
}

static int add_option_type(const struct option_fact *f, struct buf *out)
{
	switch (f->type) {
	case FACT_FLAG:
		return buf_add_string(out, "\"type\":\"boolean\"");
	case FACT_NUMBER:
		return buf_printf(out, "\"type\":\"integer\",\"minimum\":%ld,\"maximum\":%ld", f->min,
				  f->max);
	case FACT_CHOICE:
		return add_choices(f->choices, out);
	default:
		return buf_add_string(out, "\"type\":\"string\"");
	}
}

static int add_type(const struct argument *a, struct buf *out)
{
	switch (a->kind) {
	case ARGUMENT_OPTION:
		return add_option_type(tools_option(a->option), out);
	case ARGUMENT_SECONDS:
		return buf_printf(out, "\"type\":\"number\",\"exclusiveMinimum\":0,\"maximum\":%d",
				  RECORD_SECONDS_MAX);
	case ARGUMENT_PIDS:
	case ARGUMENT_FILTER:
		return buf_add_string(out, "\"type\":[\"integer\",\"string\"]");
	case ARGUMENT_MOST:
	case ARGUMENT_CUT:
		return buf_printf(out, "\"type\":\"integer\",\"minimum\":1,\"maximum\":%ld,\"default\":%ld",
				  a->limit, a->value);
	default:
		return buf_add_string(out, "\"type\":\"string\"");
	}
}

static int add_argument(const struct argument *a, struct buf *out)
{
	return buf_printf(out, "\"%s\":{", a->name) ?: add_type(a, out) ?:
	       buf_add_string(out, ",\"description\":") ?:
	       buf_add_json(out, a->about ?: tools_option(a->option)->help) ?: buf_add_string(out, "}");
}

static int add_arguments(int tool, struct buf *out)
{
	const char *between = "";
	int err = buf_add_string(out, "\"properties\":{");

	for (size_t i = 0; i < tool_arguments_count && !err; i++) {
		if (tool_arguments[i].tool != tool)
			continue;
		err = buf_add_string(out, between) ?: add_argument(&tool_arguments[i], out);
		between = ",";
	}
	return err ?: buf_add_string(out, "}");
}

static int add_required(int tool, struct buf *out)
{
	const char *between = "";
	int err = buf_add_string(out, ",\"required\":[");

	for (size_t i = 0; i < tool_arguments_count && !err; i++) {
		if (tool_arguments[i].tool != tool || !tool_arguments[i].required)
			continue;
		err = buf_printf(out, "%s\"%s\"", between, tool_arguments[i].name);
		between = ",";
	}
	return err ?: buf_add_string(out, "]");
}

static int add_tool(int tool, struct buf *out)
{
	const struct tool *t = &tools[tool];

	return buf_printf(out, "{\"name\":\"%s\",\"description\":", t->name) ?: buf_add_json(out, t->about) ?:
	       buf_add_string(out, ",\"inputSchema\":{\"type\":\"object\",\"additionalProperties\":false,") ?:
	       add_arguments(tool, out) ?: add_required(tool, out) ?:
	       buf_printf(out,
			  "},\"annotations\":{\"readOnlyHint\":%s,\"destructiveHint\":false,"
			  "\"openWorldHint\":false}}",
			  t->work == WORK_RECORD ? "false" : "true");
}

int tools_list(struct buf *out)
{
	int err = buf_add_string(out, "{\"tools\":[");

	for (int i = 0; i < TOOLS && !err; i++)
		err = buf_add_string(out, i ? "," : "") ?: add_tool(i, out);
	return err ?: buf_add_string(out, "]}");
}
