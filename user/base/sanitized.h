/* SPDX-License-Identifier: GPL-2.0-only */
/* sanitized.h - SANITIZED is defined in builds with AddressSanitizer: make check-san, the fuzz targets. */
#ifndef PYPERF_BASE_SANITIZED_H
#define PYPERF_BASE_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

#endif
