// SPDX-License-Identifier: GPL-2.0-only
#include "formats/pprof_strings.h"

#include <stdio.h>
#include <string.h>

#include "formats/pprof_stream.h"
#include "profile/labels.h"
#include "profile/profile.h"

void pprof_strings_open(struct pprof_strings *s, const struct profile *p)
{
	*s = (struct pprof_strings){ .profile = p };
	pprof_strings_word(s, "");
}

int64_t pprof_strings_word(struct pprof_strings *s, const char *word)
{
	int64_t i = 0;

	while (i < s->word_count && strcmp(s->words[i], word))
		i++;
	if (i == s->word_count)
		s->words[s->word_count++] = word;
	return i;
}

int64_t pprof_strings_label(const struct pprof_strings *s, int label)
{
	return s->word_count + label;
}

int64_t pprof_strings_text(const struct pprof_strings *s, __u32 id)
{
	return id ? pprof_strings_label(s, LABEL_COUNT) + id - 1 : 0;
}

int64_t pprof_strings_extra(const struct pprof_strings *s, __u32 extra)
{
	return pprof_strings_label(s, LABEL_COUNT) + profile_count(s->profile, PROFILE_STRING) + extra;
}

const char *pprof_strings_extra_name(const char *name, char longer[PROFILE_STRING_MAX])
{
	for (int i = 0; i < LABEL_COUNT; i++) {
		if (strcmp(label_rows[i].key, name))
			continue;
		snprintf(longer, PROFILE_STRING_MAX, "label_%s", name);
		return longer;
	}
	return name;
}

int pprof_strings_write(const struct pprof_strings *s, struct pprof_stream *stream)
{
	const struct profile_info *info = profile_get_info(s->profile);
	__u32 n = profile_count(s->profile, PROFILE_STRING);
	char longer[PROFILE_STRING_MAX];
	int err = 0;

	for (int64_t i = 0; i < s->word_count && !err; i++)
		err = pprof_stream_put_text(stream, s->words[i]);
	for (int i = 0; i < LABEL_COUNT && !err; i++)
		err = pprof_stream_put_text(stream, label_rows[i].key);
	for (__u32 id = 1; id <= n && !err; id++)
		err = pprof_stream_put_text(stream, profile_get_string(s->profile, id));
	for (__u32 i = 0; i < info->extra_count && !err; i++)
		err = pprof_stream_put_text(stream, pprof_strings_extra_name(info->extra[i], longer));
	return err;
}
