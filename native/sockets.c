/* Sockets. An address is the bytes of a sockaddr, which TypeScript makes and reads. */
#include <sys/socket.h>

#include "host.h"

CALL(sys_socket) {
  int type = int_of(c, argv[1]) | SOCK_NONBLOCK | SOCK_CLOEXEC;
  return result(c, socket(int_of(c, argv[0]), type, int_of(c, argv[2])));
}

CALL(sys_connect) {
  size_t length;
  const void *address = JS_GetUint8Array(c, &length, argv[1]);
  if (address == NULL) return JS_EXCEPTION;
  return result(c, connect(int_of(c, argv[0]), address, (socklen_t)length));
}

/* The peer's address into a Uint8Array; gives its length. */
CALL(sys_peer) {
  size_t room;
  void *into = JS_GetUint8Array(c, &room, argv[1]);
  if (into == NULL) return JS_EXCEPTION;
  socklen_t length = (socklen_t)room;
  int status = getpeername(int_of(c, argv[0]), into, &length);
  return result(c, status < 0 ? status : (int64_t)length);
}

/* What has become of a connect: 0, or minus errno. */
CALL(sys_outcome) {
  int error = 0;
  socklen_t length = sizeof error;
  int status = getsockopt(int_of(c, argv[0]), SOL_SOCKET, SO_ERROR, &error, &length);
  return status < 0 ? result(c, status) : JS_NewInt32(c, -error);
}

const JSCFunctionListEntry socket_calls[] = {
    ROW(socket, 3),
    ROW(connect, 2),
    ROW(peer, 2),
    ROW(outcome, 1),
};
const int socket_calls_count = sizeof socket_calls / sizeof *socket_calls;
