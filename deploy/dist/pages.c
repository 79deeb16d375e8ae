// SPDX-License-Identifier: GPL-2.0-only
/*
 * pages.c - manual pages and completions, made of options.def and commands.def: pages man|conf|bash|zsh|fish,
 * on stdout.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "bpf/abi.h"
#include "options/row.h"

static bool is_option(const struct option_row *r)
{
	return r->kind != OPTION_HEADING;
}

static bool is_path(const struct option_row *r)
{
	return r->kind == OPTION_TEXT && (strstr(r->metavar, "FILE") || strstr(r->metavar, "DIR"));
}

/* What a config file cannot have. */
static bool is_of_the_line(const struct option_row *r)
{
	return !strcmp(r->long_name, "config") || !strcmp(r->long_name, "help") ||
	       !strcmp(r->long_name, "version");
}

/* --- manual pages --------------------------------------------------------------------------------------- */

/* As roff has it: a line may not begin with its own marks, and a hyphen is one that can be copied. */
static void roff(const char *text)
{
	bool begins = true;

	for (; *text; text++) {
		if (begins && (*text == '.' || *text == '\''))
			fputs("\\&", stdout);
		begins = *text == '\n';
		if (*text == '\\')
			fputs("\\e", stdout);
		else if (*text == '-')
			fputs("\\-", stdout);
		else
			putchar(*text);
	}
}

static void roff_line(const char *text)
{
	roff(text);
	putchar('\n');
}

static void section(const char *name)
{
	printf(".SH ");
	for (; *name; name++)
		putchar(toupper(*name));
	putchar('\n');
}

static void man_events(void)
{
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		const struct event_row *e = &event_rows[kind];

		if (!e->asked)
			continue;
		printf(".br\n");
		roff(e->key);
		printf(": ");
		roff(e->asked);
		if (e->by_cycles)
			printf("; %s: the same by a hardware counter", e->by_cycles);
		putchar('\n');
	}
}

static void man_default(const struct option_row *r)
{
	if (r->kind == OPTION_NUMBER)
		printf("Default: %ld; from %ld to %ld.\n", r->value, r->min, r->max);
	else if (r->kind == OPTION_TEXT && r->text) {
		printf("Default: ");
		roff(r->text);
		printf(".\n");
	} else if (r->kind == OPTION_CHOICE && r->value >= 0) {
		printf("Default: %.*s.\n", (int)strcspn(r->metavar, "|"), r->metavar);
	}
}

/* Which commands take it, where not all do. */
static void man_commands(const struct option_row *r)
{
	char names[256];
	size_t takers = 0;

	for (size_t i = 0; i < COMMANDS; i++)
		takers += !!(command_rows[i].takes & r->group);
	if (takers == COMMANDS)
		return;
	commands_names(r->group, names, sizeof(names));
	printf("Goes with %s.\n", names);
}

static void man_option(const struct option_row *r, const char *dashes)
{
	printf(".TP\n.B ");
	if (*dashes && r->short_name)
		printf("\\-%c\\fR, \\fB", r->short_name);
	roff(dashes);
	roff(r->long_name);
	if (r->metavar) {
		printf("\\fR %s\\fI", *dashes ? "" : "= ");
		roff(r->metavar);
		printf("\\fR");
	}
	putchar('\n');
	roff_line(r->help);
	if (!*r->help)
		man_events();
	man_default(r);
	if (*dashes)
		man_commands(r);
}

/* A heading stands above the first of its options that is on the page. */
static void man_options(unsigned int groups, const char *dashes)
{
	const char *heading = NULL;

	for (size_t i = 0; i < OPTION_ROWS; i++) {
		const struct option_row *r = &option_rows[i];

		if (!is_option(r)) {
			heading = r->help;
			continue;
		}
		if (!(r->group & groups) || (!*dashes && is_of_the_line(r)))
			continue;
		if (heading) {
			printf(".SS ");
			roff_line(heading);
		}
		heading = NULL;
		man_option(r, dashes);
	}
}

