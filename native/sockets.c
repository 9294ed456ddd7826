/* Sockets. An address is the bytes of a sockaddr, which TypeScript makes and reads. */
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
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

CALL(sys_peer) {
  size_t room;
  void *into = JS_GetUint8Array(c, &room, argv[1]);
  if (into == NULL) return JS_EXCEPTION;
  socklen_t length = (socklen_t)room;
  int status = getpeername(int_of(c, argv[0]), into, &length);
  return result(c, status < 0 ? status : (int64_t)length);
}

CALL(sys_outcome) {
  int error = 0;
  socklen_t length = sizeof error;
  int status = getsockopt(int_of(c, argv[0]), SOL_SOCKET, SO_ERROR, &error, &length);
  return status < 0 ? result(c, status) : JS_NewInt32(c, -error);
}

/* Each address of an interface that is up: its name and a sockaddr, one after the other. */
CALL(sys_interfaces) {
  struct ifaddrs *all;
  if (getifaddrs(&all) < 0) return result(c, -1);
  JSValue array = JS_NewArray(c);
  uint32_t count = 0;
  for (struct ifaddrs *one = all; one != NULL; one = one->ifa_next) {
    const uint8_t *at = (const uint8_t *)one->ifa_addr;
    int family = at == NULL ? AF_UNSPEC : one->ifa_addr->sa_family;
    if ((family != AF_INET && family != AF_INET6) || !(one->ifa_flags & IFF_RUNNING)) continue;
    size_t size = family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
    JS_SetPropertyUint32(c, array, count++, JS_NewString(c, one->ifa_name));
    JS_SetPropertyUint32(c, array, count++, JS_NewArrayBufferCopy(c, at, size));
  }
  freeifaddrs(all);
  return array;
}

const JSCFunctionListEntry socket_calls[] = {
    ROW(socket, 3), ROW(connect, 2), ROW(peer, 2), ROW(outcome, 1), ROW(interfaces, 0),
};
const int socket_calls_count = sizeof socket_calls / sizeof *socket_calls;
