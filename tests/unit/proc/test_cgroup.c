// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_cgroup.c - container and pod from the paths that runtimes make, with either driver and either version
 * of cgroups, from the host and from inside a cgroup namespace; and from paths that only look like them.
 */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "proc/cgroup.h"
#include "tests/forge/test.h"

#define ID    "76e966f5b0a1f2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b"
#define OTHER "079eb341c0ffee0079eb341c0ffee0079eb341c0ffee0079eb341c0ffee00abc"
#define UID   "9e449ecd-a4b6-463e-a620-1868ca1376fc"
#define UID_  "9e449ecd_a4b6_463e_a620_1868ca1376fc"
#define HASH  "c0c7384f00112233445566778899aabb"

static void parsed(const char *text, const char *id, const char *uid)
{
	struct cgroup g;

	memset(&g, 0xff, sizeof(g));
	cgroup_parse(text, &g);
	if (strcmp(g.container_id, id) || strcmp(g.pod_uid, uid))
		print_error("%s", text);
	assert_string_equal(g.container_id, id);
	assert_string_equal(g.pod_uid, uid);
}

/* Paths of real systems, the container in each and its pod. */
static const struct {
	const char *path, *id, *uid;
} of_runtimes[] = {
	/* Kubernetes, cgroupfs driver; a guaranteed pod has no class */
	{ "/kubepods/burstable/pod" UID "/" ID, ID, UID },
	{ "/kubepods/besteffort/pod" UID "/" ID, ID, UID },
	{ "/kubepods/pod" UID "/" ID, ID, UID },
	{ "/kubepods/burstable/pod" HASH "/" ID, ID, HASH },
	{ "/kubepods/burstable/pod" UID "/crio-" ID, ID, UID },
	{ "/kubepods/burstable/pod" UID, "", UID },
	/* ... systemd driver */
	{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_ ".slice/cri-containerd-" ID
	  ".scope",
	  ID, UID },
	{ "/kubepods.slice/kubepods-pod" UID_ ".slice/crio-" ID ".scope", ID, UID },
	{ "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" UID_ ".slice/docker-" ID
	  ".scope",
	  ID, UID },
	{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" HASH ".slice/cri-containerd-" ID
	  ".scope",
	  ID, HASH },
	{ "/kubepods.slice/kubepods-pod" UID_ ".slice/crio-" ID ".scope/container", ID, UID },
	/* ... containerd set up for cgroupfs, the kubelet for systemd */
	{ "/system.slice/containerd.service/kubepods-burstable-pod" UID_ ".slice:cri-containerd:" ID, ID,
	  UID },
	/* ... from inside the profiler's pod */
	{ "/../../../kubepods-burstable.slice/kubepods-burstable-pod" UID_ ".slice/cri-containerd-" ID
	  ".scope",
	  ID, UID },
	{ "/../../pod" UID "/" ID, ID, UID },
	{ "/../" ID, ID, "" },
	{ "/../cri-containerd-" ID ".scope", ID, "" },
	/* ... below another cgroup: kind, a kubelet in a container */
	{ "/docker/" OTHER "/kubelet/kubepods/burstable/pod" UID "/" ID, ID, UID },
	{ "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod" UID_ ".slice/cri-containerd-" ID
	  ".scope",
	  ID, UID },
	/* Docker, podman, containerd */
	{ "/docker/" ID, ID, "" },
	{ "/system.slice/docker-" ID ".scope", ID, "" },
	{ "/system.slice/docker-" ID ".scope/init.scope", ID, "" },
	{ "/system.slice/docker-" ID ".scope/system.slice/cron.service", ID, "" },
	{ "/machine.slice/libpod-" ID ".scope", ID, "" },
	{ "/machine.slice/libpod-" ID ".scope/container", ID, "" },
	{ "/libpod_parent/libpod-" ID, ID, "" },
	{ "/machine.slice/machine-libpod_pod_" OTHER ".slice/libpod-" ID ".scope", ID, "" },
	{ "/ecs/0123456789abcdef0123456789abcdef/" ID, ID, "" },
	{ "/docker/" ID " (deleted)", ID, "" },
	/* What is inside of a container says nothing: its own docker, a pod that it calls itself. */
	{ "/docker/" ID "/docker/" OTHER, ID, "" },
	{ "/kubepods/pod" UID "/" ID "/docker/" OTHER, ID, UID },
	{ "/kubepods/pod" UID "/" ID "/kubepods/pod" HASH "/" OTHER, ID, UID },
	{ "/kubepods/pod" UID "/kubepods-pod" HASH ".slice/" ID, ID, UID },
	/* Nor what is below a user's cgroup: podman without root, and whoever calls himself a pod. */
	{ "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope", "", "" },
	{ "/user.slice/user-1000.slice/user@1000.service/kubepods-pod" UID_ ".slice/cri-containerd-" ID
	  ".scope",
	  "", "" },
	{ "/user.slice/user-1000.slice/user@1000.service/pod" UID "/" ID, "", "" },
	{ "/docker/" ID "/user.slice/user-1000.slice/user@1000.service/docker/" OTHER, ID, "" },
	{ "/docker/user@1000.services/" ID, ID, "" },
	{ "/docker/user@/" ID, ID, "" },
	/* None */
	{ "/", "", "" },
	{ "/user.slice/user-1000.slice/session-2.scope", "", "" },
	{ "/system.slice/containerd.service", "", "" },
	{ "/machine.slice/libpod-conmon-" ID ".scope", "", "" },
	{ "/kubepods.slice/kubepods-pod" UID_ ".slice/crio-conmon-" ID ".scope", "", UID },
};

