/** Frames of a server, for tests. */
import { FLAG, frame, TYPE } from '../../../src/net/http2/frames.ts';
import { encodeHeaders } from '../../../src/net/http2/hpack.ts';

export const NOTHING = Buffer.alloc(0);
export const SETTINGS = frame(TYPE.settings, 0, 0, NOTHING);
export const HEAD = frame(TYPE.headers, FLAG.endHeaders, 1, encodeHeaders([[':status', '200']]));
export const DATA = frame(TYPE.data, 0, 1, Buffer.from('data'));
export const TRAILERS = frame(TYPE.headers, FLAG.endHeaders | FLAG.endStream, 1, encodeHeaders([['grpc-status', '0']]));

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
