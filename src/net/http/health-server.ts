import { createServer, type Socket } from 'node:net';
import { encodeHead, HttpParseError } from '../codec/head.ts';
import { RequestReader, type RequestHead } from '../codec/request.ts';
import type { ListenAddress } from '../address.ts';
import { bound, HEADERS_BYTES, REQUEST_MS, type BoundedServer } from './bounded-server.ts';
import { headersOf, NOT_FOUND, type Answer } from './respond.ts';

/** What one path answers. */
export interface Health {
  /** 200 or 503. */
  readonly isOk: boolean;
  /** The whole body, without a line break: a status word, never a detail. The port is open to whoever reaches the pod. */
  readonly word: string;
}

/** By path, `/livez`; asked at each request, so it must be cheap. */
export type HealthPaths = Readonly<Record<string, () => Health>>;

export type HealthServer = BoundedServer;

const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  400: 'Bad Request',
  404: 'Not Found',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
  503: 'Service Unavailable',
};

/**
 * Answers GET and HEAD on these paths, and everything else with 404, one request a connection.
 * @throws as bound() does
 */
export async function serveHealth(at: ListenAddress, paths: HealthPaths): Promise<HealthServer> {
  return await bound(
    createServer((socket) => serve(paths, socket)),
    at,
  );
}

function serve(paths: HealthPaths, socket: Socket): void {
  const reader = new RequestReader(HEADERS_BYTES);
  let isAnswered = false;
  const end = (answer: Answer, isHead = false) => {
    // What comes after is read and thrown away: a connection that is closed with bytes unread loses its answer.
    isAnswered = true;
    socket.end(bytesOf(answer, isHead));
  };
  const late = setTimeout(() => (isAnswered ? socket.destroy() : end(empty(408))), REQUEST_MS);
  socket.once('close', () => clearTimeout(late));
  // Who asked has gone.
  socket.on('error', () => socket.destroy());
  socket.on('data', (piece: Buffer) => {
    if (isAnswered) return;
    try {
      const request = reader.push(piece);
      if (request !== undefined) end(answerTo(paths, request), request.method === 'HEAD');
    } catch (error) {
      if (!(error instanceof HttpParseError)) throw error;
      end(empty(error.isTooLong ? 431 : 400));
    }
  });
}

function answerTo(paths: HealthPaths, { method, target }: RequestHead): Answer {
  const [path = ''] = target.split('?');
  const isKnown = (method === 'GET' || method === 'HEAD') && Object.hasOwn(paths, path);
  const health = isKnown ? paths[path]?.() : undefined;
  return health === undefined ? NOT_FOUND : healthAnswer(health);
}

function empty(status: number): Answer {
  return { status, body: '' };
}

function bytesOf(answer: Answer, isHead: boolean): Uint8Array {
  const headers = Object.entries(headersOf(answer)).map(([name, value]) => [name, `${value}`] as const);
  const head = encodeHead(`HTTP/1.1 ${answer.status} ${REASONS[answer.status] ?? ''}`, headers);
  return isHead ? head : Buffer.concat([head, Buffer.from(answer.body)]);
}

/** A status word as an answer. */
export function healthAnswer({ isOk, word }: Health): { readonly status: number; readonly body: string } {
  return { status: isOk ? 200 : 503, body: `${word}\n` };
}
