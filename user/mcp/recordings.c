// SPDX-License-Identifier: GPL-2.0-only
#include "mcp/recordings.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void paths_of(const struct recordings *r, unsigned int number, struct recording_paths *ret)
{
	snprintf(ret->profile, sizeof(ret->profile), "%s/r%u.pb.gz", r->folder, number);
	snprintf(ret->books, sizeof(ret->books), "%s/r%u.json", r->folder, number);
}

/* Only its owner can look into it. */
static int make_folder(struct recordings *r)
{
	const char *above = getenv("TMPDIR");
	char folder[sizeof(r->folder)];
	int size;

	if (!above || *above != '/')
		above = "/tmp";
	size = snprintf(folder, sizeof(folder), "%s/pyperf-bpf-mcp-XXXXXX", above);
	if (size >= (int)sizeof(folder))
		return -ENAMETOOLONG;
	if (!mkdtemp(folder))
		return -errno;
	memcpy(r->folder, folder, sizeof(folder));
	return 0;
}

int recordings_begin(struct recordings *r, unsigned int *ret_number, struct recording_paths *ret)
{
	int err = *r->folder ? 0 : make_folder(r);

	if (err)
		return err;
	*ret_number = ++r->last;
	paths_of(r, *ret_number, ret);
	return 0;
}

unsigned int recordings_keep(struct recordings *r, unsigned int number)
{
	unsigned int oldest = 0;

	if (r->count == RECORDINGS_MAX) {
		oldest = r->done[0];
		recordings_drop(r, oldest);
		memmove(r->done, r->done + 1, sizeof(r->done) - sizeof(r->done[0]));
		r->count--;
	}
	r->done[r->count++] = number;
	return oldest;
}

void recordings_drop(const struct recordings *r, unsigned int number)
{
	struct recording_paths paths;

	paths_of(r, number, &paths);
	unlink(paths.profile);
	unlink(paths.books);
}

bool recordings_is_name(const char *name)
{
	return *name == 'r' && name[1] && !name[1 + strspn(name + 1, "0123456789")];
}

bool recordings_find(const struct recordings *r, const char *name, struct recording_paths *ret)
{
	char own[16];

	for (size_t i = 0; i < r->count; i++) {
		snprintf(own, sizeof(own), "r%u", r->done[i]);
		if (strcmp(own, name))
			continue;
		paths_of(r, r->done[i], ret);
		return true;
	}
	return false;
}

/* Also what a run that was killed has left. The folder's own names stay: they are no files. */
void recordings_close(struct recordings *r)
{
	DIR *folder = *r->folder ? opendir(r->folder) : NULL;
	const struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		unlinkat(dirfd(folder), entry->d_name, 0);
	if (folder)
		closedir(folder);
	if (*r->folder)
		rmdir(r->folder);
	*r = (struct recordings){ 0 };
}
