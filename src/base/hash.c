#include "base/hash.h"

uint64_t rill_hash_u64(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x100000001b3ull;
    return hash ^ (hash >> 29);
}

uint64_t rill_hash_bytes(uint64_t hash, const void *data, size_t size) {
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0; /* little-endian by construction, whatever the machine is */
        for (size_t k = 0; k < 8 && i + k < size; ++k) word |= (uint64_t)bytes[i + k] << (8 * k);
        hash = rill_hash_u64(hash, word);
    }
    return rill_hash_u64(hash, size);
}
