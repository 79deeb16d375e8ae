// SPDX-License-Identifier: GPL-2.0-only
#include "run/version.h"

#include <bpf/libbpf.h>
#include <curl/curl.h>

#include "net/libcurl.h"

#if defined(__x86_64__)
#define ARCHITECTURE "x86_64"
#elif defined(__aarch64__)
#define ARCHITECTURE "aarch64"
#else
#define ARCHITECTURE "unknown"
#endif

void version_print(FILE *f, const char *commit)
{
	int err = libcurl_open();

	fprintf(f, "pyperf-bpf " PYPERF_VERSION "\n");
	fprintf(f, "commit: %s\n", commit);
	fprintf(f, "built for: " ARCHITECTURE "\n");
	fprintf(f, "libbpf: %u.%u\n", libbpf_major_version(), libbpf_minor_version());
	fprintf(f, "push and kubelet: %s\n", err ? libcurl_strerror(err) : curl_version());
}