static void man_head(const char *name, int number, const char *what)
{
	printf(".\\\" Made of options.def and commands.def by deploy/dist/pages.c.\n");
	printf(".TH %s %d \"\" \"pyperf\\-bpf " PYPERF_VERSION "\"\n", name, number);
	section("name");
	roff(what);
	putchar('\n');
}

static void man(void)
{
	man_head("PYPERF\\-BPF", 1,
		 "pyperf-bpf - shows which Python lines burn the CPUs, or what they wait for");
	section("synopsis");
	for (size_t i = 0; i < COMMANDS; i++) {
		printf(i ? ".br\n" : "");
		printf(".B pyperf\\-bpf%s%s\n[\\fIOPTIONS\\fR]", i ? " " : "", i ? command_rows[i].name : "");
		if (command_rows[i].takes & GROUP_PROGRAMS)
			printf(" [\\-\\- \\fICOMMAND\\fR [\\fIARG\\fR...]]");
		putchar('\n');
	}
	section("commands");
	for (size_t i = 0; i < COMMANDS; i++) {
		const struct command_row *c = &command_rows[i];

		printf(".SS %s\n%s ", c->name, c->name);
		roff(c->about);
		printf("\n.PP\n.nf\n");
		roff(c->examples);
		printf(".fi\n.PP\nExit code: ");
		roff(c->codes);
		printf(".\n");
	}
	section("options");
	man_options(~0u, "--");
	section("files");
	printf(".TP\n.I /etc/pyperf\\-bpf/pyperf\\-bpf.conf\noptions of the service; see "
	       ".BR pyperf\\-bpf.conf (5)\n");
	section("see also");
	printf(".BR pyperf\\-bpf.conf (5), perf (1)\n");
}

static void conf(void)
{
	man_head("PYPERF\\-BPF.CONF", 5, "pyperf-bpf.conf - options of pyperf-bpf in a file");
	section("description");
	printf("A line is\n.IR key \" = \" value .\nThe keys are the long names of the options of\n"
	       ".BR pyperf\\-bpf (1);\nflags are\n.B yes\nor\n.BR no .\nA # begins a comment, at the start "
	       "of a line or after a blank. The command line wins over the file. SIGHUP reads the file "
	       "again.\n");
	section("keys");
	man_options(GROUPS_OF_A_RUN, "");
	section("example");
	printf(".nf\nall\\-python = yes\ninterval = 60\noutput\\-dir = /var/lib/pyperf\\-bpf\n"
	       "keep = 500MiB\n.fi\n");
	section("see also");
	printf(".BR pyperf\\-bpf (1)\n");
}

/* --- completions ---------------------------------------------------------------------------------------- */

/* Choices with blanks between them. */
static void choices(const struct option_row *r)
{
	for (const char *c = r->metavar; *c; c++)
		putchar(*c == '|' ? ' ' : *c);
}

static void options_of(unsigned int groups)
{
	for (size_t i = 0; i < OPTION_ROWS; i++)
		if (is_option(&option_rows[i]) && option_rows[i].group & groups)
			printf(" --%s", option_rows[i].long_name);
}

static void bash(void)
{
	printf("# bash completion of pyperf-bpf, made of options.def and commands.def\n"
	       "_pyperf_bpf()\n{\n"
	       "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
	       "    COMPREPLY=()\n"
	       "    case $before in\n");
	for (size_t i = 0; i < OPTION_ROWS; i++) {
		const struct option_row *r = &option_rows[i];

		if (r->kind == OPTION_CHOICE) {
			printf("    --%s) words='", r->long_name);
			choices(r);
			printf("' ;;\n");
		} else if (is_path(r)) {
			printf("    --%s) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n", r->long_name);
		}
	}
	printf("    esac\n    if [[ -z $words ]]; then\n        case ${COMP_WORDS[1]} in\n");
	for (size_t i = COMMANDS; i-- > 0;) {
		printf(i ? "        %s) words='" : "        *) words='", command_rows[i].name);
		options_of(command_rows[i].takes);
		printf("' ;;\n");
	}
	printf("        esac\n        ((COMP_CWORD > 1)) || words+='");
	for (size_t i = 0; i < COMMANDS; i++)
		printf(" %s", command_rows[i].name);
	printf("'\n    fi\n    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}\n"
	       "complete -o bashdefault -o default -F _pyperf_bpf pyperf-bpf\n");
}

