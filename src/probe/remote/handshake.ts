import { checkServerIdentity, type DetailedPeerCertificate, type PeerCertificate, type TLSSocket } from 'node:tls';
import type { Address } from '../../net/dial/address.ts';
import { networkReason } from '../../net/dial/network-error.ts';
import type { Tell } from '../../net/protocols/answer.ts';
import { dialTls } from '../../net/dial/secure.ts';
import type { TlsAsk } from '../../net/dial/tls-ask.ts';
import { unhealthy, type CheckResult } from '../ask/verdict.ts';
import { judgeValidity, type Validity } from './certificates.ts';

export interface HandshakeAsk {
  readonly at: Address;
  readonly verify: TlsAsk;
  /** Minimum time for which the certificates must remain valid. */
  readonly leftMs: number;
}

/** Performs a handshake and judges the server's certificates: validity, then chain and name unless `insecure`. */
export async function judgeServer(ask: HandshakeAsk, signal: AbortSignal, tell: Tell): Promise<CheckResult> {
  const { at, verify, leftMs } = ask;
  try {
    using connection = await shakenHands(ask, signal, tell);
    const { socket } = connection;
    const chain = chainOf(socket.getPeerCertificate(true));
    const why = whyDistrusted(socket, verify.serverName ?? at.host, verify.caFile);
    // The server must receive our part of the handshake; otherwise it logs an aborted handshake.
    await new Promise<void>((resolve) => void socket.once('close', resolve).end(resolve));
    // Checked before the chain, because the chain's error contains no date.
    const validity = judgeValidity(chain.map(validityOf), leftMs);
    if (!validity.healthy || verify.insecure) return validity;
    return why === undefined ? validity : unhealthy(why);
  } catch (error) {
    return unhealthy(networkReason(error, verify.caFile));
  }
}

async function shakenHands({ at, verify }: HandshakeAsk, signal: AbortSignal, tell: Tell) {
  const onConnect = () => tell('connected, but received no TLS: it may be frozen, or speak another protocol');
  // The caller verifies the certificate, because Node would abort the handshake without exposing it.
  const socket = await dialTls(at, { signal, tls: verify, more: { rejectUnauthorized: false }, onConnect });
  const stop = () => socket.destroy(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  socket.on('error', () => {}); // with TLS 1.3 the server may reject our missing client certificate only now
  return {
    socket,
    [Symbol.dispose]() {
      signal.removeEventListener('abort', stop);
      socket.destroy();
    },
  };
}

/** The certificates from the server's to the self-signed root, whose issuer Node says is itself. */
function chainOf(leaf: DetailedPeerCertificate): DetailedPeerCertificate[] {
  const chain = new Set<DetailedPeerCertificate>();
  let next: DetailedPeerCertificate | undefined = leaf;
  // Without a certificate, the first one has no property.
  while (next?.raw !== undefined && !chain.has(next)) {
    chain.add(next);
    next = next.issuerCertificate;
  }
  return [...chain];
}

function validityOf({ subject, valid_from: validFrom, valid_to: validTo }: PeerCertificate): Validity {
  return { subject: [subject.CN].flat().join(', '), validFrom, validTo };
}

function whyDistrusted(socket: TLSSocket, name: string, caFile: string | undefined): string | undefined {
  const wrongName = checkServerIdentity(name, socket.getPeerCertificate());
  if (wrongName !== undefined) return networkReason(wrongName, caFile);
  if (socket.authorized) return undefined;
  // At run time this is a code, although Node's types say Error.
  const code = String(socket.authorizationError);
  return networkReason(Object.assign(new Error(code), { code }), caFile);
}
