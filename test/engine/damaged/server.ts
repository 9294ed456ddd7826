/**
 * A server on one port for plain and encrypted HTTP, whose certificates, records and answers are damaged:
 *
 *   first byte -> plain: a damaged answer -> the client
 *              -> TLS: one of several servers (versions, keys, certificates) on a DamagedLine
 */
import type { Socket } from 'node:net';
import { createSecureContext, TLSSocket, type SecureContextOptions, type TLSSocketOptions } from 'node:tls';
import { X509Certificate } from 'node:crypto';
import { makeAuthority, type Authority } from '../../cluster/authority.ts';
import { ANSWERS } from '../../contract/http-answers.ts';
import { oneOf, randomFrom } from '../../support/random.ts';
import { listenTcp, type Listening } from '../../support/server.ts';
import { pemOf } from '../certificates.ts';
import { changed } from './changes.ts';
import { DamagedLine } from './line.ts';
import { CIPHER } from './sealed.ts';

const HANDSHAKE = 22;
const CERTIFICATES = 60;
const VERSIONS: readonly SecureContextOptions[] = [
  { maxVersion: 'TLSv1.2' },
  { minVersion: 'TLSv1.3', ciphers: CIPHER },
  { minVersion: 'TLSv1.3', ciphers: CIPHER, ecdhCurve: 'P-384' },
];

export interface DamagingServer extends Listening {
  /** Of its CA. */
  readonly certificate: string;
  /** The number of the next connection. */
  readonly next: () => number;
}

/**
 * @param first the number of the first connection: its damage follows from seed and number
 */
export async function damagingServer(seed: number, first: number): Promise<DamagingServer> {
  const authority = makeAuthority('damaged');
  const servers = serversOf(authority, randomFrom(seed));
  let next = first;
  const { port, [Symbol.asyncDispose]: close } = await listenTcp((raw) => {
    raw.on('error', () => {});
    const random = randomFrom(seed * 1_000_003 + next++);
    raw.once('readable', () => {
      const bytes = (raw.read() ?? Buffer.alloc(0)) as Buffer;
      raw.unshift(bytes);
      if (bytes[0] !== HANDSHAKE) return answer(raw, random);
      const line = new DamagedLine(raw, random);
      const socket = new TLSSocket(line, { isServer: true, ...oneOf(random, servers) });
      socket.on('keylog', (logged: Buffer) => line.logged(logged.toString()));
      answer(socket, random);
    });
  });
  return { port, next: () => next, certificate: authority.certificate, [Symbol.asyncDispose]: close };
}

/** Good certificates and damaged ones, some of which come as the CA's, with each version. */
function serversOf(authority: Authority, random: () => number): readonly TLSSocketOptions[] {
  const hosts = ['127.0.0.1', 'localhost'];
  const { certificate, key } = authority.issue({ commonName: 'a name', organizations: ['a', 'b'], hosts });
  const [own, root] = [new X509Certificate(certificate).raw, new X509Certificate(authority.certificate).raw];
  const damaged = (der: Buffer) => `${pemOf(changed(random, { type: 0, content: der }).content)}\n`;
  const chains = [certificate, certificate + authority.certificate];
  while (chains.length < CERTIFICATES)
    chains.push(random() < 0.5 ? damaged(own) : certificate + damaged(random() < 0.5 ? root : own));
  const servers: TLSSocketOptions[] = [];
  for (const [i, cert] of chains.entries())
    for (const version of VERSIONS)
      try {
        const secureContext = createSecureContext({ cert, key, ...version });
        servers.push({ secureContext, requestCert: i % 5 === 0, rejectUnauthorized: i % 10 === 0 });
        // As often as all damaged ones together.
        if (i < 2) servers.push(...Array<TLSSocketOptions>(10).fill(servers.at(-1)!));
      } catch {
        // OpenSSL itself cannot read it.
      }
  return servers;
}

function answer(socket: Socket, random: () => number): void {
  socket.on('error', () => {});
  socket.once('data', () => {
    const content = Buffer.from(ANSWERS[oneOf(random, Object.keys(ANSWERS))]!, 'latin1');
    socket.end(random() < 0.5 ? content : changed(random, { type: 0, content }).content);
  });
}
