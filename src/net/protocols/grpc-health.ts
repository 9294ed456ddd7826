/**
 * grpc.health.v1.Health/Check, the only call of a gRPC health probe.
 *
 *   service name -> length-prefixed message -> POST over HTTP/2, without TLS (prior knowledge) or with it (ALPN h2)
 *     -> grpc-status 0 and a message { status } -> SERVING, or another status
 *
 * Both messages have one field, so they are encoded and decoded by hand. Throws the system's and TLS's errors.
 */
import { connect, constants, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';
import type { Socket } from 'node:net';
import { formatAddress, type Address } from '../dial/address.ts';
import { oneLine } from '../../core/one-line.ts';
import { dial } from '../dial/dial.ts';
import { CLOSED } from '../dial/network-error.ts';
import type { TlsAsk } from '../dial/tls-ask.ts';
import { ResponseTooLargeError } from '../dial/too-large.ts';
import { bad, good, type Answer, type Tell } from './answer.ts';

interface GrpcHealthAsk {
  /** The name of the service; '' means the server as a whole. */
  readonly service: string;
  readonly tls?: TlsAsk | undefined;
  readonly signal: AbortSignal;
}

const PATH = '/grpc.health.v1.Health/Check';
const FRAME_BYTES = 5;
/** Maximum size; a response has about ten bytes. */
const MOST_BYTES = 65_536;
const SERVING = 1;
const STATUSES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];
/** https://grpc.io/docs/guides/status-codes/ */
const [OK, NOT_FOUND, PERMISSION_DENIED, UNIMPLEMENTED, UNAUTHENTICATED] = ['0', '5', '7', '12', '16'];

/** @throws the system's or TLS's error if there is no connection, and the signal's reason */
export async function grpcHealth(at: Address, ask: GrpcHealthAsk, tell: Tell): Promise<Answer> {
  const { service, tls, signal } = ask;
  const onConnect = () => tell('connected, but the call gets no response: it may be frozen, or not gRPC');
  const socket = await connected(at, { tls, signal, onConnect });
  const url = `${tls === undefined ? 'http' : 'https'}://${formatAddress(at)}`;
  const session = connect(url, { createConnection: () => socket });
  const stop = () => session.destroy(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return meaningOf(await call(session, service), service);
  } finally {
    signal.removeEventListener('abort', stop);
    session.destroy();
  }
}

type Connecting = Pick<GrpcHealthAsk, 'tls' | 'signal'> & { readonly onConnect: () => void };

async function connected(at: Address, { tls, signal, onConnect }: Connecting): Promise<Socket> {
  try {
    if (tls !== undefined) {
      const { dialTls } = await import('#secure');
      return await dialTls(at, { signal, tls, more: { ALPNProtocols: ['h2'] }, onConnect });
    }
    const socket = await dial(at, signal);
    onConnect();
    return socket;
  } catch (error) {
    throw error instanceof Error ? explained(error) : error;
  }
}

interface Reply {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

function call(session: ClientHttp2Session, service: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    session.once('error', (error) => reject(explained(error)));
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: PATH,
      'content-type': 'application/grpc',
      'user-agent': 'kolla-pod',
      te: 'trailers',
    });
    let headers: IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    // If the connection failed, the error only says that the stream was cancelled.
    stream.on('error', (error) => reject(explained(error.cause instanceof Error ? error.cause : error)));
    stream.on('response', (received) => (headers = { ...headers, ...received }));
    stream.on('trailers', (received) => (headers = { ...headers, ...received }));
    let length = 0;
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > MOST_BYTES) reject(new ResponseTooLargeError(MOST_BYTES));
    });
    stream.on('end', () => {
      if (headers[':status'] !== undefined) resolve({ headers, body: Buffer.concat(chunks) });
    });
    stream.on('close', () => reject(new Error(`${CLOSED}: it may not speak HTTP/2`)));
    stream.end(request(service));
  });
}

/** Replaces the Node-specific errors for a server that speaks another protocol. */
function explained(error: Error): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  if (/no application protocol/i.test(message)) {
    return new Error('it speaks TLS, but not HTTP/2 over it, which gRPC needs', { cause: error });
  }
  // The code of an AbortSignal's reason is a number.
  if (!String(code).startsWith('ERR_HTTP2_')) return error;
  return new Error('the server does not speak HTTP/2, which gRPC needs', { cause: error });
}

/** Encoded as: uncompressed (0), the length, and field 1 as a string, which is omitted if it is empty. */
function request(service: string): Buffer {
  const name = Buffer.from(service);
  const message = name.length === 0 ? name : Buffer.concat([Buffer.from([0x0a]), varint(name.length), name]);
  const frame = Buffer.alloc(FRAME_BYTES);
  frame.writeUInt32BE(message.length, 1);
  return Buffer.concat([frame, message]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (; value > 0x7f; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
  return Buffer.from([...bytes, value]);
}

function meaningOf({ headers, body }: Reply, service: string): Answer {
  const httpStatus = headers[':status'];
  const code = headers['grpc-status'];
  const which = service === '' ? 'the server' : `the service '${service}'`;
  if (code === undefined) return bad(`the server is not gRPC (HTTP status ${String(httpStatus)})`);
  if (code === NOT_FOUND) return bad(`the server knows no service '${service}' (NOT_FOUND)`);
  if (code === UNIMPLEMENTED) return bad('the server has no health service (UNIMPLEMENTED): use tcp or http instead');
  if (code === UNAUTHENTICATED || code === PERMISSION_DENIED)
    return bad(`the server requires credentials (gRPC status ${code})`);
  if (code !== OK) return bad(`gRPC status ${String(code)}${saidIn(headers)}`);
  const status = statusIn(body);
  if (status === SERVING) return good('SERVING');
  return bad(`${which} is ${STATUSES[status] ?? `in state ${status}`}`);
}

function saidIn(headers: IncomingHttpHeaders): string {
  const message = headers['grpc-message'];
  return typeof message === 'string' && message !== '' ? `: ${oneLine(message)}` : '';
}

/** Field 1 as a number. If the field is omitted, it is 0. */
function statusIn(body: Buffer): number {
  const message = body.subarray(FRAME_BYTES);
  return message[0] === 0x08 ? (message[1] ?? 0) : 0;
}
