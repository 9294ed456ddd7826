/*
 * A TLS client over a non-blocking descriptor, on AWS-LC. It never waits: its caller polls.
 *
 *   descriptor -> our BIO (no SIGPIPE, errno kept) -> SSL -> chain, dates, purpose, constraints and
 *   name by the library, sizes of keys and digests by judge() -> calls of `sys`
 *
 * Versions, ciphers, groups and limits are arguments, and what a failure means is decided in
 * TypeScript (src/engine/tls/), which gets the library's numbers. It opens no file and reads no
 * variable. Contexts and connections are small numbers, like descriptors.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/digest.h>
#include <openssl/err.h>
#include <openssl/obj.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "host.h"

/* What a call returns instead of a number of bytes. */
enum { WANTS_READ = -1, WANTS_WRITE = -2, FAILED = -3 };

#define HANDLES 1024
/* Read in one call at most. Some messages are without data and without a limit (KeyUpdate): a peer
 * that sends nothing else must not keep our timers from running. */
#define CALL_BYTES (1 << 17)
#define DIGESTS 4
#define NAME_FLAGS (X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT)

/* What a chain must have beyond the library's own checks. */
struct limits {
  int bits;             /* of an RSA key, at least */
  int refused[DIGESTS]; /* digests of signatures, terminated by NID_undef */
};

struct context {
  SSL_CTX *ssl;
  struct limits limits;
};

struct connection {
  SSL *ssl;
  int fd, error, status;
  int left; /* of CALL_BYTES */
  uint32_t code;
  struct limits limits;
  STACK_OF(X509) * chain; /* that was judged, from the peer's certificate; NULL before */
};

static void *contexts[HANDLES], *connections[HANDLES];

/* The library's getenv: its sources are compiled with this name instead. */
char *no_variable(const char *name);
char *no_variable(const char *name UNUSED) { return NULL; }

static JSValue keep(JSContext *c, void **table, void *pointer) {
  for (int i = 0; i < HANDLES; i++)
    if (table[i] == NULL) return table[i] = pointer, JS_NewInt32(c, i);
  errno = EMFILE;
  return result(c, -1);
}

static void *at(JSContext *c, void **table, JSValueConst handle) {
  int32_t i = int_of(c, handle);
  return i < 0 || i >= HANDLES ? NULL : table[i];
}

/* As at(), and the number is free again. */
static void *taken(JSContext *c, void **table, JSValueConst handle) {
  void *pointer = at(c, table, handle);
  if (pointer != NULL) table[int_of(c, handle)] = NULL;
  return pointer;
}

static int moved(BIO *bio, ssize_t length, void (*retry)(BIO *)) {
  struct connection *own = BIO_get_data(bio);
  BIO_clear_retry_flags(bio);
  if (length >= 0) return (int)length;
  if (errno == EAGAIN || errno == EINTR)
    retry(bio);
  else
    own->error = errno;
  return -1;
}

static int bio_read(BIO *bio, char *into, int length) {
  struct connection *own = BIO_get_data(bio);
  ssize_t got = -1;
  errno = EAGAIN;
  if (own->left > 0) got = recv(own->fd, into, (size_t)length, 0);
  if (got > 0) own->left -= (int)got;
  return moved(bio, got, BIO_set_retry_read);
}

static int bio_write(BIO *bio, const char *from, int length) {
  struct connection *own = BIO_get_data(bio);
  return moved(bio, send(own->fd, from, (size_t)length, MSG_NOSIGNAL), BIO_set_retry_write);
}

static long bio_control(BIO *bio UNUSED, int command, long number UNUSED, void *pointer UNUSED) {
  return command == BIO_CTRL_FLUSH;
}

/* The library's own BIO for sockets loses errno. Created once. */
static BIO_METHOD *socket_method(void) {
  static BIO_METHOD *method;
  if (method != NULL) return method;
  method = BIO_meth_new(BIO_TYPE_SOCKET, "socket");
  if (method == NULL) return NULL;
  BIO_meth_set_read(method, bio_read);
  BIO_meth_set_write(method, bio_write);
  BIO_meth_set_ctrl(method, bio_control);
  return method;
}

