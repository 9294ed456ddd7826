/** What a service is, as grpc.health.v1 counts. */
export const SERVING_STATUS = { unknown: 0, serving: 1, notServing: 2, serviceUnknown: 3 } as const;
export type ServingStatus = (typeof SERVING_STATUS)[keyof typeof SERVING_STATUS];

/** Each message stands behind a byte that says whether it is compressed, and its length. */
const PREFIX_BYTES = 5;
/** How long a field is follows from these three bits. */
const KIND = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;
const SERVICE_FIELD = 1;

/**
 * The service that a HealthCheckRequest names: '' unless it does.
 * @param body one message with its prefix
 * @throws RangeError for anything else, a compressed one too
 */
export function serviceIn(body: Buffer): string {
  if (body.length < PREFIX_BYTES || body[0] !== 0) throw new RangeError('no plain message');
  const message = body.subarray(PREFIX_BYTES);
  if (message.length !== body.readUInt32BE(1)) throw new RangeError('not one whole message');
  let service = '';
  for (let at = 0; at < message.length;) {
    const tag = varintAt(message, at);
    const kind = tag.value & 7;
    const length = kind === KIND.bytes ? varintAt(message, tag.end) : undefined;
    const end = length === undefined ? endOf(kind, message, tag.end) : length.end + length.value;
    if (end > message.length) throw new RangeError('a field that does not end');
    if (tag.value >>> 3 === SERVICE_FIELD && length !== undefined) service = message.toString('utf8', length.end, end);
    at = end;
  }
  return service;
}

/** A HealthCheckResponse with its prefix. */
export function responseOf(status: ServingStatus): Buffer {
  return Buffer.from(status === 0 ? [0, 0, 0, 0, 0] : [0, 0, 0, 0, 2, 0x08, status]);
}

/** Where a field ends that is not ours: a later version may have it. */
function endOf(kind: number, message: Buffer, at: number): number {
  if (kind === KIND.varint) return varintAt(message, at).end;
  if (kind === KIND.fixed64) return at + 8;
  if (kind === KIND.fixed32) return at + 4;
  throw new RangeError('no kind of field');
}

function varintAt(message: Buffer, at: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let i = 0; i < 5; i++) {
    const byte = message[at + i];
    if (byte === undefined) break;
    value += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return { value, end: at + i + 1 };
  }
  throw new RangeError('a number that does not end');
}
