/* SHA-1 and SHA-256, of pieces: the state is an ArrayBuffer. */
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include "host.h"

struct state {
  bool is_sha1;
  union {
    SHA_CTX sha1;
    SHA256_CTX sha256;
  } of;
};

CALL(sys_hash) {
  struct state state = {.is_sha1 = int_of(c, argv[0]) == 1};
  CRYPTO_library_init();
  if (state.is_sha1)
    SHA1_Init(&state.of.sha1);
  else
    SHA256_Init(&state.of.sha256);
  return JS_NewArrayBufferCopy(c, (uint8_t *)&state, sizeof state);
}

CALL(sys_hashAdd) {
  struct state *state = bytes_at(c, argv[0], sizeof *state);
  size_t length;
  uint8_t *piece = JS_GetUint8Array(c, &length, argv[1]);
  if (state == NULL || piece == NULL) return JS_EXCEPTION;
  if (state->is_sha1)
    SHA1_Update(&state->of.sha1, piece, length);
  else
    SHA256_Update(&state->of.sha256, piece, length);
  return JS_UNDEFINED;
}

/* The state, which may be of a password, is zeroed. */
CALL(sys_hashEnd) {
  uint8_t digest[SHA256_DIGEST_LENGTH];
  struct state *state = bytes_at(c, argv[0], sizeof *state);
  if (state == NULL) return JS_EXCEPTION;
  size_t size = state->is_sha1 ? SHA_DIGEST_LENGTH : SHA256_DIGEST_LENGTH;
  if (state->is_sha1)
    SHA1_Final(digest, &state->of.sha1);
  else
    SHA256_Final(digest, &state->of.sha256);
  OPENSSL_cleanse(state, sizeof *state);
  JSValue value = JS_NewArrayBufferCopy(c, digest, size);
  OPENSSL_cleanse(digest, sizeof digest);
  return value;
}

const JSCFunctionListEntry digest_calls[] = {
    ROW(hash, 1),
    ROW(hashAdd, 2),
    ROW(hashEnd, 1),
};
const int digest_calls_count = sizeof digest_calls / sizeof *digest_calls;
