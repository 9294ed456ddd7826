/** Sends one query to one DNS server over UDP, and over TCP if the response was truncated. */
import type { DecodedPacket } from 'dns-packet';
import { createSocket } from 'node:dgram';
import { connect, isIP, isIPv6 } from 'node:net';

export type RecordType = 'A' | 'AAAA';

export interface Answer {
  /** The response code: `NOERROR`, `NXDOMAIN`, `SERVFAIL`, ... */
  readonly code: string;
  readonly addresses: readonly string[];
}

export interface Query {
  readonly server: string;
  readonly name: string;
  readonly type: RecordType;
  /** The options of resolv.conf that concern a single query: `edns0`, `use-vc`. */
  readonly flags: ReadonlySet<string>;
}

const PORT = 53;
/** Maximum size of a UDP response with EDNS, which no path fragments (RFC 9715). */
const UDP_BYTES = 1232;
/** Codes of servers that do not know EDNS (RFC 6891, 7). */
const NO_EDNS = new Set(['FORMERR', 'NOTIMP']);

/**
 * @throws the system's error if the server is unreachable; the signal's reason
 */
export async function query(asked: Query, signal: AbortSignal): Promise<Answer> {
  const answer = await ask(asked, signal);
  if (!asked.flags.has('edns0') || !NO_EDNS.has(answer.code)) return answer;
  return await ask({ ...asked, flags: new Set([...asked.flags].filter((flag) => flag !== 'edns0')) }, signal);
}

async function ask({ server, name, type, flags }: Query, signal: AbortSignal): Promise<Answer> {
  // Loaded on first use, because most runs resolve no names.
  const { decode, encode, RECURSION_DESIRED } = await import('dns-packet');
  const [high, low] = crypto.getRandomValues(new Uint8Array(2));
  const id = (high! << 8) | low!;
  const edns = { type: 'OPT', name: '.', udpPayloadSize: UDP_BYTES, flags: 0, options: [] } as const;
  const question = encode({
    type: 'query',
    id,
    flags: RECURSION_DESIRED,
    questions: [{ type, name }],
    additionals: flags.has('edns0') ? [edns as never] : [],
  });
  /** The response in a packet; undefined if it is malformed, or not ours: an off-path attacker can only guess. */
  const answerIn = (bytes: Buffer): DecodedPacket | undefined => {
    try {
      const packet = decode(bytes);
      return isAnswer(packet, id, name, type) ? packet : undefined;
    } catch {
      return undefined;
    }
  };
  const bytes = Buffer.from(question);
  const short = flags.has('use-vc') ? undefined : await byUdp(server, bytes, answerIn, signal);
  const packet = short === undefined || short.flag_tc ? await byTcp(server, bytes, answerIn, signal) : short;
  return answerOf(packet, name, type);
}

function isAnswer(packet: DecodedPacket, id: number, name: string, type: RecordType): boolean {
  const [asked] = packet.questions ?? [];
  const isSame = asked?.type === type && asked.name.toLowerCase() === name.toLowerCase();
  return packet.type === 'response' && packet.id === id && isSame && isWhole(packet, type);
}

/** Whether each address is one: of a record that ends too early, dns-packet makes `192.0.undefined.undefined`. */
function isWhole({ answers = [] }: DecodedPacket, type: RecordType): boolean {
  return answers.every((one) => one.type !== type || isIP((one as { readonly data: string }).data) !== 0);
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

type AnswerIn = (bytes: Buffer) => DecodedPacket | undefined;

async function byUdp(server: string, question: Buffer, answerIn: AnswerIn, signal: AbortSignal) {
  const socket = createSocket(isIPv6(server) ? 'udp6' : 'udp4');
  const { promise, resolve, reject } = Promise.withResolvers<DecodedPacket>();
  const abort = () => reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  socket.on('error', reject);
  socket.on('message', (bytes) => {
    const packet = answerIn(bytes);
    if (packet !== undefined) resolve(packet);
  });
  // A connected socket accepts packets from this server only, and reports that its port is closed.
  socket.connect(PORT, server, (error?: Error) => (error === undefined ? socket.send(question) : reject(error)));
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', abort);
    socket.close();
  }
}

/** Over TCP, each packet is prefixed by its length in two bytes. */
async function byTcp(server: string, question: Buffer, answerIn: AnswerIn, signal: AbortSignal) {
  const socket = connect({ host: server, port: PORT, signal });
  const { promise, resolve, reject } = Promise.withResolvers<DecodedPacket>();
  let held = Buffer.alloc(0);
  socket.on('data', (more) => {
    held = Buffer.concat([held, more]);
    while (held.length >= 2 && held.length >= 2 + held.readUInt16BE(0)) {
      const end = 2 + held.readUInt16BE(0);
      const packet = answerIn(held.subarray(2, end));
      held = held.subarray(end);
      if (packet !== undefined) resolve(packet);
    }
  });
  socket.on('error', reject);
  socket.on('end', () =>
    reject(Object.assign(new Error('the DNS server closed the connection'), { code: 'ECONNRESET' })),
  );
  socket.write(Buffer.concat([Buffer.from([question.length >> 8, question.length & 0xff]), question]));
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}
