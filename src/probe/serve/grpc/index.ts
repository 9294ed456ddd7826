/**
 * grpc.health.v1.Health for the kubelet's grpc probe and for clients that watch: Check and Watch, over HTTP/2 without TLS.
 *
 *   POST /grpc.health.v1.Health/Check, HealthCheckRequest { service } -> what is known of it -> { status }, trailers
 *   POST /grpc.health.v1.Health/Watch -> { status } now and after each change, until the client goes
 *
 * Services: '' and liveness, startup, readiness, and the name of each check. A status says nothing of the reason, so everybody
 * may ask. What can fail: the port is taken; a request that is no gRPC is 415, another method 12, another service 5.
 */
import { constants, createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { ListenAddress } from '../../../net/address.ts';
import { bound, type BoundedServer } from '../../../net/http/bounded-server.ts';
import { responseOf, SERVING_STATUS, serviceIn, type ServingStatus } from './message.ts';

export interface GrpcHealth {
  /** Undefined: there is no such service. */
  readonly isServing: (service: string) => boolean | undefined;
  /** Calls the listener whenever an answer may be another; disposed of, no more. */
  readonly onChange: (listener: () => void) => Disposable;
}

const SERVICE_PATH = '/grpc.health.v1.Health/';
/** A service's name and no more. */
const REQUEST_BYTES = 1024;
const STREAMS = 16;
const SESSION_MB = 1;
/** https://grpc.io/docs/guides/status-codes/ */
const [OK, INVALID_ARGUMENT, NOT_FOUND, UNIMPLEMENTED] = ['0', '3', '5', '12'];

/**
 * Answers until it is disposed of.
 * @throws as bound() does
 */
export async function serveGrpcHealth(at: ListenAddress, health: GrpcHealth): Promise<BoundedServer> {
  const settings = { maxConcurrentStreams: STREAMS, enablePush: false };
  const server = createServer({ settings, maxSessionMemory: SESSION_MB });
  // A client may go at any moment, which is nothing to us.
  server.on('session', (session) => session.on('error', () => {}));
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    answer(stream, headers, health);
  });
  return await bound(server, at);
}

function answer(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, health: GrpcHealth): void {
  if (headers[':method'] !== 'POST' || headers['content-type']?.startsWith('application/grpc') !== true) {
    stream.respond({ ':status': 415 }, { endStream: true });
    return;
  }
  const path = headers[':path'] ?? '';
  const method = path.startsWith(SERVICE_PATH) ? path.slice(SERVICE_PATH.length) : '';
  if (method !== 'Check' && method !== 'Watch') return refuse(stream, UNIMPLEMENTED, 'there is Check and Watch');
  read(stream, (body) => {
    let service: string;
    try {
      service = serviceIn(body);
    } catch {
      return refuse(stream, INVALID_ARGUMENT, 'not a HealthCheckRequest');
    }
    if (method === 'Check') check(stream, service, health);
    else watch(stream, service, health);
  });
}

/** Calls back once, with the whole body; never for one that is too long or breaks off. */
function read(stream: ServerHttp2Stream, then: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  stream.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > REQUEST_BYTES) stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    else chunks.push(chunk);
  });
  stream.once('end', () => {
    if (!stream.destroyed && length <= REQUEST_BYTES) then(Buffer.concat(chunks));
  });
}

function check(stream: ServerHttp2Stream, service: string, health: GrpcHealth): void {
  const isServing = health.isServing(service);
  if (isServing === undefined) return refuse(stream, NOT_FOUND, 'unknown service');
  begin(stream);
  stream.end(responseOf(statusOf(isServing)));
}

function watch(stream: ServerHttp2Stream, service: string, health: GrpcHealth): void {
  begin(stream);
  let sent: ServingStatus | undefined;
  const tell = () => {
    const status = statusOf(health.isServing(service));
    if (status === sent || stream.destroyed) return;
    sent = status;
    stream.write(responseOf(status));
  };
  const watching = health.onChange(tell);
  stream.once('close', () => watching[Symbol.dispose]());
  tell();
}

function statusOf(isServing: boolean | undefined): ServingStatus {
  if (isServing === undefined) return SERVING_STATUS.serviceUnknown;
  return isServing ? SERVING_STATUS.serving : SERVING_STATUS.notServing;
}

function begin(stream: ServerHttp2Stream): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': OK }));
}

function refuse(stream: ServerHttp2Stream, code: string | undefined, message: string): void {
  const headers = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': code, 'grpc-message': message };
  stream.respond(headers, { endStream: true });
  stream.resume();
}
