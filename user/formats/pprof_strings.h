/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pprof_strings.h - pprof's string table, by whose indices all else names its texts. First in it stand words:
 * those of the sample types, of which "" is the first, and the comments. Then come the keys of labels.def,
 * the profile's own strings, and the names of its extra labels.
 */
#ifndef PYPERF_FORMATS_PPROF_STRINGS_H
#define PYPERF_FORMATS_PPROF_STRINGS_H

#include <stdint.h>
#include <linux/types.h>

#include "profile/profile.h"

#define PPROF_WORDS_MAX 128

struct pprof_stream;

/* The words are borrowed. */
struct pprof_strings {
	const struct profile *profile;
	const char *words[PPROF_WORDS_MAX];
	int64_t word_count;
};

void pprof_strings_open(struct pprof_strings *s, const struct profile *p);

/* Where this word is, which is added if it is not there. All are to be there before another index is used. */
int64_t pprof_strings_word(struct pprof_strings *s, const char *word);
int64_t pprof_strings_label(const struct pprof_strings *s, int label);	 /* the key of a row of labels.def */
int64_t pprof_strings_text(const struct pprof_strings *s, __u32 id);	 /* profile_get_string(); 0: "" */
int64_t pprof_strings_extra(const struct pprof_strings *s, __u32 extra); /* the name of an extra label */

/* The key of an extra label: one that has the name of a label of ours gets a longer one, put there. */
const char *pprof_strings_extra_name(const char *name, char longer[PROFILE_STRING_MAX]);

/* Writes all of them. 0 or -errno of pprof_stream_put(). */
int pprof_strings_write(const struct pprof_strings *s, struct pprof_stream *stream);

#endif
