// SPDX-License-Identifier: GPL-2.0-only
#include "base/small_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

int small_file_read(const char *path, size_t bytes_max, char **ret)
{
	/* O_NONBLOCK: a FIFO would stop the profiler. */
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	_cleanup_free_ char *text = NULL;
	size_t size = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	text = malloc(bytes_max + 1);
	if (!text)
		return -ENOMEM;
	while ((n = read(fd, text + size, bytes_max + 1 - size)) > 0) {
		size += n;
		if (size > bytes_max)
			return -EFBIG;
	}
	if (n < 0)
		return -errno;
	text[size] = '\0';
	if (strlen(text) != size)
		return -EINVAL;
	*ret = TAKE_PTR(text);
	return 0;
}
