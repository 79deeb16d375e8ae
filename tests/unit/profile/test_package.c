// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_package.c - whose a file is, by its path: a table of cases.
 */
#include <string.h>

#include "profile/package.h"
#include "base/cleanup.h"
#include "tests/forge/test.h"

static const struct {
	const char *file, *kind, *name;
} cases[] = {
	{ "/v/lib/python3.11/site-packages/fastapi/routing.py", "package", "fastapi" },
	{ "/v/lib/python3.11/site-packages/six.py", "package", "six" },
	{ "/v/site-packages/numpy/_core/_m.cpython-311.so", "package", "numpy" },
	{ "/v/site-packages/numpy.libs/libopenblas.so", "package", "numpy" },
	{ "/v/site-packages/_cffi.cpython-311.so", "package", "_cffi" },
	{ "/usr/lib/python3/dist-packages/yaml/x.py", "package", "yaml" },
	{ "/usr/lib/python3.11/json/decoder.py", "stdlib", "stdlib" },
	{ "/usr/lib/python3.11/lib-dynload/_json.cpython-311.so", "stdlib", "stdlib" },
	{ "<frozen importlib._bootstrap>", "stdlib", "stdlib" },
	{ "/usr/lib/x86_64-linux-gnu/libc.so.6", "library", "libc.so.6" },
	{ "[kernel]", "kernel", "[kernel]" },
	{ "/srv/shop/app.py", "program", "program" },
	{ "<string>", "program", "program" },
	{ "", "program", "program" },
	{ "/srv/site-packages/", "program", "program" },
	{ "/usr/bin/python3.11", "program", "program" },
};

TEST(files)
{
	char name[64];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const enum package_kind kind = package_of(cases[i].file, name, sizeof(name));

		if (strcmp(package_kind_name(kind), cases[i].kind) || strcmp(name, cases[i].name))
			fail_msg("%s: %s %s", cases[i].file, package_kind_name(kind), name);
	}
}
