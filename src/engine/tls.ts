/**
 * The part of `node:tls` that kolla-core uses: outgoing connections.
 *
 *   an open connection -> tls/socket (handshake, then bytes both ways) -> tls/trust: whom it trusts, as whom it logs in
 *   the library's failure -> tls/failure: Node's error of the same name
 *   the peer's certificates -> x509/peer.ts
 *
 * What differs from Node: no CBC, no DHE and no RSA key exchange (docs/reference/tls.md), and the CAs are the image's.
 */
import type { PeerCertificate } from './x509/peer.ts';
import { TLSSocket, type ConnectionOptions } from './tls/socket.ts';
import { nameError } from './tls/failure.ts';
import { contextFor, type Identity } from './tls/trust.ts';

export { TLSSocket, type ConnectionOptions } from './tls/socket.ts';
export type { PeerCertificate, PeerCertificate as DetailedPeerCertificate } from './x509/peer.ts';

/** Starts a handshake on an open connection, whose place the result takes. */
export function connect(options: ConnectionOptions): TLSSocket {
  return new TLSSocket(options);
}

/** Checks certificates and a key. @throws ConfigError with the problem, without their content */
export function createSecureContext(identity: Identity): void {
  // It is kept for the connections with the same ones.
  contextFor(identity, false);
}

/** The error for a certificate that is not for this name or address; otherwise undefined. */
export function checkServerIdentity(name: string, certificate: PeerCertificate): Error | undefined {
  return sys.tlsIsFor(certificate.raw, name) ? undefined : nameError(name, certificate);
}
