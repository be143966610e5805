/* A 64-bit hash of bytes (FNV-1a over 8-byte words with a final mix): fast, portable, not cryptographic. */
#ifndef RILL_BASE_HASH_H
#define RILL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define RILL_HASH_START 0xcbf29ce484222325ull

uint64_t rill_hash_bytes(uint64_t hash, const void *data, size_t size);
uint64_t rill_hash_u64(uint64_t hash, uint64_t value);

#endif
