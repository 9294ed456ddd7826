/** Changes of bytes, and messages that come unasked, for records of TLS. */
import { oneOf } from '../../support/random.ts';
import type { Piece } from './records.ts';

type Random = () => number;

const EDGES = [0, 1, 2, 3, 0x7f, 0x80, 0xff, 0x100, 0x3fff, 0x4000, 0x4001, 0xffff];
/** Some of them only in an order or amount that no server has. */
const UNASKED: readonly (readonly [type: number, hex: string, times?: number])[] = [
  [22, '1800000100'], // KeyUpdate, not to be answered
  [22, '1800000101'], // KeyUpdate, to be answered
  [22, '1800000101', 64],
  [22, '1800000102'],
  [22, '00000000'], // HelloRequest
  [22, '00000000', 8],
  [22, '0400000d000000010000000001000100000000'], // NewSessionTicket
  [22, '0400000d000000010000000001000100000000', 40],
  [22, '0d00000b0008000d000400020403'], // CertificateRequest
  [22, '0e000000'], // ServerHelloDone
  [22, '16000006010000020000'], // CertificateStatus
  [22, `14000020${'00'.repeat(32)}`], // Finished
  [22, ''],
  [22, '0b'],
  [22, '0bffffff'],
  [20, '01'],
  [20, '01', 40],
  [20, '02'],
  [21, '0100'], // close_notify
  [21, '0101', 12],
  [21, '0174'], // certificate_required, as a warning
  [21, '0228'], // handshake_failure
  [21, '02ff'],
  [21, '02'],
  [21, ''],
  [23, ''],
  [23, '', 64],
  [23, '00'],
  [24, '01400061'], // heartbeat
  [99, '00'],
];

export function unasked(random: Random): readonly Piece[] {
  const [type, hex, times = 1] = oneOf(random, UNASKED);
  return Array.from({ length: times }, () => ({ type, content: Buffer.from(hex, 'hex') }));
}

/** A few changes. A handshake message keeps a true length half of the time, so that what is in it is read. */
export function changed(random: Random, { type, content }: Piece): Piece {
  let bytes = content;
  for (let left = 1 + Math.floor(random() * 3); left > 0; left--) bytes = changedOnce(random, bytes);
  bytes = bytes.subarray(0, 60_000);
  if (type === 22 && bytes.length >= 4 && bytes.length !== content.length && random() < 0.5) {
    const own = content.readUIntBE(1, Math.min(3, Math.max(1, content.length - 1)));
    const isOne = own + 4 === content.length;
    bytes = Buffer.from(bytes);
    // Of several messages in a record, the first.
    bytes.writeUIntBE(isOne ? bytes.length - 4 : Math.max(0, own + bytes.length - content.length), 1, 3);
  }
  return { type: random() < 0.03 ? oneOf(random, [20, 21, 22, 23, 24, 0, 255]) : type, content: bytes };
}

function changedOnce(random: Random, bytes: Buffer): Buffer {
  const below = (limit: number) => Math.floor(random() * limit);
  const at = random() < 0.5 ? below(bytes.length + 1) : below(Math.min(bytes.length + 1, 80));
  const to = Math.min(bytes.length, at + below(40));
  const copy = Buffer.from(bytes);
  switch (below(8)) {
    case 0:
    case 1:
      if (at < copy.length) copy[at] = copy[at]! ^ (1 << below(8));
      return copy;
    case 2:
      if (at < copy.length) copy[at] = oneOf(random, [0, 1, 0x7f, 0x80, 0xff, below(256)]);
      return copy;
    case 3:
      if (at + 2 <= copy.length) copy.writeUInt16BE(oneOf(random, EDGES), at);
      return copy;
    case 4:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)]);
    case 5: {
      const more = Buffer.from(Array.from({ length: 1 + below(20) }, () => below(256)));
      return Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]);
    }
    case 6: {
      const times = random() < 0.1 ? below(2000) : below(4);
      const part = bytes.subarray(at, to);
      return Buffer.concat([bytes.subarray(0, at), ...Array<Buffer>(times).fill(part), bytes.subarray(at)]);
    }
    default:
      return bytes.subarray(0, at);
  }
}

/**
 * One record as several.
 * @param most bytes of each
 * @param count of them, at most; then the rest
 */
export function split({ type, content }: Piece, most: number, count = Infinity): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (; at < content.length && pieces.length < count; at += most)
    pieces.push({ type, content: content.subarray(at, at + most) });
  if (at < content.length) pieces.push({ type, content: content.subarray(at) });
  return pieces;
}
