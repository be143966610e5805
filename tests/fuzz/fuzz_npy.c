/* Arrays from strangers: whatever the bytes are, the answer is an array that fits them or a message. */
#include "fuzz.h"
#include "scene/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rill_npy array = { 0 };
    rill_message message = { "" };
    rill_result result = rill_npy_parse(data, size, &array, &message);
    if (result != RILL_OK) {
        FUZZ_CHECK(message.text[0] != '\0', "refused without a word");
        return 0;
    }
    size_t product = 1;
    FUZZ_CHECK(array.axes >= 0 && array.axes <= RILL_NPY_MAX_AXES, "%d axes", (int)array.axes);
    for (int32_t i = 0; i < array.axes; ++i) product *= array.shape[i];
    FUZZ_CHECK(product == array.count, "the shape has %zu values, the array %zu", product, array.count);
    FUZZ_CHECK(array.count * 4 <= size, "%zu values from %zu bytes", array.count, size);
    volatile double sum = 0.0; /* touches every value: the sanitizer sees whether they are there */
    for (size_t i = 0; i < array.count; ++i) sum += array.values[i];
    (void)sum;
    rill_npy_free(&array);
    return 0;
}
