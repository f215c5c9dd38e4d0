/* What the test programs share. */

#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <string.h>

static int failures = 0;

/* Says where something is not as it should be, and goes on. */
#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);    \
            failures++;                                                        \
        }                                                                      \
    } while (0)

#endif
