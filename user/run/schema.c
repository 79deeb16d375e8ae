// SPDX-License-Identifier: GPL-2.0-only
/*
 * schema.c - `pyperf-bpf schema NAME`: the files of docs/schemas, which are built in.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "run/commands.h"
#include "run/printed.h"

static const unsigned char diff[] = {
#include "diff.json.inc"
};

static const unsigned char doctor[] = {
#include "doctor.json.inc"
};

static const unsigned char guide[] = {
#include "guide.json.inc"
};

static const unsigned char report[] = {
#include "report.json.inc"
};

static const struct {
	const char *name;
	const unsigned char *text;
	size_t size;
} schemas[] = {
#define SCHEMA(name) { #name, name, sizeof(name) },
#include "run/schemas.def"
};

#define SCHEMA(name) " " #name
static const char names[] =
#include "run/schemas.def"
	;

int run_schema(struct options *o)
{
	for (size_t i = 0; i < ARRAY_SIZE(schemas); i++) {
		if (strcmp(schemas[i].name, o->command[0]))
			continue;
		return printed(0, &(struct buf){ .data = (char *)schemas[i].text, .size = schemas[i].size }) ?
			       EXIT_FAILURE :
			       EXIT_SUCCESS;
	}
	log_error("there is no schema of '%s', only of:%s", o->command[0], names);
	return EXIT_USAGE;
}
