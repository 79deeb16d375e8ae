// SPDX-License-Identifier: GPL-2.0-only
/*
 * image.c - ELF files, which any user may write and map. libelf reads them, after checks of ours.
 */
#include "tests/fuzz/fuzz.h"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/image.h"

const char *const fuzz_corpus = "image";

static bool is_writable(const struct image *image, __u64 address)
{
	for (int i = 0; i < image->load_count; i++)
		if (image->load[i].flags & PF_W && address >= image->load[i].address &&
		    address - image->load[i].address < image->load[i].memory_size)
			return true;
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct image image, taken;
	int fd = memfd_create("image", MFD_CLOEXEC);
	__u64 bias;

	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	if (!image_read(fd, &image)) {
		FUZZ_CHECK(image.load_count <= IMAGE_LOADS_MAX);
		FUZZ_CHECK(image.build_id_size <= IMAGE_BUILD_ID_MAX);
		FUZZ_CHECK(!image.runtime || is_writable(&image, image.runtime));
		FUZZ_CHECK(!image.old_thread || is_writable(&image, image.old_thread));
		FUZZ_CHECK(!image.old_interps || is_writable(&image, image.old_interps));
		for (int i = 0; i < image.load_count; i++)
			image_bias(&image, 0x7f0000000000, image.load[i].offset, i & 1, &bias);
		FUZZ_CHECK(!image_parse(&image, sizeof(image), &taken));
	}
	/* As if a parser that a file has taken over had sent it. */
	if (!image_parse(data, size < sizeof(image) ? size : sizeof(image), &taken))
		FUZZ_CHECK(taken.load_count <= IMAGE_LOADS_MAX && taken.build_id_size <= IMAGE_BUILD_ID_MAX &&
			   (!taken.runtime || is_writable(&taken, taken.runtime)));
	close(fd);
	return 0;
}
