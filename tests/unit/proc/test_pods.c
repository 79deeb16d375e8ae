// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_pods.c - names from the kubelet's folders, in both forms: found, found again after a change, bounded,
 * and hostile names passed over.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "proc/pods.h"
#include "tests/forge/test.h"

#define ID   "76e966f5b0a1f2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b"
#define ID2  "079eb341c0ffee0079eb341c0ffee0079eb341c0ffee0079eb341c0ffee00abc"
#define UID  "9e449ecd-a4b6-463e-a620-1868ca1376fc"
#define UID2 "11111111-2222-3333-4444-555555555555"

static char folder[64];
static struct pods *pods;

static int setup(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/pyperf-pods.XXXXXX");
	return mkdtemp(folder) ? pods_new(&pods, folder) : -1;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	pods_free(pods);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

static void make(const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(mkdir(path, 0755), 0);
}

static void found(const char *uid, const char *id, const char *hint, const char *namespace, const char *pod,
		  const char *container)
{
	struct pod_names names = {};

	assert_true(pods_find(pods, uid, id, hint, &names));
	assert_string_equal(names.namespace, namespace);
	assert_string_equal(names.pod, pod);
	assert_string_equal(names.container, container);
}

TEST(by_uid)
{
	make("demo_pyapp-7cbd89ff54-6zzwk_" UID);
	make("demo_pyapp-7cbd89ff54-6zzwk_" UID "/py");
	found(UID, ID, "", "demo", "pyapp-7cbd89ff54-6zzwk", "py");
	found(UID, "", "py", "demo", "pyapp-7cbd89ff54-6zzwk", "py");
}

/* With several containers the hint decides, and only if there is such a one. */
TEST(several_containers)
{
	make("demo_pyapp_" UID);
	make("demo_pyapp_" UID "/init");
	make("demo_pyapp_" UID "/py");
	found(UID, ID, "", "demo", "pyapp", "");
	found(UID, ID, "py", "demo", "pyapp", "py");
	found(UID, ID, "forged", "demo", "pyapp", "");
	found(UID, ID, "../../..", "demo", "pyapp", "");
	make("demo_empty_" UID2);
	found(UID2, "", "", "demo", "empty", "");
}

TEST(by_id)
{
	make("web.example_prod_app-server-" ID ".log");
	make("web.example_prod_sidecar-" ID2 ".log");
	found("", ID, "", "prod", "web.example", "app-server");
	found(UID, ID2, "", "prod", "web.example", "sidecar");
}

TEST(appears_later)
{
	struct pod_names names;

	assert_false(pods_find(pods, UID, ID, "", &names));
	make("demo_a_" UID);
	found(UID, ID, "", "demo", "a", "");
	assert_false(pods_find(pods, UID2, ID2, "", &names));
	make("demo_b_" UID2);
	found(UID2, ID2, "", "demo", "b", "");
}

TEST(not_there, .bare = true)
{
	struct pod_names names = { .pod = "as before" };
	struct pods *none;

	assert_int_equal(pods_new(&none, "/nonexistent/folder"), 0);
	assert_false(pods_find(none, UID, ID, "", &names));
	assert_false(pods_find(none, "", "", "", &names));
	assert_string_equal(names.pod, "as before");
	pods_free(none);
	pods_free(NULL);
}

TEST(bounded)
{
	struct pod_names names;
	char name[128];

	for (int i = 0; i < PODS_MAX + 100; i++) {
		snprintf(name, sizeof(name), "n_p%d_%08x-2222-3333-4444-555555555555", i, i);
		make(name);
	}
	make("demo_a_" UID);
	/* whether it is among those that are kept is the folder's order */
	pods_find(pods, UID, "", "", &names);
	snprintf(name, sizeof(name), "ffffffff-2222-3333-4444-555555555555");
	assert_false(pods_find(pods, name, "", "", &names));
}

TEST(hostile_names, .bare = true)
{
	static const char *const names[] = {
		"", ".", "..", "_", "__", "___", "a_b", "a_b_c", "a__" UID, "_b_" UID, "a_b_" UID "x",
		"A_b_" UID, "a_B_" UID, "a_b/c_" UID, "a_b_9e449ecd_a4b6_463e_a620_1868ca1376fc",
		"a.b_c_" UID,
		"a_b_c-" ID, "a_b_-" ID ".log", "a_b_c" ID ".log", "a_b_c-x" ID ".log", "a_b_c-" ID ".log.gz",
		"a_b_\n-" ID ".log", "a_b_" ID ".log", "a_b_.log", "a_b_c-.log",
	};
	struct pod_names ret = { .pod = "as before" };
	char key[CONTAINER_ID_SIZE] = "as before", name[1024];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_false(pods_parse_name(names[i], key, &ret));
	/* One character too long, each. */
	snprintf(name, sizeof(name), "%064d_b_%s", 0, UID);
	assert_false(pods_parse_name(name, key, &ret));
	snprintf(name, sizeof(name), "a_%0254d_%s", 0, UID);
	assert_false(pods_parse_name(name, key, &ret));
	snprintf(name, sizeof(name), "a_b_%064d-%s.log", 0, ID);
	assert_false(pods_parse_name(name, key, &ret));
	assert_string_equal(ret.pod, "as before");
	assert_string_equal(key, "as before");
	snprintf(name, sizeof(name), "%063d_%0253d_%s", 0, 0, UID);
	assert_true(pods_parse_name(name, key, &ret));
	snprintf(name, sizeof(name), "%0253d_%063d_%063d-%s.log", 0, 0, 0, ID);
	assert_true(pods_parse_name(name, key, &ret));
	assert_string_equal(key, ID);
}

AROUND_EACH(setup, teardown);