TEST(runtimes)
{
	for (size_t i = 0; i < ARRAY_SIZE(of_runtimes); i++) {
		char text[2048];

		snprintf(text, sizeof(text), "0::%s\n", of_runtimes[i].path);
		parsed(text, of_runtimes[i].id, of_runtimes[i].uid);
		snprintf(text, sizeof(text), "12:pids:%s\n3:cpu,cpuacct:%s\n1:name=systemd:%s\n0::/\n",
			 of_runtimes[i].path, of_runtimes[i].path, of_runtimes[i].path);
		parsed(text, of_runtimes[i].id, of_runtimes[i].uid);
		snprintf(text, sizeof(text), "4:memory:/\n1:name=systemd:%s\n", of_runtimes[i].path);
		parsed(text, of_runtimes[i].id, of_runtimes[i].uid);
	}
}

TEST(looks_like_it)
{
	static const char *const paths[] = {
		"/docker/" ID "0",
		"/docker/x" ID,
		"/docker/76E966F5B0A1F2C3D4E5F60718293A4B5C6D7E8F90A1B2C3D4E5F60718293A4B",
		"/docker/" ID ".service",
		"/docker/76e966f5b0a1",
		"/docker-" ID "-x.scope",
		"/kubepods/pod",
		"/kubepods/pod-",
		"/kubepods/pod9e449ecd",
		"/kubepods/pod" UID "0",
		"/kubepods/pod" HASH "0",
		"/kubepods/tripod" UID,
		"/kubepods/podXe449ecd-a4b6-463e-a620-1868ca1376fc",
		"/kubepods/pod9e449ecd-a4b6-463e-a6201868-ca1376fc",
		"//////",
		"/..",
	};
	char text[256];

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		snprintf(text, sizeof(text), "0::%s\n", paths[i]);
		parsed(text, "", "");
	}
}

TEST(malformed)
{
	static const char *const texts[] = {
		"", "\n", "\n\n\n", "0", "0\n", "0:\n", "0::\n", "::\n", ":::\n", "0::docker/" ID "\n",
		"0:" ID "\n",
		"0::/docker/" ID, /* cut off: no newline */
		"\xff\xfe::\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		parsed(texts[i], "", "");
	parsed("nonsense\n0::/docker/" ID "\n", ID, "");
}

static void path_is(const char *text, const char *path)
{
	struct cgroup g;

	cgroup_parse(text, &g);
	assert_string_equal(g.path, path);
}

/* The path that a filter sees: the one that tells most. */
TEST(best_path)
{
	path_is("5:cpu:/a\n0::/b\n", "/b");
	path_is("5:cpu:/a\n0::/\n", "/a");
	path_is("5:cpu:/\n0::/\n", "/");
	path_is("5:cpu:/docker/" ID "\n0::/b\n", "/docker/" ID);
	path_is("5:cpu:/x:y\n", "/x:y");
	path_is("5:cpu:/docker/" ID " (deleted)\n", "/docker/" ID);
}

TEST(long_path)
{
	static char text[64 * 1024];
	struct cgroup g;

	memset(text, 'a', sizeof(text));
	memcpy(text, "0::/", 4);
	snprintf(text + 32 * 1024, 128, "/docker/%s\n", ID);
	cgroup_parse(text, &g);
	assert_string_equal(g.container_id, ID);
	assert_int_equal(strlen(g.path), CGROUP_PATH_SIZE - 1);
	for (size_t i = 4; i < 32 * 1024; i++)
		text[i] = '/';
	cgroup_parse(text, &g);
	assert_string_equal(g.container_id, ID);
}

TEST(mounts)
{
	static const struct {
		const char *root, *uid, *container;
	} known[] = {
		{ "/var/lib/kubelet/pods/" UID "/containers/web/0a1b2c3d", UID, "web" },
		/* /var/lib/kubelet is a file system */
		{ "/pods/" UID "/containers/web-2/0a1b2c3d", UID, "web-2" },
		{ "/var/lib/kubelet/pods/" HASH "/containers/etcd/ffffffff", HASH, "etcd" },
		{ "/var/lib/kubelet/pods/" UID "/etc-hosts", UID, "" },
		{ "/var/lib/kubelet/pods/" UID "/volumes/kubernetes.io~empty-dir/x", NULL, NULL },
		{ "/var/lib/kubelet/pods/" UID_ "x/containers/web/0a1b2c3d", NULL, NULL },
		{ "/var/lib/kubelet/pods/" UID "/containers/WEB/0a1b2c3d", NULL, NULL },
		{ "/var/lib/kubelet/pods/" UID "/containers/../0a1b2c3d", NULL, NULL },
		{ "/var/lib/kubelet/pods/" UID "/containers//0a1b2c3d", NULL, NULL },
		{ "/var/lib/kubelet/pods/" UID "/containers/web/0a1b2c3", NULL, NULL },
		{ "/var/lib/kubelet/pods/x/containers/web/0a1b2c3d", NULL, NULL },
		{ "/var/lib/kubelet/pods//etc-hosts", NULL, NULL },
		{ "/etc-hosts", NULL, NULL },
		{ "0a1b2c3d", NULL, NULL },
		{ "/", NULL, NULL },
		{ "", NULL, NULL },
	};
	struct pod_mount mount;
	char line[512];

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		snprintf(line, sizeof(line),
			 "612 598 254:0 %s /dev/termination-log rw,relatime - ext4 /dev/vda rw\n",
			 known[i].root);
		assert_int_equal(cgroup_parse_mount(line, &mount), known[i].uid != NULL);
		if (!known[i].uid)
			continue;
		assert_string_equal(mount.pod_uid, known[i].uid);
		assert_string_equal(mount.container, known[i].container);
	}
	assert_false(cgroup_parse_mount("", &mount));
	assert_false(cgroup_parse_mount("612 598 254:0", &mount));
	assert_false(cgroup_parse_mount("   ", &mount));
}
