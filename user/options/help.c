// SPDX-License-Identifier: GPL-2.0-only
/*
 * help.c - what --help prints: what most people need, of all commands, or of the one that the line names.
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/escapes.h"
#include "base/wrap.h"
#include "bpf/abi.h"
#include "options/options.h"
#include "options/row.h"

struct help_page {
	FILE *f;
	const char *bold, *plain;
	unsigned int groups; /* of the options on it */
	bool is_short;	     /* only the usual ones of them */
};

/* What most people need: on the page without a word, in the order of options.def. */
static const char *const usual[] = {
	"all-python", "pid", "children", "frequency", "duration", "event", "budget", "async", "native",
	"output", "format", "top", "stats", "output-dir", "interval", "push", "listen", "config", "version",
	"help",
};

static bool is_usual(const struct option_row *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(usual); i++)
		if (!strcmp(usual[i], r->long_name))
			return true;
	return false;
}

static void print_default(FILE *f, const struct option_row *r)
{
	if (r->kind == OPTION_NUMBER)
		fprintf(f, " (default %ld)", r->value);
	else if (r->kind == OPTION_TEXT && r->text)
		fprintf(f, " (default %s)", r->text);
	else if (r->kind == OPTION_CHOICE && r->value >= 0)
		fprintf(f, " (default %.*s)", (int)strcspn(r->metavar, "|"), r->metavar);
}

/* The names that --event takes, with what they are of unless it is to be short. */
static void print_events(FILE *f, bool is_short)
{
	const char *between = "";

	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		const struct event_row *e = &event_rows[kind];

		if (!e->asked)
			continue;
		if (is_short)
			fprintf(f, "%s%s", between, e->key);
		else
			fprintf(f, "%s%s: %s", between, e->key, e->asked);
		between = is_short ? ", " : "; ";
		if (e->by_cycles && !is_short)
			fprintf(f, "; %s: the same by a hardware counter", e->by_cycles);
	}
}

#define HELP_COLUMN 35 /* where what is said of an option begins */

static void print_row(const struct help_page *p, const struct option_row *r)
{
	_cleanup_free_ char *text = NULL;
	char left[98] = ""; /* with two blanks before it a row of at most 100 columns */
	size_t size;
	FILE *f;

	if (r->short_name)
		snprintf(left, sizeof(left), "-%c, --%s %s", r->short_name, r->long_name, r->metavar ?: "");
	else
		snprintf(left, sizeof(left), "    --%s %s", r->long_name, r->metavar ?: "");
	f = open_memstream(&text, &size);
	if (!f)
		return;
	fputs(r->help, f);
	if (!*r->help)
		print_events(f, p->is_short);
	print_default(f, r);
	fclose(f);
	if (strlen(left) > HELP_COLUMN - 3)
		fprintf(p->f, "  %s\n%*s", left, HELP_COLUMN, "");
	else
		fprintf(p->f, "  %-*s", HELP_COLUMN - 2, left);
	wrap_text(p->f, text ?: "", HELP_COLUMN);
}

/* A heading stands above the first option below it that is on the page. */
static void print_options(const struct help_page *p)
{
	const char *heading = NULL;

	for (size_t i = 0; i < OPTION_ROWS; i++) {
		const struct option_row *r = &option_rows[i];

		if (r->kind == OPTION_HEADING) {
			heading = r->help;
			continue;
		}
		if (!(r->group & p->groups) || (p->is_short && !is_usual(r)))
			continue;
		if (heading && !p->is_short)
			fprintf(p->f, "\n%s%s%s\n", p->bold, heading, p->plain);
		heading = NULL;
		print_row(p, r);
		if (p->groups & GROUP_PROGRAMS && !strcmp(r->long_name, "pid"))
			fprintf(p->f, "  %-32s %s\n", "-- COMMAND [ARG...]",
				"start COMMAND and profile it and its children");
	}
}

/* The end of the page. */
static void print_end(const struct help_page *p, const char *codes)
{
	if (p->groups & GROUP_OUTPUT)
		fprintf(p->f, "\n%sRead the profile%s\n  go tool pprof -http localhost:8080 profile.pb.gz\n",
			p->bold, p->plain);
	fprintf(p->f, "\nExit code: %s.\n", codes);
}

static void print_command(struct help_page *p, const struct command_row *c)
{
	fprintf(p->f, "%spyperf-bpf %s%s %s\n\n%s", p->bold, c->name, p->plain, c->about, c->examples);
	p->groups = c->takes;
	print_options(p);
	print_end(p, c->codes);
}

/* Examples of the first command, and one of each other. */
static void print_examples(FILE *f)
{
	fputs(command_rows[0].examples, f);
	for (size_t i = 1; i < COMMANDS; i++)
		fprintf(f, "%.*s\n", (int)strcspn(command_rows[i].examples, "\n"), command_rows[i].examples);
}

static void print_commands(const struct help_page *p)
{
	fprintf(p->f, "\n%sCommands%s (pyperf-bpf help NAME shows what one takes, and examples)\n", p->bold,
		p->plain);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(p->f, "  %-10s %s\n", command_rows[i].name, command_rows[i].summary);
}

static void print_first_page(struct help_page *p)
{
	fprintf(p->f,
		"%spyperf-bpf%s shows which Python lines burn the CPUs, from inside the kernel, without\n"
		"touching the programs.\n\n",
		p->bold, p->plain);
	if (p->is_short)
		fputs(command_rows[0].examples, p->f);
	else
		print_examples(p->f);
	print_commands(p);
	if (p->is_short)
		fprintf(p->f, "\n%sOptions that are used most%s (pyperf-bpf help all shows the others)\n",
			p->bold, p->plain);
	p->groups = p->is_short ? command_rows[0].takes : ~0u;
	print_options(p);
	print_end(p, command_rows[0].codes);
}

void options_help(const struct options *o, FILE *f, bool colour)
{
	struct help_page p = { .f = f, .bold = colour ? BOLD : "", .plain = colour ? RESET : "" };

	p.is_short = !o->named && !o->help_all;
	if (o->named)
		print_command(&p, o->subcommand);
	else
		print_first_page(&p);
}
