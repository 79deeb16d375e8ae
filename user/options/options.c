// SPDX-License-Identifier: GPL-2.0-only
#include "options/options.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "options/derive.h"
#include "options/file.h"
#include "profile/formats.h"

enum kind { KIND_HEADING, KIND_FLAG, KIND_NUMBER, KIND_TEXT, KIND_CHOICE };

struct row {
	enum kind kind;
	char short_name;
	const char *long_name;
	const char *metavar; /* of a choice: its choices */
	size_t offset;
	long value, min, max;
	const char *text;
	const char *help;
};

#define AT(field) offsetof(struct options, field)
static const struct row rows[] = {
#define HEADING(t) { .kind = KIND_HEADING, .help = t },
#define FLAG(s, l, f, h) { .kind = KIND_FLAG, .short_name = s, .long_name = l, .offset = AT(f), .help = h },
#define NUMBER(s, l, m, f, v, lo, hi, h)                                                                     \
	{ KIND_NUMBER, s, l, m, AT(f), v, lo, hi, NULL, h },
#define TEXT(s, l, m, f, v, h) { KIND_TEXT, s, l, m, AT(f), 0, 0, 0, v, h },
#define CHOICE(s, l, f, v, c, h) { KIND_CHOICE, s, l, c, AT(f), v, 0, 0, NULL, h },
#include "options/options.def"
#undef HEADING
#undef FLAG
#undef NUMBER
#undef TEXT
#undef CHOICE
};

#define FIRST_LONG 256 /* getopt's value of row i is FIRST_LONG + i */

static void set_defaults(struct options *o)
{
	memset(o, 0, sizeof(*o));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		void *field = (char *)o + rows[i].offset;

		if (rows[i].kind == KIND_NUMBER)
			*(long *)field = rows[i].value;
		else if (rows[i].kind == KIND_TEXT)
			*(const char **)field = rows[i].text;
		else if (rows[i].kind == KIND_CHOICE)
			*(int *)field = rows[i].value;
	}
}

static int parse_number(const char *text, long min, long max, long *ret)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || end == text || *end || n < min || n > max)
		return -EINVAL;
	*ret = n;
	return 0;
}

static int parse_choice(const char *choices, const char *text)
{
	size_t length = strlen(text);

	for (int i = 0; *choices; i++) {
		size_t n = strcspn(choices, "|");

		if (n == length && !strncmp(choices, text, n))
			return i;
		choices += n + (choices[n] == '|');
	}
	return -1;
}

static int set_row(struct options *o, const struct row *r, const char *value, char *error, size_t size)
{
	void *field = (char *)o + r->offset;

	switch (r->kind) {
	case KIND_FLAG:
		*(bool *)field = true;
		return 0;
	case KIND_TEXT:
		*(const char **)field = value;
		return 0;
	case KIND_NUMBER:
		if (parse_number(value, r->min, r->max, field))
			return options_fail(error, size,
					    "--%s wants a whole number from %ld to %ld, not '%s'",
					    r->long_name, r->min, r->max, value);
		return 0;
	case KIND_CHOICE:
		*(int *)field = parse_choice(r->metavar, value);
		if (*(int *)field < 0)
			return options_fail(error, size, "--%s wants one of %s, not '%s'", r->long_name,
					    r->metavar, value);
		return 0;
	case KIND_HEADING:
		break;
	}
	return -EINVAL;
}

static void build_getopt(struct option *longs, char *shorts)
{
	size_t n = 0, c = 0;

	shorts[c++] = '+'; /* stop at COMMAND */
	shorts[c++] = ':'; /* tell a missing argument from an unknown option */
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bool has_value = rows[i].kind != KIND_FLAG;

		if (rows[i].kind == KIND_HEADING)
			continue;
		longs[n++] = (struct option){ rows[i].long_name, has_value ? required_argument : no_argument,
					      NULL, FIRST_LONG + (int)i };
		if (!rows[i].short_name)
			continue;
		shorts[c++] = rows[i].short_name;
		if (has_value)
			shorts[c++] = ':';
	}
	longs[n] = (struct option){};
	shorts[c] = '\0';
}

static const struct row *find_row(int value)
{
	if (value >= FIRST_LONG)
		return &rows[value - FIRST_LONG];
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].short_name && rows[i].short_name == value)
			return &rows[i];
	return NULL;
}