/* In single quotes of a shell. The marks of zsh's _arguments are taken out. */
static void quoted(const char *text, const char *marks)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", stdout);
		else if (strchr(marks, *text))
			printf("\\%c", *text);
		else
			putchar(*text);
	}
}

static void zsh_options(unsigned int groups)
{
	for (size_t i = 0; i < OPTION_ROWS; i++) {
		const struct option_row *r = &option_rows[i];

		if (!is_option(r) || !(r->group & groups))
			continue;
		printf(" \\\n            '--%s%s[", r->long_name, r->kind == OPTION_FLAG ? "" : "=");
		quoted(*r->help ? r->help : "what makes a sample", "[]:\\");
		putchar(']');
		if (r->kind == OPTION_CHOICE) {
			printf(":choice:(");
			choices(r);
			putchar(')');
		} else if (r->kind != OPTION_FLAG) {
			putchar(':');
			quoted(r->metavar, "[]:\\");
			printf(is_path(r) ? ":_files" : ": ");
		}
		putchar('\'');
	}
	printf(" ;;\n");
}

static void zsh(void)
{
	printf("#compdef pyperf-bpf\n# made of options.def and commands.def\n"
	       "_pyperf_bpf() {\n    local -a commands=(\n");
	for (size_t i = 0; i < COMMANDS; i++) {
		printf("        '%s:", command_rows[i].name);
		quoted(command_rows[i].summary, ":\\");
		printf("'\n");
	}
	printf("    )\n    ((CURRENT > 2)) || _describe command commands\n    case ${words[2]} in\n");
	for (size_t i = COMMANDS; i-- > 0;) {
		printf("        %s) _arguments", i ? command_rows[i].name : "*");
		zsh_options(command_rows[i].takes);
	}
	printf("    esac\n}\n_pyperf_bpf \"$@\"\n");
}

/* Commands that take it, or, where the first does, which a line without a word is, those that do not. */
static void fish_condition(const struct option_row *r)
{
	bool first = command_rows[0].takes & r->group;
	const char *before =
		first ? " -n 'not __fish_seen_subcommand_from" : " -n '__fish_seen_subcommand_from";

	for (size_t i = 1; i < COMMANDS; i++) {
		if (!(command_rows[i].takes & r->group) != first)
			continue;
		printf("%s %s", before, command_rows[i].name);
		before = "";
	}
	if (!*before)
		putchar('\'');
}

static void fish(void)
{
	printf("# fish completion of pyperf-bpf, made of options.def and commands.def\n");
	for (size_t i = 0; i < COMMANDS; i++) {
		printf("complete -c pyperf-bpf -n __fish_use_subcommand -a %s -d '", command_rows[i].name);
		quoted(command_rows[i].summary, "\\");
		printf("'\n");
	}
	for (size_t i = 0; i < OPTION_ROWS; i++) {
		const struct option_row *r = &option_rows[i];

		if (!is_option(r))
			continue;
		printf("complete -c pyperf-bpf");
		fish_condition(r);
		if (r->short_name)
			printf(" -s %c", r->short_name);
		printf(" -l %s", r->long_name);
		if (r->kind == OPTION_CHOICE) {
			printf(" -x -a '");
			choices(r);
			putchar('\'');
		} else if (r->kind != OPTION_FLAG) {
			printf(is_path(r) ? " -r -F" : " -x");
		}
		printf(" -d '");
		quoted(*r->help ? r->help : "what makes a sample", "\\");
		printf("'\n");
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*print)(void);
	} pages[] = { { "man", man }, { "conf", conf }, { "bash", bash }, { "zsh", zsh }, { "fish", fish } };

	for (size_t i = 0; argc == 2 && i < ARRAY_SIZE(pages); i++)
		if (!strcmp(argv[1], pages[i].name)) {
			pages[i].print();
			return fflush(stdout) ? 1 : 0;
		}
	fprintf(stderr, "usage: pages man|conf|bash|zsh|fish\n");
	return 2;
}
