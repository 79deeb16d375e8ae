// SPDX-License-Identifier: GPL-2.0-only
#include "options/commands.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/distance.h"

#define CODES_OF_A_RUN	"0, 1 on failure, 2 on wrong usage; with COMMAND, the one of COMMAND"
#define CODES_OF_A_LOOK "0, 1 on failure or if a process that was named cannot be shown, 2 on wrong usage"

const struct command_row command_rows[COMMANDS] = {
#define COMMAND(name, run, ...) { __VA_ARGS__ },
#include "options/commands.def"
};

const struct command_row *commands_find(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(command_rows[i].name, name) ||
		    (command_rows[i].also && !strcmp(command_rows[i].also, name)))
			return &command_rows[i];
	return NULL;
}

const char *commands_nearest(const char *word)
{
	size_t left = distance_begin(word);
	const char *nearest = NULL;

	for (size_t i = 0; i < COMMANDS; i++)
		if (distance_is_nearer(word, command_rows[i].name, &left))
			nearest = command_rows[i].name;
	return nearest;
}

void commands_names(unsigned int group, char *names, size_t size)
{
	size_t left = 0, used = 0;

	for (size_t i = 0; i < COMMANDS; i++)
		left += !!(command_rows[i].takes & group);
	names[0] = '\0';
	for (size_t i = 0; i < COMMANDS && used < size; i++)
		if (command_rows[i].takes & group) {
			const char *after = --left > 1 ? ", " : left ? " and " : "";

			used += snprintf(names + used, size - used, "%s%s", command_rows[i].name, after);
		}
}
