// Part of Usher. SPDX-License-Identifier: Apache-2.0

#include <malloc.h>
