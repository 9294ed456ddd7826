/* What the calls for tables of logs have in common. */
#ifndef LOG_CALLS_H
#define LOG_CALLS_H

#include "host.h"
#include "log.h"

/* Of a file's object. */
extern JSClassID file_class;
/* The bytes of a Uint8Array; false with an exception for another value. */
bool is_text(JSContext *c, JSValueConst value, struct bytes *text);

#endif
