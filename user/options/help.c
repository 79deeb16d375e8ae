// SPDX-License-Identifier: GPL-2.0-only
/*
 * help.c - what --help prints: of all commands, or of the one that the line names.
 */
#include <string.h>

#include "base/escapes.h"
#include "bpf/abi.h"
#include "options/options.h"
#include "options/row.h"

struct help_page {
	FILE *f;
	const char *bold, *plain;
	unsigned int groups; /* of the options on it */
};

static void print_default(FILE *f, const struct option_row *r)
{
	if (r->kind == OPTION_NUMBER)
		fprintf(f, " (default %ld)", r->value);
	else if (r->kind == OPTION_TEXT && r->text)
		fprintf(f, " (default %s)", r->text);
	else if (r->kind == OPTION_CHOICE && r->value >= 0)
		fprintf(f, " (default %.*s)", (int)strcspn(r->metavar, "|"), r->metavar);
}

/* The names that --event takes. */
static void print_events(FILE *f)
{
	const char *between = "";

	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		const struct event_row *e = &event_rows[kind];

		if (!e->asked)
			continue;
		fprintf(f, "%s%s: %s", between, e->key, e->asked);
		between = "; ";
		if (e->by_cycles)
			fprintf(f, "; %s: the same by a hardware counter", e->by_cycles);
	}
}

static void print_row(FILE *f, const struct option_row *r)
{
	char left[64] = "";
	const char *metavar = r->metavar ?: "";

	if (r->short_name)
		snprintf(left, sizeof(left), "-%c, --%s %s", r->short_name, r->long_name, metavar);
	else
		snprintf(left, sizeof(left), "    --%s %s", r->long_name, metavar);
	fprintf(f, strlen(left) > 32 ? "  %s\n  %-32s %s" : "  %-32s%s %s", left, "", r->help);
	if (!*r->help)
		print_events(f);
	print_default(f, r);
	fputc('\n', f);
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
		if (!(r->group & p->groups))
			continue;
		if (heading)
			fprintf(p->f, "\n%s%s%s\n", p->bold, heading, p->plain);
		heading = NULL;
		print_row(p->f, r);
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

static void print_all(struct help_page *p)
{
	fprintf(p->f,
		"%spyperf-bpf%s shows which Python lines burn the CPUs, from inside the kernel, without "
		"touching the programs.\n\n",
		p->bold, p->plain);
	print_examples(p->f);
	fprintf(p->f, "\n%sCommands (pyperf-bpf NAME --help shows what it takes, and more examples)%s\n",
		p->bold, p->plain);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(p->f, "  %-10s %s\n", command_rows[i].name, command_rows[i].summary);
	p->groups = ~0u;
	print_options(p);
	print_end(p, command_rows[0].codes);
}

void options_help(const struct options *o, FILE *f, bool colour)
{
	struct help_page p = { .f = f, .bold = colour ? BOLD : "", .plain = colour ? RESET : "" };

	if (o->named)
		print_command(&p, o->subcommand);
	else
		print_all(&p);
}
