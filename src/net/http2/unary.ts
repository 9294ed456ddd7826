/**
 * One request over HTTP/2 and its whole response, on a connection of its own (RFC 9113): the least that a unary call of
 * gRPC needs.
 *
 *   preface, settings, the request's headers and body, all at once -> the server, which may read them before it speaks
 *   the server's frames -> frames.ts -> response.ts: settings and pings are acknowledged; headers -> hpack.ts; data -> the body
 *
 * What a server may send is bounded: the bytes of its headers and of its body, and the number of frames of any kind, each
 * of which can cost an answer of ours. Time is bounded by the signal.
 */
import type { Socket } from 'node:net';
import { FLAG, frame, PAYLOAD_MAX_BYTES, STREAM, TYPE } from './frames.ts';
import { encodeHeaders, type Header } from './hpack.ts';
import { ResponseReader, type UnaryAnswer } from './response.ts';

export type { UnaryAnswer } from './response.ts';

export interface UnaryRequest {
  /** With the pseudo-headers, which come first. Names are in lower case. */
  readonly headers: readonly Header[];
  /** At most 16 KiB: one frame, which fits into the window of any server. */
  readonly body: Uint8Array;
  /** Limit of the response's body, and of its headers. */
  readonly maxBytes: number;
}

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const SETTING = { enablePush: 2, initialWindow: 4, headerListBytes: 6 } as const;
/** The connection's window before it is enlarged. */
const WINDOW_BYTES = 65_535;
/**
 * @param socket open, whose data nothing else reads; it is closed afterwards
 * @throws Http2Error; TlsAlertError; ResponseTooLargeError; the connection's error; an Error if it ends too early; the signal's reason
 */
export function call(socket: Socket, request: UnaryRequest, signal: AbortSignal): Promise<UnaryAnswer> {
  return new Promise((resolve, reject) => {
    const abort = () => socket.destroy(signal.reason as Error);
    const response = new ResponseReader(request.maxBytes, (bytes) => void socket.write(bytes));
    const settle = (error?: unknown) => {
      if (error === undefined) resolve(response.answer);
      else reject(error);
      if (!socket.destroyed) socket.write(frame(TYPE.goAway, 0, 0, Buffer.alloc(8)));
      socket.destroy();
    };
    socket.on('data', (piece: Buffer) => {
      try {
        response.push(piece);
      } catch (error) {
        return settle(error);
      }
      if (response.isDone) settle();
    });
    socket.once('end', () => reject(new Error(response.closed)));
    socket.on('error', reject);
    socket.once('close', () => {
      signal.removeEventListener('abort', abort);
      reject(new Error(response.closed));
    });
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) {
      abort();
      return;
    }
    try {
      socket.write(encoded(request));
    } catch (error) {
      settle(error);
    }
  });
}

function encoded({ headers, body, maxBytes }: UnaryRequest): Buffer {
  const block = encodeHeaders(headers);
  if (Math.max(block.length, body.length) > PAYLOAD_MAX_BYTES)
    throw new RangeError(`a request of more than ${PAYLOAD_MAX_BYTES} bytes`);
  // Large enough that no update follows: a body of more than the limit is refused.
  const window = 2 * maxBytes;
  return Buffer.concat([
    Buffer.from(PREFACE),
    frame(
      TYPE.settings,
      0,
      0,
      Buffer.concat([
        setting(SETTING.enablePush, 0),
        setting(SETTING.initialWindow, window),
        setting(SETTING.headerListBytes, maxBytes),
      ]),
    ),
    frame(TYPE.windowUpdate, 0, 0, uint32(window - WINDOW_BYTES)),
    frame(TYPE.headers, FLAG.endHeaders, STREAM, block),
    frame(TYPE.data, FLAG.endStream, STREAM, body),
  ]);
}

function setting(name: number, value: number): Buffer {
  return Buffer.concat([Buffer.from([0, name]), uint32(value)]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
