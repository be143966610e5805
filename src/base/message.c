#include "base/message.h"

#include <stdarg.h>
#include <stdio.h>

rill_result rill_fail(rill_message *message, rill_result result, const char *format, ...) {
    if (message) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message->text, sizeof message->text, format, arguments);
        va_end(arguments);
    }
    return result;
}