/*
 * What getopt refused. While it is inside a bundle such as -vx, optind is still at the bundle: optopt tells.
 */
static int fail_option(int value, char **argv, char *error, size_t size)
{
	char letter[3] = { '-', (char)optopt, '\0' };
	const char *name = optopt && optopt < FIRST_LONG ? letter : argv[optind - 1];

	if (value == ':')
		return options_fail(error, size, "%s wants a value; --help shows which", name);
	if (optopt >= FIRST_LONG)
		return options_fail(error, size, "--%s takes no value", rows[optopt - FIRST_LONG].long_name);
	return options_fail(error, size, "unknown option '%s'; --help lists them", name);
}

/* line_of: of the config file, by row; what the command line says is of no line. */
static int parse_line(struct options *o, int *line_of, char *error, size_t size)
{
	struct option longs[ARRAY_SIZE(rows) + 1];
	char shorts[2 * ARRAY_SIZE(rows) + 3];
	const char *last_value = NULL;
	int value;

	build_getopt(longs, shorts);
	opterr = 0;
	optind = 0;
	while ((value = getopt_long(o->argc, o->argv, shorts, longs, NULL)) != -1) {
		if (value == '?' || value == ':')
			return fail_option(value, o->argv, error, size);
		if (set_row(o, find_row(value), optarg, error, size))
			return -EINVAL;
		line_of[find_row(value) - rows] = 0;
		last_value = optarg;
	}
	if (optind < o->argc)
		o->command = o->argv + optind;
	else if (o->argc > 1 && o->argv[o->argc - 1] != last_value && !strcmp(o->argv[o->argc - 1], "--"))
		return options_fail(error, size, "-- wants a COMMAND after it");
	return 0;
}

/* --- which rows -------------------------------------------------------------------------------------- */

enum mark { MARK_RELOADED, MARK_DUMPED, MARK_TASKED };

static bool is_marked(const struct row *r, enum mark mark)
{
	static const struct {
		enum mark mark;
		const char *long_name;
	} marks[] = {
#define RELOADED(l) { MARK_RELOADED, l },
#define DUMPED(l)   { MARK_DUMPED, l },
#define TASKED(l)   { MARK_TASKED, l },
#define HEADING(t)
#define FLAG(s, l, f, h)
#define NUMBER(s, l, m, f, v, lo, hi, h)
#define TEXT(s, l, m, f, v, h)
#define CHOICE(s, l, f, v, c, h)
#include "options/options.def"
#undef HEADING
#undef FLAG
#undef NUMBER
#undef TEXT
#undef CHOICE
	};

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (marks[i].mark == mark && !strcmp(marks[i].long_name, r->long_name))
			return true;
	return false;
}

static bool is_same(const struct options *a, const struct options *b, const struct row *r)
{
	const void *x = (const char *)a + r->offset, *y = (const char *)b + r->offset;

	if (r->kind == KIND_FLAG)
		return *(const bool *)x == *(const bool *)y;
	if (r->kind == KIND_NUMBER)
		return *(const long *)x == *(const long *)y;
	if (r->kind == KIND_CHOICE)
		return *(const int *)x == *(const int *)y;
	return !strcmp(*(const char *const *)x ?: "", *(const char *const *)y ?: "");
}

/* --- the config file ---------------------------------------------------------------------------------- */

struct reading {
	struct options *o;
	int *line_of;
};

static const struct row *find_name(const char *name, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].long_name && strlen(rows[i].long_name) == length &&
		    !strncmp(rows[i].long_name, name, length))
			return &rows[i];
	return NULL;
}

static bool is_for_a_file(const struct row *r)
{
	return r && strcmp(r->long_name, "config") && strcmp(r->long_name, "help") &&
	       strcmp(r->long_name, "version");
}

static int set_flag(bool *field, const char *key, const char *value, char *error, size_t size)
{
	if (strcmp(value, "yes") && strcmp(value, "no"))
		return options_fail(error, size, "%s wants yes or no, not '%s'", key, value);
	*field = !strcmp(value, "yes");
	return 0;
}

