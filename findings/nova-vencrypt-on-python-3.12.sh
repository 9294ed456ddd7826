#!/bin/sh
# Nova 33.0.2 (2026.1) and 34.0.0 (2026.2) on Python 3.12, which Kolla's images have: [vnc] auth_schemes = vencrypt.
# Guess: releases that declare Python 3.12 encrypt the way from nova-novncproxy to a guest's console with it.
# Seen: up to 33 the proxy takes part in the handshake until the server has accepted TLS, and then calls ssl.wrap_socket, which Python 3.12
# has no more: AttributeError, no console. The first Nova that works is 34. So QEMU's vnc_tls must not be required before 2026.2, unless the
# image has Python 3.11 or older.
# Output seen:
#   nova 33.0.2: the proxy chose subtype 260; AttributeError: module 'ssl' has no attribute 'wrap_socket'
#   nova 34.0.0: the proxy chose subtype 260; TLS by TLSv1.3
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=console 2> /dev/null
cat > main.py <<'PY'
import importlib.metadata
import socket
import ssl
import struct
import threading

from nova import conf, config  # noqa: F401
from nova.console.rfb import authvencrypt

CONF = conf.CONF
CONF([], project="nova", default_config_files=[])
CONF.set_override("vencrypt_client_key", "key.pem", group="vnc")
CONF.set_override("vencrypt_client_cert", "cert.pem", group="vnc")
CONF.set_override("vencrypt_ca_certs", "cert.pem", group="vnc")
here, there = socket.socketpair()
chosen = []


def serve():
    """A VNC server that offers VeNCrypt 0.2 with X.509 and no further login, as QEMU's vnc_tls does."""
    there.sendall(b"\x00\x02")
    there.recv(2)
    there.sendall(b"\x00\x01" + struct.pack("!I", 260))
    chosen.append(struct.unpack("!I", there.recv(4))[0])
    there.sendall(b"\x01")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("cert.pem", "key.pem")
    try:
        context.wrap_socket(there, server_side=True)
    except OSError:
        pass  # The proxy has hung up.


server = threading.Thread(target=serve)
server.start()
try:
    result = "TLS by " + authvencrypt.RFBAuthSchemeVeNCrypt().security_handshake(here).version()
except Exception as error:
    result = f"{type(error).__name__}: {error}"
    here.close()
server.join()
print(f"nova {importlib.metadata.version('nova')}: the proxy chose subtype {chosen[0]}; {result}")
PY
for version in 33.0.2 34.0.0; do
  python3.12 -m venv "venv-$version"
  "venv-$version/bin/pip" install --quiet --disable-pip-version-check "nova==$version"
  "venv-$version/bin/python" main.py 2> /dev/null
done > out
cat out
cat > want <<'WANT'
nova 33.0.2: the proxy chose subtype 260; AttributeError: module 'ssl' has no attribute 'wrap_socket'
nova 34.0.0: the proxy chose subtype 260; TLS by TLSv1.3
WANT
cmp out want
