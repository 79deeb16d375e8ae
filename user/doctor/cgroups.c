// SPDX-License-Identifier: GPL-2.0-only
/*
 * cgroups.c - which version of cgroups there is: by them containers, pods and users are told apart. And
 * whether the names of pods can be read, where somebody wants them.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/lacking.h"
#include "base/namespaces.h"
#include "base/privileges.h"
#include "doctor/checks.h"
#include "proc/pods.h"

#define CGROUPS "/sys/fs/cgroup"

static bool is_second(const char *folder)
{
	struct statfs s;

	return !statfs(folder, &s) && s.f_type == CGROUP2_SUPER_MAGIC;
}

/* NULL: none is mounted where it should be. */
static const char *find_version(void)
{
	if (is_second(CGROUPS))
		return "version 2";
	if (is_second(CGROUPS "/unified"))
		return "version 1, and 2 beside it";
	return access(CGROUPS "/memory", F_OK) && access(CGROUPS "/cpu", F_OK) &&
			       access(CGROUPS "/systemd", F_OK) ?
		       NULL :
		       "version 1";
}

void check_cgroups(struct examination *x, struct checked *ret)
{
	const char *version = find_version();

	(void)x;
	if (!version) {
		finding_say(ret, GRADE_NOTE, "not mounted at " CGROUPS ": limits of memory cannot be seen");
		finding_mend(ret, "mount -t cgroup2 none " CGROUPS);
	} else if (!namespaces_has_first_cgroups()) {
		finding_say(ret, GRADE_NOTE,
			    "%s; in a cgroup namespace of its own, in which the paths for --cgroup begin",
			    version);
		finding_mend(ret, "in a container: docker run --cgroupns=host");
	} else {
		finding_say(ret, GRADE_OK, "%s", version);
	}
}

static unsigned int count_pods(DIR *folder)
{
	const struct dirent *entry;
	unsigned int n = 0;

	while ((entry = readdir(folder))) {
		char key[CONTAINER_ID_SIZE];
		struct pod_names names;

		n += pods_parse_name(entry->d_name, key, &names);
	}
	return n;
}

/* Without names a filter by them selects nothing; otherwise samples only lack labels. */
void check_pod_logs(struct examination *x, struct checked *ret)
{
	const enum grade grade = x->selects_pods ? GRADE_MISSING : GRADE_NOTE;
	char advice[LACKING_SIZE];
	DIR *folder;
	unsigned int n;

	if (!x->selects_pods && !x->kubelet.url && !x->in_pod)
		return;
	folder = opendir(x->pod_logs);
	if (!folder) {
		finding_say(ret, grade, "%s: %s: pods and containers have no names", x->pod_logs,
			    strerror(errno));
		if (errno == EACCES)
			finding_mend(ret, "%s", lacking_advice(PRIVILEGE(CAP_DAC_READ_SEARCH), advice));
		finding_mend(ret, "in Kubernetes: mount the node's /var/log/pods (hostPath, read-only)");
		finding_mend(ret, "where the kubelet has another folder: --pod-logs DIR");
		return;
	}
	n = count_pods(folder);
	closedir(folder);
	finding_say(ret, n ? GRADE_OK : grade, "%u entries of %s name pods", n, x->pod_logs);
	if (!n)
		finding_mend(ret, "where the kubelet has another folder: --pod-logs DIR");
}