static int set_from_file(void *context, const char *key, const char *value, int line, char *error,
			 size_t size)
{
	const struct row *r = find_name(key, strlen(key));
	struct reading *reading = context;
	size_t i = r ? (size_t)(r - rows) : 0;
	struct options *o = reading->o;

	if (!is_for_a_file(r))
		return options_fail(
			error, size,
			"unknown key '%s'; --help lists the options, whose long names are the keys", key);
	if (reading->line_of[i])
		return options_fail(error, size, "%s is in line %d already", key, reading->line_of[i]);
	reading->line_of[i] = line;
	if (r->kind == KIND_FLAG)
		return set_flag((bool *)((char *)o + r->offset), key, value, error, size);
	if (r->kind != KIND_TEXT)
		return set_row(o, r, value, error, size);
	o->owned[i] = strdup(value);
	return o->owned[i] ? set_row(o, r, o->owned[i], error, size)
			   : options_fail(error, size, "out of memory");
}

/* The command line is read before it, to know the file, and after it, to win. */
static int read_config(struct options *o, int *line_of, char *error, size_t size)
{
	bool has_target = o->all_python || o->all || o->pids || o->command;
	struct reading reading = { o, line_of };
	const char *path = o->config;
	char **argv = o->argv;
	int argc = o->argc;

	set_defaults(o);
	o->argc = argc;
	o->argv = argv;
	if (options_file_read(path, set_from_file, &reading, error, size))
		return -EINVAL;
	if (has_target) {
		o->all_python = o->all = false;
		o->pids = NULL;
	}
	return parse_line(o, line_of, error, size);
}

/* An error in a value that begins with its option's name: where in the file it is. */
static int add_line(const struct options *o, const int *line_of, char *error, size_t size)
{
	const struct row *r = strncmp(error, "--", 2) ? NULL : find_name(error + 2, strcspn(error + 2, " ,"));
	char text[256];

	if (!r || !line_of[r - rows])
		return -EINVAL;
	snprintf(text, sizeof(text), "%s", error);
	return options_fail(error, size, "%s:%d: %s", o->config, line_of[r - rows], text);
}

/* dump and tasks take few of the options. */
static int check_dump(const struct options *o, char *error, size_t size)
{
	struct options defaults;

	set_defaults(&defaults);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].kind != KIND_HEADING && !is_marked(&rows[i], MARK_DUMPED) &&
		    !(o->tasks && is_marked(&rows[i], MARK_TASKED)) && !is_same(o, &defaults, &rows[i]))
			return options_fail(error, size, "--%s does not go with %s", rows[i].long_name,
					    o->tasks ? "tasks" : "dump");
	return 0;
}

int options_parse(struct options *o, int argc, char **argv, char *error, size_t error_size)
{
	int line_of[ARRAY_SIZE(rows)] = {};
	const char *word = argc > 1 ? argv[1] : "";
	const bool dump = !strcmp(word, "dump"), live = !strcmp(word, "top");
	const bool tasks = !strcmp(word, "tasks"), named = dump || live || tasks;

	set_defaults(o);
	o->dump = dump;
	o->live = live;
	o->tasks = tasks;
	o->argc = argc - named;
	o->argv = argv + named;
	if (parse_line(o, line_of, error, error_size))
		return -EINVAL;
	if ((o->dump || o->tasks) && check_dump(o, error, error_size))
		return -EINVAL;
	if (o->config && !o->help && !o->version && read_config(o, line_of, error, error_size))
		return -EINVAL;
	return options_derive(o, error, error_size) ? add_line(o, line_of, error, error_size) : 0;
}

void options_free(struct options *o)
{
	free(o->pid_list);
	o->pid_list = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		free(o->owned[i]);
		o->owned[i] = NULL;
	}
}

/* --- reading it again --------------------------------------------------------------------------------- */

static void take_row(struct options *o, struct options *from, const struct row *r)
{
	size_t i = r - rows;
	char *old = o->owned[i];

	if (r->kind == KIND_FLAG)
		*(bool *)((char *)o + r->offset) = *(bool *)((char *)from + r->offset);
	else if (r->kind == KIND_NUMBER)
		*(long *)((char *)o + r->offset) = *(long *)((char *)from + r->offset);
	else if (r->kind == KIND_CHOICE)
		*(int *)((char *)o + r->offset) = *(int *)((char *)from + r->offset);
	else
		*(const char **)((char *)o + r->offset) = *(const char **)((char *)from + r->offset);
	o->owned[i] = from->owned[i];
	from->owned[i] = old;
}

