/**
 * A malicious server that speaks MySQL's protocol and requests the plain password, which no real server does. It
 * records the replies.
 */
import { constants, generateKeyPairSync, privateDecrypt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Credentials } from '../cluster/authority.ts';

export interface Asking {
  /** The plugin that its greeting names. */
  readonly greets: string;
  /** The plugin to which it switches afterwards. */
  readonly switchesTo?: string;
  /** Set if it has the account in its cache, so that the scramble is sufficient. */
  readonly isCached?: true;
  readonly tls?: Credentials;
  /** A Unix socket to listen on, instead of a port. */
  readonly socket?: string;
}

export interface AskingServer extends AsyncDisposable {
  readonly port: number;
  /** Everything that the client sent before it disconnected, with TLS and RSA decrypted. */
  readonly heard: () => string;
}

const NONCE = Buffer.from('abcdefghijklmnopqrst');
/** LONG_PASSWORD, CONNECT_WITH_DB, PROTOCOL_41, SECURE_CONNECTION, PLUGIN_AUTH, PLUGIN_AUTH_LENENC_CLIENT_DATA. */
const CAPABILITIES = 0x1 | 0x8 | 0x200 | 0x8000 | 0x8_0000 | 0x20_0000;
const SSL = 0x800;
const OK = Buffer.from([0, 0, 0, 2, 0, 0, 0]);
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PEM = publicKey.export({ type: 'spki', format: 'pem' });

export async function askingServer(asking: Asking): Promise<AskingServer> {
  const sockets = new Set<Socket>();
  let heard = '';
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}); // the client disconnects
    void serve(socket, asking, (packet) => (heard += `${packet.toString('latin1')}\n${decrypted(packet)}\n`));
  });
  server.listen(asking.socket ?? { port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  return {
    port: asking.socket === undefined ? (server.address() as AddressInfo).port : 0,
    heard: () => heard,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function serve(socket: Socket, asking: Asking, hear: (packet: Buffer) => void): Promise<void> {
  const { greets, switchesTo, isCached, tls } = asking;
  let stream = socket;
  let sequence = 0;
  const say = (payload: Buffer) => {
    const head = Buffer.from([payload.length & 0xff, payload.length >> 8, 0, sequence++]);
    stream.write(Buffer.concat([head, payload]));
  };
  /** Undefined if the client has disconnected. */
  const answer = async (): Promise<Buffer | undefined> => {
    const packet = await packetOf(stream);
    if (packet === undefined) return undefined;
    sequence = (packet[3] ?? 0) + 1;
    hear(packet.subarray(4));
    return packet.subarray(4);
  };
  say(greeting(greets, tls === undefined ? CAPABILITIES : CAPABILITIES | SSL));
  if (tls !== undefined) {
    // The client's request for TLS.
    await packetOf(socket);
    sequence = 2;
    const secure = new TLSSocket(socket, { isServer: true, cert: tls.certificate, key: tls.key });
    secure.on('error', () => {});
    stream = secure;
  }
  if ((await answer()) === undefined) return;
  if (switchesTo !== undefined) {
    say(Buffer.concat([Buffer.from(`\xfe${switchesTo}\0`, 'latin1'), NONCE, Buffer.from([0])]));
    const first = await answer();
    if (first === undefined) return;
    if (first.length === 1 && first[0] === 1) await giveKey();
  }
  const plugin = switchesTo ?? greets;
  if (plugin === 'caching_sha2_password') {
    say(Buffer.from([1, isCached ? 3 : 4]));
    if (!isCached) {
      const full = await answer();
      if (full === undefined) return;
      if (full.length === 1 && full[0] === 2) await giveKey();
    }
  }
  say(OK);
  // The client's session settings, or its goodbye.
  for (let said = await answer(); said !== undefined; said = await answer()) {
    sequence = 1;
    if (said.length === 1) stream.end();
    else say(OK);
  }

  async function giveKey(): Promise<void> {
    say(Buffer.concat([Buffer.from([1]), Buffer.from(PEM)]));
    await answer();
  }
}

function greeting(plugin: string, capabilities: number): Buffer {
  const low = Buffer.alloc(2);
  low.writeUInt16LE(capabilities & 0xff_ff);
  const high = Buffer.alloc(2);
  high.writeUInt16LE(capabilities >>> 16);
  return Buffer.concat([
    Buffer.from('\x0a8.4.0\0\x01\0\0\0', 'latin1'),
    NONCE.subarray(0, 8),
    Buffer.from([0]),
    low,
    Buffer.from([45, 2, 0]),
    high,
    Buffer.from([NONCE.length + 1]),
    Buffer.alloc(10),
    NONCE.subarray(8),
    Buffer.from(`\0${plugin}\0`),
  ]);
}

/** A packet with its header; undefined if the client has disconnected. */
async function packetOf(stream: Socket): Promise<Buffer | undefined> {
  const head = await bytesOf(stream, 4);
  const payload = head && (await bytesOf(stream, head.readUIntLE(0, 3)));
  return payload && Buffer.concat([head, payload]);
}

/** Reads exactly this number of bytes, because the bytes that follow may be TLS. */
async function bytesOf(stream: Socket, length: number): Promise<Buffer | undefined> {
  while (!stream.destroyed && !stream.readableEnded) {
    const bytes = stream.read(length) as Buffer | null;
    if (bytes !== null) return bytes.length === length ? bytes : undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    const events = ['readable', 'end', 'close'] as const;
    for (const event of events) stream.once(event, resolve);
    await promise;
    for (const event of events) stream.off(event, resolve);
  }
  return undefined;
}

/** The content of a packet that is encrypted with our key; '' for any other packet. */
function decrypted(packet: Buffer): string {
  try {
    const padding = constants.RSA_PKCS1_OAEP_PADDING;
    const masked = privateDecrypt({ key: privateKey, padding, oaepHash: 'sha1' }, packet);
    return Buffer.from(masked.map((byte, i) => byte ^ (NONCE[i % NONCE.length] ?? 0))).toString('latin1');
  } catch {
    return '';
  }
}
