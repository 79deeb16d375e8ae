// SPDX-License-Identifier: GPL-2.0-only
#include "proc/cgroup.h"

#include <stddef.h>
#include <string.h>

#define ID_LENGTH   (CONTAINER_ID_SIZE - 1)
#define UUID_LENGTH (POD_UID_SIZE - 1)
#define HASH_LENGTH 32 /* uid of a static pod: an MD5 of its manifest */

struct path_span {
	const char *start;
	size_t length;
};

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static bool all_hex(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!is_hex(text[i]))
			return false;
	return true;
}

/* Hexadecimal digits in groups of 8, 4, 4, 4 and 12; systemd's slices have '_' where the uid has '-'. */
static bool is_uuid(const char *text)
{
	for (size_t i = 0; i < UUID_LENGTH; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? text[i] != '-' && text[i] != '_' : !is_hex(text[i]))
			return false;
	}
	return true;
}

/* The length of a pod's uid at the start of text; 0 = there is none. */
static size_t uid_length(const char *text, size_t n)
{
	if (n >= UUID_LENGTH && is_uuid(text))
		return UUID_LENGTH;
	return n >= HASH_LENGTH && all_hex(text, HASH_LENGTH) ? HASH_LENGTH : 0;
}

static void copy_uid(const char *text, size_t n, char ret[POD_UID_SIZE])
{
	for (size_t i = 0; i < n; i++)
		ret[i] = text[i] == '_' ? '-' : text[i];
	ret[n] = '\0';
}

bool cgroup_is_pod_uid(const char *text)
{
	size_t n = strlen(text);

	return n && uid_length(text, n) == n && !memchr(text, '_', n);
}

bool cgroup_is_name(const char *text, bool dots, unsigned int size)
{
	size_t n = strlen(text);

	if (!n || n >= size)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!((text[i] >= 'a' && text[i] <= 'z') || (text[i] >= '0' && text[i] <= '9') ||
		      text[i] == '-' || (dots && text[i] == '.')))
			return false;
	return true;
}

static bool ends_with(struct path_span s, const char *tail)
{
	size_t n = strlen(tail);

	return s.length >= n && !memcmp(s.start + s.length - n, tail, n);
}

/*
 * ID (cgroupfs driver), RUNTIME-ID.scope (systemd driver), RUNTIME-ID (podman, cri-o with cgroupfs),
 * SLICE:RUNTIME:ID (containerd, set up for the one driver and used with the other). conmon only watches a
 * container.
 */
static bool parse_container(struct path_span s, char ret[CONTAINER_ID_SIZE])
{
	const char *id;

	if (ends_with(s, ".scope"))
		s.length -= strlen(".scope");
	if (s.length < ID_LENGTH)
		return false;
	id = s.start + s.length - ID_LENGTH;
	if (!all_hex(id, ID_LENGTH) || (id > s.start && id[-1] != '-' && id[-1] != ':') ||
	    memmem(s.start, id - s.start, "conmon", strlen("conmon")))
		return false;
	memcpy(ret, id, ID_LENGTH);
	ret[ID_LENGTH] = '\0';
	return true;
}

/* podUID (cgroupfs), kubepods-CLASS-podUID.slice (systemd). */
static bool parse_pod(struct path_span s, char ret[POD_UID_SIZE])
{
	for (size_t i = 0; i + 3 < s.length; i++) {
		const char *uid = s.start + i + 3;
		size_t n;

		if (memcmp(s.start + i, "pod", 3) || (i && s.start[i - 1] != '-'))
			continue;
		n = uid_length(uid, s.length - i - 3);
		if (!n || (i + 3 + n < s.length && uid[n] != '.'))
			continue;
		copy_uid(uid, n, ret);
		return true;
	}
	return false;
}

/* Takes the last component off a path. False when there is none left. */
static bool take_last(struct path_span *path, struct path_span *ret)
{
	const char *slash = memrchr(path->start, '/', path->length);

	if (!slash)
		return false;
	ret->start = slash + 1;
	ret->length = path->start + path->length - ret->start;
	path->length = slash - path->start;
	return true;
}

/* Takes the first component off a path. False when there is none left. */
static bool take_first(struct path_span *path, struct path_span *ret)
{
	const char *slash;

	if (!path->length)
		return false;
	path->start++;
	path->length--;
	slash = memchr(path->start, '/', path->length);
	*ret = (struct path_span){ path->start, slash ? (size_t)(slash - path->start) : path->length };
	path->start += ret->length;
	path->length -= ret->length;
	return true;
}

