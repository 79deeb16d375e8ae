/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * native_code.h - what could be said of a process's native code in a profile with --native: by how many of
 * its files functions have names, and in which of them callers are not found.
 */
#ifndef PYPERF_DOCTOR_NATIVE_CODE_H
#define PYPERF_DOCTOR_NATIVE_CODE_H

#include <stdbool.h>
#include <sys/types.h>

#define NATIVE_CODE_FILES    512 /* of a process, that are looked at */
#define NATIVE_CODE_SHOWN    3	 /* names of files that are kept */
#define NATIVE_CODE_NAME_MAX 64

struct asker;

/* Code that was made at run time, in memory of no file. */
enum made_code { MADE_CODE_NONE, MADE_CODE_NAMELESS, MADE_CODE_NAMED };

struct native_code {
	bool looked;	       /* false: nobody has asked, and the rest is empty */
	int error;	       /* -errno: it could not be looked at */
	unsigned int files;    /* with code */
	unsigned int unread;   /* of them those that could not be read */
	unsigned int named;    /* some functions have names */
	unsigned int complete; /* ... those too that no other file can call (.symtab) */
	unsigned int blind;    /* in a twentieth of the code, or more, callers cannot be found */
	char blind_names[NATIVE_CODE_SHOWN][NATIVE_CODE_NAME_MAX]; /* of the first ones; foreign */
	enum made_code made;
};

void native_code_look(const struct asker *asker, pid_t pid, struct native_code *ret);

#endif
