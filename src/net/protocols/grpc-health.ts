/**
 * grpc.health.v1.Health/Check, the only call of a gRPC health probe.
 *
 *   service name -> length-prefixed message -> POST over HTTP/2, without TLS (prior knowledge) or with it (ALPN h2)
 *     -> grpc-status 0 and a message { status } -> SERVING, or another status
 *
 * Both messages have one field, so they are encoded and decoded by hand. HTTP/2 is ../http2/. Throws the system's and TLS's errors.
 */
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { formatAddress, type Address } from '../dial/address.ts';
import { oneLine } from '../../core/one-line.ts';
import { dial } from '../dial/dial.ts';
import type { TlsAsk } from '../dial/tls-ask.ts';
import { Http2Error } from '../http2/error.ts';
import { varint } from '../http2/hpack.ts';
import { call, type UnaryAnswer } from '../http2/unary.ts';
import { bad, good, type Answer, type Tell } from './answer.ts';

interface GrpcHealthAsk {
  /** The name of the service; '' means the server as a whole. */
  readonly service: string;
  readonly tls?: TlsAsk | undefined;
  readonly signal: AbortSignal;
}

/** Its name in ALPN. */
const PROTOCOL = 'h2';
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
  const headers = [
    [':method', 'POST'],
    [':scheme', tls === undefined ? 'http' : 'https'],
    [':path', PATH],
    [':authority', formatAddress(at)],
    ['content-type', 'application/grpc'],
    ['user-agent', 'kolla-pod'],
    ['te', 'trailers'],
  ] as const;
  try {
    return meaningOf(await call(socket, { headers, body: request(service), maxBytes: MOST_BYTES }, signal), service);
  } catch (error) {
    if (error instanceof Http2Error && error.isOtherProtocol)
      throw new Error('the server does not speak HTTP/2, which gRPC needs', { cause: error });
    throw error;
  }
}

type Connecting = Pick<GrpcHealthAsk, 'tls' | 'signal'> & { readonly onConnect: () => void };

async function connected(at: Address, { tls, signal, onConnect }: Connecting): Promise<Socket> {
  if (tls === undefined) {
    const socket = await dial(at, signal);
    onConnect();
    return socket;
  }
  const { dialTls } = await import('../dial/secure.ts');
  let socket: TLSSocket;
  try {
    socket = await dialTls(at, { signal, tls, more: { ALPNProtocols: [PROTOCOL] }, onConnect });
  } catch (error) {
    if (error instanceof Error && /no application protocol/i.test(error.message)) throw otherProtocol(error);
    throw error;
  }
  if (socket.alpnProtocol === PROTOCOL) return socket;
  socket.destroy();
  throw otherProtocol();
}

function otherProtocol(cause?: Error): Error {
  return new Error('it speaks TLS, but not HTTP/2 over it, which gRPC needs', { cause });
}

/** Encoded as: uncompressed (0), the length, and field 1 as a string, which is omitted if it is empty. */
function request(service: string): Buffer {
  const name = Buffer.from(service);
  const message = name.length === 0 ? name : Buffer.concat([Buffer.from([0x0a, ...varint(name.length)]), name]);
  const frame = Buffer.alloc(FRAME_BYTES);
  frame.writeUInt32BE(message.length, 1);
  return Buffer.concat([frame, message]);
}

function meaningOf({ headers, body }: UnaryAnswer, service: string): Answer {
  const httpStatus = headers.get(':status');
  const code = headers.get('grpc-status');
  const which = service === '' ? 'the server' : `the service '${service}'`;
  if (code === undefined) return bad(`the server is not gRPC (HTTP status ${httpStatus})`);
  if (code === NOT_FOUND) return bad(`the server knows no service '${service}' (NOT_FOUND)`);
  if (code === UNIMPLEMENTED) return bad('the server has no health service (UNIMPLEMENTED): use tcp or http instead');
  if (code === UNAUTHENTICATED || code === PERMISSION_DENIED)
    return bad(`the server requires credentials (gRPC status ${code})`);
  if (code !== OK) return bad(`gRPC status ${code}${saidIn(headers)}`);
  const status = statusIn(body);
  if (status === SERVING) return good('SERVING');
  return bad(`${which} is ${STATUSES[status] ?? `in state ${status}`}`);
}

function saidIn(headers: UnaryAnswer['headers']): string {
  const message = headers.get('grpc-message');
  return message !== undefined && message !== '' ? `: ${oneLine(message)}` : '';
}

/** Field 1 as a number. If the field is omitted, it is 0. */
function statusIn(body: Buffer): number {
  const message = body.subarray(FRAME_BYTES);
  return message[0] === 0x08 ? (message[1] ?? 0) : 0;
}
