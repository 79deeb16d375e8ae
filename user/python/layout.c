// SPDX-License-Identifier: GPL-2.0-only
/*
 * layout.c - chooses among the known versions. Everything not known is refused with a reason.
 */
#include "python/layout.h"

#include <stdio.h>

#include "base/cleanup.h"

#define LEVEL(hexversion)                                                                                    \
	((hexversion) >> 4 & 0xf) /* Include/patchlevel.h: 0xA, 0xB, 0xC = candidate, 0xF = final */
#define LEVEL_FINAL	0xf
#define LEVEL_CANDIDATE 0xc
#define OLDEST		0x0306

static const struct cpython *const versions[] = {
#define CPYTHON(major_, minor_) &cpython_##major_##_##minor_,
#include "python/layouts/versions.def"
#undef CPYTHON
};

void layout_version_string(__u32 hexversion, bool free_threaded, char ret[VERSION_STRING_SIZE])
{
	static const char *const levels[16] = { [0xa] = "a", [0xb] = "b", [LEVEL_CANDIDATE] = "rc" };
	const char *level = levels[LEVEL(hexversion)];
	char suffix[8] = "";

	if (LEVEL(hexversion) != LEVEL_FINAL)
		snprintf(suffix, sizeof(suffix), "%s%u", level ? level : "?", hexversion & 0xf);
	snprintf(ret, VERSION_STRING_SIZE, "%u.%u.%u%s%s", hexversion >> 24, hexversion >> 16 & 0xff,
		 hexversion >> 8 & 0xff, suffix, free_threaded ? "t" : "");
}

const struct cpython *layout_find(__u32 hexversion)
{
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		if (versions[i]->minor == hexversion >> 16)
			return versions[i];
	}
	return NULL;
}

const struct cpython *layout_model(__u32 hexversion)
{
	const struct cpython *known = layout_find(hexversion), *newest = versions[ARRAY_SIZE(versions) - 1];

	if (!known && hexversion >> 16 > newest->minor && hexversion >> 24 == newest->minor >> 8)
		return newest;
	return known && known->words ? known : NULL;
}

const struct layout *layout_of_build(const struct cpython *cpython, bool free_threaded)
{
	return free_threaded ? cpython->free_threaded : &cpython->layout;
}

bool layout_is_released(__u32 hexversion)
{
	if (LEVEL(hexversion) == LEVEL_FINAL)
		return true;
	return LEVEL(hexversion) == LEVEL_CANDIDATE && layout_model(hexversion);
}

const char *layout_refusal(__u32 hexversion, bool free_threaded)
{
	const struct cpython *cpython = layout_find(hexversion) ?: layout_model(hexversion);

	if (!cpython && hexversion >> 16 < OLDEST)
		return "CPython older than 3.6, and not 2.7";
	if (!cpython)
		return "version of CPython without a known layout";
	if (!layout_of_build(cpython, free_threaded))
		return "free-threaded build of a version that has none";
	if (!layout_is_released(hexversion))
		return "pre-release of CPython";
	if (cpython->words)
		return "layout must come from the interpreter's debug offsets";
	return "layout is known";
}

const struct layout *layout_for_version(__u32 hexversion, bool free_threaded)
{
	const struct cpython *cpython = layout_find(hexversion);
	static struct layout layout;

	if (!cpython || cpython->words || free_threaded || !layout_is_released(hexversion))
		return NULL;
	layout = cpython->layout;
	layout.version = hexversion;
	if ((hexversion >> 8 & 0xff) < cpython->moved.patch) {
		layout.runtime_tstate = cpython->moved.runtime_tstate;
		layout.runtime_tss_key = cpython->moved.runtime_tss_key;
	}
	return &layout;
}

bool layout_has_tasks(const struct layout *l)
{
	const struct cpython *model = layout_model(l->version);

	return layout_task_facts(l) || (model && !model->tasks.interp_modules && model->coroutines.awaited);
}

const struct task_facts *layout_task_facts(const struct layout *l)
{
	const struct cpython *cpython = layout_find(l->version);

	return cpython && cpython->tasks.interp_modules && !l->free_threaded ? &cpython->tasks : NULL;
}
