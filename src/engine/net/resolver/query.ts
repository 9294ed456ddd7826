/** Sends one query to one DNS server over UDP, and over TCP if the response was truncated. */
import type { DecodedPacket } from 'dns-packet';
import { Buffer } from '../../buffer.ts';
import { POLLIN, POLLOUT } from '../../loop.ts';
import { randomBytes } from '../../random.ts';
import type { AbortSignal } from '../../abort.ts';
import { systemError } from '../../errors.ts';
import { begin, EAGAIN, openTcp, openUdp, outcomeOf, Waited } from '../socket.ts';

export type RecordType = 'A' | 'AAAA';

export interface Answer {
  /** The response code: `NOERROR`, `NXDOMAIN`, `SERVFAIL`, ... */
  readonly code: string;
  readonly addresses: readonly string[];
}

/** Loaded on first use, because most runs resolve no names. */
const packets = () => require('dns-packet') as typeof import('dns-packet');

const PORT = 53;
const PACKET_MAX_BYTES = 65_535;

/**
 * @throws the system's error if the server is unreachable; the signal's reason
 */
export async function query(server: string, name: string, type: RecordType, signal: AbortSignal): Promise<Answer> {
  const [high, low] = randomBytes(2);
  const id = (high! << 8) | low!;
  const { encode, RECURSION_DESIRED } = packets();
  const question = encode({ type: 'query', id, flags: RECURSION_DESIRED, questions: [{ type, name }] });
  const isIts = (packet: DecodedPacket) => isAnswer(packet, id, name, type);
  const bytes = new Uint8Array(question);
  const short = await byUdp(server, bytes, isIts, signal);
  return answerOf(short.flag_tc ? await byTcp(server, bytes, isIts, signal) : short, name, type);
}

/** Whether a packet answers our query: an off-path attacker can only guess its id and port. */
function isAnswer(packet: DecodedPacket, id: number, name: string, type: RecordType): boolean {
  const [asked] = packet.questions ?? [];
  const isSame = asked?.type === type && asked.name.toLowerCase() === name.toLowerCase();
  return packet.type === 'response' && packet.id === id && isSame;
}

/** Follows CNAMEs; records for other names are ignored. */
function answerOf(packet: DecodedPacket, name: string, type: RecordType): Answer {
  const answers = packet.answers ?? [];
  const names = new Set([name.toLowerCase()]);
  for (let size = 0; size !== names.size;) {
    size = names.size;
    for (const one of answers)
      if (one.type === 'CNAME' && names.has(one.name.toLowerCase())) names.add(one.data.toLowerCase());
  }
  const own = answers.filter((one) => one.type === type && names.has(one.name.toLowerCase()));
  const code = (packet as unknown as { readonly rcode: string }).rcode;
  return { code, addresses: own.map((one) => (one as { readonly data: string }).data) };
}

type IsIts = (packet: DecodedPacket) => boolean;

async function byUdp(server: string, question: Uint8Array, isIts: IsIts, signal: AbortSignal): Promise<DecodedPacket> {
  using socket = new Waited(openUdp(server), signal);
  begin(socket.fd, { address: server, port: PORT });
  send(socket, question);
  for (;;) {
    const packet = read(await receive(socket));
    if (packet !== undefined && isIts(packet)) return packet;
  }
}

/** Over TCP, each packet is prefixed by its length in two bytes. */
async function byTcp(server: string, question: Uint8Array, isIts: IsIts, signal: AbortSignal): Promise<DecodedPacket> {
  const to = { address: server, port: PORT };
  using socket = new Waited(openTcp(server), signal);
  if (!begin(socket.fd, to)) await socket.ready(POLLOUT);
  const error = outcomeOf(socket.fd, to);
  if (error !== undefined) throw error;
  // Shorter than the buffer of an empty socket.
  send(socket, Uint8Array.of(question.length >> 8, question.length & 0xff, ...question));
  for (let held = Buffer.alloc(0); ;) {
    const more = await receive(socket);
    if (more.length === 0)
      throw Object.assign(new Error('the DNS server closed the connection'), { code: 'ECONNRESET' });
    held = Buffer.concat([held, more]);
    const end = held.length < 2 ? Infinity : 2 + held.readUInt16BE(0);
    if (held.length < end) continue;
    const packet = read(held.subarray(2, end));
    if (packet !== undefined && isIts(packet)) return packet;
    held = held.subarray(end);
  }
}

function send({ fd }: Waited, bytes: Uint8Array): void {
  const sent = sys.write(fd, bytes, 0, bytes.length, -1);
  if (sent < 0) throw systemError(sent, 'send');
}

async function receive(socket: Waited): Promise<Buffer> {
  const bytes = Buffer.alloc(PACKET_MAX_BYTES);
  for (;;) {
    await socket.ready(POLLIN);
    const length = sys.read(socket.fd, bytes, 0, bytes.length, -1);
    if (length >= 0) return bytes.subarray(0, length);
    if (length !== EAGAIN) throw systemError(length, 'recv');
  }
}

/** Undefined if the packet is malformed and therefore not a response. */
function read(bytes: Buffer): DecodedPacket | undefined {
  try {
    return packets().decode(bytes as never);
  } catch {
    return undefined;
  }
}