/* Whether there are files at all, and pushes, is settled at the start. */
static bool can_change(const struct options *o, const struct options *next, const struct row *r)
{
	if (!is_marked(r, MARK_RELOADED))
		return false;
	if (!strncmp(r->long_name, "push", 4))
		return !o->push == !next->push;
	if (!strcmp(r->long_name, "output-dir") || !strcmp(r->long_name, "keep"))
		return !o->output_dir == !next->output_dir;
	return strcmp(r->long_name, "interval") || (o->continuous && next->continuous);
}

static void take_reloaded(struct options *o, struct options *next, char *kept, size_t size)
{
	bool files = !o->output_dir == !next->output_dir, interval = o->continuous && next->continuous;
	size_t used = 0;

	kept[0] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].kind == KIND_HEADING || is_same(o, next, &rows[i]))
			continue;
		if (can_change(o, next, &rows[i]))
			take_row(o, next, &rows[i]);
		else if (used < size)
			used += snprintf(kept + used, size - used, "%s--%s", used ? ", " : "",
					 rows[i].long_name);
	}
	if (interval)
		o->interval_seconds = next->interval_seconds;
	if (!files)
		return;
	o->keep_files = next->keep_files;
	o->keep_bytes = next->keep_bytes;
}

int options_reload(struct options *o, char *kept, size_t kept_size, char *error, size_t error_size)
{
	struct options next;
	int err = options_parse(&next, o->argc, o->argv, error, error_size);

	if (!err)
		take_reloaded(o, &next, kept, kept_size);
	options_free(&next);
	return err;
}

enum log_level options_log_level(const struct options *o)
{
	return o->verbose ? LOG_DEBUG : o->quiet || o->live ? LOG_ERROR : LOG_INFO;
}

static void print_row(FILE *f, const struct row *r)
{
	char left[64] = "";
	const char *metavar = r->metavar ?: "";

	if (r->short_name)
		snprintf(left, sizeof(left), "-%c, --%s %s", r->short_name, r->long_name, metavar);
	else
		snprintf(left, sizeof(left), "    --%s %s", r->long_name, metavar);
	fprintf(f, strlen(left) > 32 ? "  %s\n  %-32s %s" : "  %-32s%s %s", left, "", r->help);
	if (r->kind == KIND_NUMBER)
		fprintf(f, " (default %ld)", r->value);
	else if (r->kind == KIND_TEXT && r->text)
		fprintf(f, " (default %s)", r->text);
	else if (r->kind == KIND_CHOICE && r->value >= 0)
		fprintf(f, " (default %.*s)", (int)strcspn(r->metavar, "|"), r->metavar);
	fputc('\n', f);
}

void options_help(FILE *f, bool colour)
{
	const char *bold = colour ? "\033[1m" : "", *plain = colour ? "\033[0m" : "";

	fprintf(f,
		"%spyperf-bpf%s shows which Python lines burn the CPUs, from inside the kernel, without "
		"touching the programs.\n\n"
		"  pyperf-bpf --all-python -d 10              every Python process, ten seconds\n"
		"  pyperf-bpf --pid 4711 -F 999               one process, finer, until Ctrl-C\n"
		"  pyperf-bpf -- python3 app.py               a program from its start to its end\n"
		"  pyperf-bpf -a -d 5 -o - --format folded    stacks for flame-graph tools on stdout\n"
		"  pyperf-bpf top                             the hottest functions on the terminal, live\n"
		"  pyperf-bpf dump --pid 4711                 what its threads do at this moment\n"
		"  pyperf-bpf tasks --pid 4711                what its asyncio tasks wait for\n",
		bold, plain);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].kind == KIND_HEADING)
			fprintf(f, "\n%s%s%s\n", bold, rows[i].help, plain);
		else
			print_row(f, &rows[i]);
		if (rows[i].kind == KIND_TEXT && !strcmp(rows[i].long_name, "pid"))
			fprintf(f, "  %-32s %s\n", "-- COMMAND [ARG...]",
				"start COMMAND and profile it and its children");
	}
	fprintf(f,
		"\n%sRead the profile%s\n  go tool pprof -http localhost:8080 profile.pb.gz\n"
		"\nExit code: 0, 1 on failure, 2 on wrong usage; with COMMAND, the one of COMMAND.\n",
		bold, plain);
}