static bool is_weak_key(const struct limits *limits, X509 *one) {
  EVP_PKEY *key = X509_get0_pubkey(one);
  return key == NULL || (EVP_PKEY_id(key) == EVP_PKEY_RSA && EVP_PKEY_bits(key) < limits->bits);
}

static bool is_weak_digest(const struct limits *limits, X509 *one) {
  int digest = NID_undef, key;
  /* Ed25519 signs without a digest. */
  if (!OBJ_find_sigid_algs(X509_get_signature_nid(one), &digest, &key)) return true;
  for (const int *each = limits->refused; *each != NID_undef; each++)
    if (*each == digest) return true;
  return false;
}

/* The library has no security levels. The root's own signature proves nothing and is not judged. */
static int judge(int ok, X509_STORE_CTX *store) {
  SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
  struct connection *own = SSL_get_app_data(ssl);
  STACK_OF(X509) *chain = X509_STORE_CTX_get0_chain(store);
  if (ok && X509_STORE_CTX_get_error_depth(store) != 0) return ok;
  sk_X509_pop_free(own->chain, X509_free);
  own->chain = X509_STORE_CTX_get1_chain(store);
  if (!ok) return ok;
  for (size_t i = 0, last = sk_X509_num(chain) - 1; i <= last; i++) {
    X509 *one = sk_X509_value(chain, i);
    bool is_weak = is_weak_key(&own->limits, one);
    if (!is_weak && (i == last || !is_weak_digest(&own->limits, one))) continue;
    X509_STORE_CTX_set_error(store,
                             is_weak ? X509_V_ERR_EE_KEY_TOO_SMALL : X509_V_ERR_CA_MD_TOO_WEAK);
    return 0;
  }
  return 1;
}

static void free_context(struct context *own) {
  SSL_CTX_free(own->ssl);
  free(own);
}