/* user@UID.service: systemd hands what is below it to that user. */
static bool is_delegated(struct path_span part)
{
	return part.length > strlen("user@") && !memcmp(part.start, "user@", strlen("user@")) &&
	       ends_with(part, ".service");
}

/*
 * Looks from the root, so that whoever may make cgroups inside of a container, or below one that was handed
 * to a user, cannot become another by their names. The first pod counts, and the first container in it;
 * without a pod the first container. A pod counts more than a container around it: that is a kubelet in a
 * container (kind).
 */
static void parse_cgroup_path(struct path_span path, struct cgroup *ret)
{
	struct path_span rest, part;
	size_t n;

	if (ends_with(path, " (deleted)")) /* said of a cgroup that was removed */
		path.length -= strlen(" (deleted)");
	n = path.length < sizeof(ret->path) ? path.length : sizeof(ret->path) - 1;
	memcpy(ret->path, path.start, n);
	ret->path[n] = '\0';
	for (rest = path; take_first(&rest, &part) && !is_delegated(part);) {
		if (!*ret->pod_uid && parse_pod(part, ret->pod_uid))
			*ret->container_id = '\0';
		if (!*ret->container_id)
			parse_container(part, ret->container_id);
	}
}

static int score(const struct cgroup *g, bool unified)
{
	return !!*g->container_id << 3 | !!*g->pod_uid << 2 | !!strcmp(g->path, "/") << 1 | unified;
}

/* ID:CONTROLLERS:PATH. Controllers hold no colon; a path may. */
static bool split_line(struct path_span line, struct path_span *ret_path, bool *ret_unified)
{
	const char *controllers = memchr(line.start, ':', line.length), *path,
		   *end = line.start + line.length;

	if (!controllers)
		return false;
	path = memchr(controllers + 1, ':', end - controllers - 1);
	if (!path || path + 1 == end || path[1] != '/')
		return false;
	*ret_path = (struct path_span){ path + 1, end - path - 1 };
	*ret_unified = path == controllers + 1 && line.start[0] == '0';
	return true;
}

void cgroup_parse(const char *text, struct cgroup *ret)
{
	const char *newline;
	int best = -1;

	memset(ret, 0, sizeof(*ret));
	for (; (newline = strchr(text, '\n')); text = newline + 1) {
		struct cgroup g = {};
		struct path_span path;
		bool unified;

		if (!split_line((struct path_span){ text, newline - text }, &path, &unified))
			continue;
		parse_cgroup_path(path, &g);
		if (score(&g, unified) <= best)
			continue;
		best = score(&g, unified);
		*ret = g;
	}
}

/* The field of that number, counted from 0, between single blanks. */
static bool get_field(const char *line, int number, struct path_span *ret)
{
	while (number--) {
		line = strchr(line, ' ');
		if (!line)
			return false;
		line++;
	}
	*ret = (struct path_span){ line, strcspn(line, " ") };
	return true;
}

static bool copy_name(struct path_span s, char ret[CONTAINER_NAME_SIZE])
{
	if (s.length >= CONTAINER_NAME_SIZE)
		return false;
	memcpy(ret, s.start, s.length);
	ret[s.length] = '\0';
	return cgroup_is_name(ret, false, CONTAINER_NAME_SIZE);
}

/*
 * The kubelet mounts .../pods/UID/containers/NAME/XXXXXXXX, eight random hexadecimal digits, into a container
 * for its last words (terminationMessagePath), and .../pods/UID/etc-hosts. mountinfo's fourth field is that
 * path, as seen from the root of its file system.
 */
bool cgroup_parse_mount(const char *line, struct pod_mount *ret)
{
	struct path_span path, last, name, kind, uid, pods;
	struct pod_mount mount = {};

	if (!get_field(line, 3, &path) || !take_last(&path, &last))
		return false;
	if (last.length == strlen("etc-hosts") && !memcmp(last.start, "etc-hosts", last.length)) {
		if (!take_last(&path, &uid))
			return false;
	} else {
		if (last.length != 8 || !all_hex(last.start, 8) || !take_last(&path, &name) ||
		    !take_last(&path, &kind) || !take_last(&path, &uid))
			return false;
		if (kind.length != strlen("containers") || memcmp(kind.start, "containers", kind.length) ||
		    !copy_name(name, mount.container))
			return false;
	}
	if (!take_last(&path, &pods) || pods.length != 4 || memcmp(pods.start, "pods", 4) || !uid.length ||
	    uid_length(uid.start, uid.length) != uid.length)
		return false;
	copy_uid(uid.start, uid.length, mount.pod_uid);
	*ret = mount;
	return true;
}