static bool is_set_up(JSContext *c, SSL_CTX *ssl, JSValueConst *argv) {
  const char *ciphers = JS_ToCString(c, argv[1]), *groups = JS_ToCString(c, argv[2]);
  const char *signatures = JS_ToCString(c, argv[3]);
  bool ok = ciphers != NULL && groups != NULL && signatures != NULL &&
            SSL_CTX_set_min_proto_version(ssl, (uint16_t)int_of(c, argv[0])) &&
            SSL_CTX_set_strict_cipher_list(ssl, ciphers) && SSL_CTX_set1_groups_list(ssl, groups) &&
            SSL_CTX_set1_sigalgs_list(ssl, signatures);
  JS_FreeCString(c, ciphers);
  JS_FreeCString(c, groups);
  JS_FreeCString(c, signatures);
  SSL_CTX_set_mode(ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_cache_mode(ssl, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_max_cert_list(ssl, (size_t)int_of(c, argv[6]));
  return ok;
}

static bool is_limited(JSContext *c, struct limits *limits, JSValueConst bits,
                       JSValueConst digests) {
  limits->bits = int_of(c, bits);
  char **words = words_of(c, digests);
  bool ok = words != NULL;
  for (int i = 0; ok && words[i] != NULL; i++) {
    ok = i < DIGESTS - 1 && (limits->refused[i] = OBJ_sn2nid(words[i])) != NID_undef;
  }
  free_words(c, words);
  return ok;
}

CALL(sys_tlsContext) {
  CRYPTO_library_init();
  struct context *own = calloc(1, sizeof *own);
  if (own != NULL) own->ssl = SSL_CTX_new(TLS_client_method());
  errno = ENOMEM;
  if (own == NULL || own->ssl == NULL) {
    free(own);
    return result(c, -1);
  }
  if (is_set_up(c, own->ssl, argv) && is_limited(c, &own->limits, argv[4], argv[5]))
    return keep(c, contexts, own);
  free_context(own);
  ERR_clear_error();
  errno = EINVAL;
  return result(c, -1);
}

CALL(sys_tlsForget) {
  struct context *own = taken(c, contexts, argv[0]);
  if (own != NULL) free_context(own);
  return JS_UNDEFINED;
}

/* A reader of PEM. The key is never asked for a password. */
static BIO *pem(JSContext *c, JSValueConst value) {
  size_t length;
  uint8_t *bytes = JS_GetUint8Array(c, &length, value);
  return bytes == NULL || length > INT32_MAX ? NULL : BIO_new_mem_buf(bytes, (int)length);
}

static int no_password(char *into UNUSED, int room UNUSED, int is_writing UNUSED,
                       void *own UNUSED) {
  return -1;
}

static X509 *next_of(BIO *text) { return PEM_read_bio_X509(text, NULL, no_password, NULL); }

/* Adds each certificate of a text. The text must end after the last one, not in an unreadable one.
 */
CALL(sys_tlsTrust) {
  struct context *own = at(c, contexts, argv[0]);
  BIO *text = own == NULL ? NULL : pem(c, argv[1]);
  if (text == NULL) return JS_NewInt32(c, 0);
  int count = 0;
  X509_STORE *store = SSL_CTX_get_cert_store(own->ssl);
  ERR_clear_error();
  for (X509 *one; (one = next_of(text)) != NULL; X509_free(one))
    count += X509_STORE_add_cert(store, one);
  bool is_whole = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  BIO_free(text);
  ERR_clear_error();
  return JS_NewInt32(c, is_whole ? count : -1);
}

static bool is_chain_set(SSL_CTX *ssl, BIO *text) {
  X509 *one = text == NULL ? NULL : next_of(text);
  bool ok = one != NULL && SSL_CTX_use_certificate(ssl, one);
  X509_free(one);
  while (ok && (one = next_of(text)) != NULL) {
    ok = SSL_CTX_add1_chain_cert(ssl, one);
    X509_free(one);
  }
  return ok;
}

/* The client's certificate and key: 0, or 1: the certificate, 2: the key is unusable, 3: the key is
 * another's. */
CALL(sys_tlsIdentity) {
  struct context *own = at(c, contexts, argv[0]);
  if (own == NULL) return JS_NewInt32(c, 1);
  BIO *certificates = pem(c, argv[1]), *secret = pem(c, argv[2]);
  int problem = is_chain_set(own->ssl, certificates) ? 0 : 1;
  EVP_PKEY *key = secret == NULL ? NULL : PEM_read_bio_PrivateKey(secret, NULL, no_password, NULL);
  if (problem == 0 && key == NULL) problem = 2;
  /* The library drops a certificate whose key is another one, without an error. */
  if (problem == 0 &&
      !(SSL_CTX_use_PrivateKey(own->ssl, key) && SSL_CTX_check_private_key(own->ssl)))
    problem = 3;
  EVP_PKEY_free(key);
  BIO_free(certificates);
  BIO_free(secret);
  ERR_clear_error();
  return JS_NewInt32(c, problem);
}

static int address_of(const char *name, uint8_t *ip) {
  if (inet_pton(AF_INET, name, ip) == 1) return 4;
  return inet_pton(AF_INET6, name, ip) == 1 ? 16 : 0;
}

/* An empty name would switch the check off. */
static bool is_expected(SSL *ssl, const char *name) {
  X509_VERIFY_PARAM *wanted = SSL_get0_param(ssl);
  uint8_t ip[16];
  int length = address_of(name, ip);
  X509_VERIFY_PARAM_set_hostflags(wanted, NAME_FLAGS);
  if (length > 0) return X509_VERIFY_PARAM_set1_ip(wanted, ip, (size_t)length);
  return *name != 0 && X509_VERIFY_PARAM_set1_host(wanted, name, 0);
}

static void free_connection(struct connection *own) {
  SSL_free(own->ssl);
  sk_X509_pop_free(own->chain, X509_free);
  free(own);
}

/* Protocols of ALPN, each after its length, as the library takes them. */
static bool is_offered(JSContext *c, SSL *ssl, JSValueConst value) {
  size_t length;
  if (JS_IsUndefined(value)) return true;
  uint8_t *protocols = JS_GetUint8Array(c, &length, value);
  return protocols != NULL && SSL_set_alpn_protos(ssl, protocols, length) == 0;
}

static bool is_ready(JSContext *c, struct connection *own, JSValueConst *argv) {
  /* null becomes the name "null", which is not used. */
  char *name = bytes_of(c, argv[2]), *sent = bytes_of(c, argv[3]);
  BIO *bio = BIO_new(socket_method());
  bool ok = own->ssl != NULL && bio != NULL && name != NULL && sent != NULL &&
            (JS_IsNull(argv[2]) || is_expected(own->ssl, name)) &&
            (*sent == 0 || SSL_set_tlsext_host_name(own->ssl, sent)) &&
            is_offered(c, own->ssl, argv[5]);
  js_free(c, name);
  js_free(c, sent);
  if (!ok) {
    BIO_free(bio);
    return false;
  }
  BIO_set_data(bio, own);
  BIO_set_init(bio, 1);
  SSL_set_bio(own->ssl, bio, bio);
  SSL_set_app_data(own->ssl, own);
  SSL_set_verify(own->ssl, JS_ToBool(c, argv[4]) ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, judge);
  SSL_set_connect_state(own->ssl);
  return true;
}

CALL(sys_tlsOpen) {
  struct context *context = at(c, contexts, argv[0]);
  struct connection *own = context == NULL ? NULL : calloc(1, sizeof *own);
  errno = context == NULL ? EBADF : ENOMEM;
  if (own == NULL) return result(c, -1);
  own->fd = int_of(c, argv[1]);
  own->limits = context->limits;
  own->ssl = SSL_new(context->ssl);
  if (is_ready(c, own, argv)) return keep(c, connections, own);
  free_connection(own);
  ERR_clear_error();
  errno = EINVAL;
  return result(c, -1);
}

/* The outcome of a call of the library that did not succeed. */
static int64_t outcome(struct connection *own, int returned) {
  own->status = SSL_get_error(own->ssl, returned);
  if (own->status == SSL_ERROR_WANT_READ) return WANTS_READ;
  if (own->status == SSL_ERROR_WANT_WRITE) return WANTS_WRITE;
  if (own->status == SSL_ERROR_ZERO_RETURN) return 0;
  own->code = ERR_peek_error();
  ERR_clear_error();
  return FAILED;
}

/* A connection before a call: an error that an earlier one left would decide this one's outcome. */
static struct connection *fresh(JSContext *c, JSValueConst handle) {
  struct connection *own = at(c, connections, handle);
  ERR_clear_error();
  if (own != NULL) own->error = 0, own->code = 0, own->left = CALL_BYTES;
  return own;
}

CALL(sys_tlsHandshake) {
  struct connection *own = fresh(c, argv[0]);
  int returned = own == NULL ? -1 : SSL_do_handshake(own->ssl);
  return JS_NewInt64(c, returned == 1 ? 1 : own == NULL ? FAILED : outcome(own, returned));
}

/* Sends close_notify; 0 if that worked. The peer's is not waited for. */
CALL(sys_tlsShutdown) {
  struct connection *own = fresh(c, argv[0]);
  return JS_NewInt32(c, own != NULL && SSL_shutdown(own->ssl) >= 0 ? 0 : FAILED);
}

static JSValue transfer(JSContext *c, JSValueConst *argv, bool is_read) {
  struct connection *own = fresh(c, argv[0]);
  uint8_t *piece = own == NULL ? NULL : piece_of(c, argv[1], argv[2], argv[3]);
  if (piece == NULL) return JS_NewInt32(c, FAILED);
  int length = (int)double_of(c, argv[3]);
  int returned = is_read ? SSL_read(own->ssl, piece, length) : SSL_write(own->ssl, piece, length);
  return JS_NewInt64(c, returned > 0 ? returned : outcome(own, returned));
}

CALL(sys_tlsRead) { return transfer(c, argv, true); }
CALL(sys_tlsWrite) { return transfer(c, argv, false); }

CALL(sys_tlsClose) {
  struct connection *own = taken(c, connections, argv[0]);
  if (own != NULL) free_connection(own);
  return JS_UNDEFINED;
}

/* [status, library, reason, verdict on the chain, errno, text] */
CALL(sys_tlsFailure) {
  struct connection *own = at(c, connections, argv[0]);
  if (own == NULL) return JS_UNDEFINED;
  const char *reason = own->code == 0 ? NULL : ERR_reason_error_string(own->code);
  long verdict = SSL_get_verify_result(own->ssl);
  int32_t numbers[] = {own->status, ERR_GET_LIB(own->code), ERR_GET_REASON(own->code),
                       (int32_t)verdict, own->error};
  JSValue array = JS_NewArray(c);
  uint32_t count = sizeof numbers / sizeof *numbers;
  for (uint32_t i = 0; i < count; i++)
    JS_SetPropertyUint32(c, array, i, JS_NewInt32(c, numbers[i]));
  JS_SetPropertyUint32(c, array, count, JS_NewString(c, reason == NULL ? "" : reason));
  JS_SetPropertyUint32(c, array, count + 1,
                       JS_NewString(c, X509_verify_cert_error_string(verdict)));
  return array;
}

/* The protocol of ALPN that the peer has chosen, or nothing. */
CALL(sys_tlsProtocol) {
  struct connection *own = at(c, connections, argv[0]);
  const uint8_t *name = NULL;
  unsigned length = 0;
  if (own != NULL) SSL_get0_alpn_selected(own->ssl, &name, &length);
  return JS_NewStringLen(c, length == 0 ? "" : (const char *)name, length);
}

/* The peer's certificates in DER: the chain that was judged, or those that it sent. */
CALL(sys_tlsChain) {
  struct connection *own = at(c, connections, argv[0]);
  JSValue array = JS_NewArray(c);
  STACK_OF(X509) *chain = own == NULL ? NULL : own->chain;
  if (own != NULL && chain == NULL) chain = SSL_get_peer_full_cert_chain(own->ssl);
  for (size_t i = 0; i < sk_X509_num(chain); i++) {
    uint8_t *der = NULL;
    int length = i2d_X509(sk_X509_value(chain, i), &der);
    if (length > 0)
      JS_SetPropertyUint32(c, array, (uint32_t)i, JS_NewArrayBufferCopy(c, der, (size_t)length));
    OPENSSL_free(der);
  }
  return array;
}

/* Whether a certificate in DER is for this name or address. */
CALL(sys_tlsIsFor) {
  size_t length;
  const uint8_t *der = JS_GetUint8Array(c, &length, argv[0]);
  char *name = der == NULL ? NULL : bytes_of(c, argv[1]);
  if (name == NULL) return JS_FALSE;
  X509 *one = d2i_X509(NULL, &der, (long)length);
  uint8_t ip[16];
  int bytes = address_of(name, ip);
  bool is_for =
      one != NULL && (bytes > 0 ? X509_check_ip(one, ip, (size_t)bytes, 0)
                                : X509_check_host(one, name, strlen(name), NAME_FLAGS, NULL)) == 1;
  X509_free(one);
  js_free(c, name);
  ERR_clear_error();
  return JS_NewBool(c, is_for);
}

const JSCFunctionListEntry tls_calls[] = {
    ROW(tlsContext, 7),  ROW(tlsForget, 1),    ROW(tlsTrust, 2),   ROW(tlsIdentity, 3),
    ROW(tlsOpen, 6),     ROW(tlsHandshake, 1), ROW(tlsRead, 4),    ROW(tlsWrite, 4),
    ROW(tlsShutdown, 1), ROW(tlsClose, 1),     ROW(tlsFailure, 1), ROW(tlsChain, 1),
    ROW(tlsIsFor, 2),    ROW(tlsProtocol, 1),
};
const int tls_calls_count = sizeof tls_calls / sizeof *tls_calls;
