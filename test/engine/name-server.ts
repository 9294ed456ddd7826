/** A DNS server with injected faults. It has its own loopback address. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { decode, encode, type Answer, type Packet } from 'dns-packet';

const PORT = 53;
const [TRUNCATED, FORMAT_ERROR, SERVER_FAILURE, NO_SUCH_NAME] = [0x200, 1, 2, 3];
/** Flags: recursion desired and available. */
const RECURSION = 0x180;

/** Records by name; other names get NXDOMAIN. */
export interface Zone {
  readonly [name: string]: {
    readonly A?: readonly string[];
    readonly AAAA?: readonly string[];
    readonly CNAME?: string;
    /**
     * `silent` and `failing` apply to each query. `forged` sends spoofed and malformed replies first. `long` is
     * truncated over UDP, and `tcp` silent. `plain` rejects EDNS.
     */
    readonly fault?: 'silent' | 'failing' | 'forged' | 'long' | 'tcp' | 'plain';
    /** The response code for AAAA; `silent` for none. */
    readonly AAAAcode?: number | 'silent';
  };
}

export interface NameServer extends AsyncDisposable {
  /** The queries received over UDP, with their type: `a.test A`. With EDNS, its payload size follows. */
  readonly asked: readonly string[];
}

/** @param address the address to listen on, for UDP and TCP */
export async function startNameServer(address: string, zone: Zone): Promise<NameServer> {
  const asked: string[] = [];
  const udp = createSocket('udp4');
  udp.on('message', (bytes, peer) => {
    const query = decode(bytes);
    const question = query.questions![0]!;
    const edns = query.additionals?.find((one) => one.type === 'OPT');
    asked.push(`${question.name} ${question.type}${edns === undefined ? '' : ` ${edns.udpPayloadSize}`}`);
    const say = (packet: Packet) => udp.send(encode(packet), peer.port, peer.address);
    const { fault, AAAAcode } = zone[question.name.toLowerCase()] ?? {};
    if (fault === 'silent' || fault === 'tcp' || (AAAAcode === 'silent' && question.type === 'AAAA')) return;
    if (fault === 'plain' && edns !== undefined)
      return say({ type: 'response', id: query.id!, flags: RECURSION | FORMAT_ERROR, questions: query.questions! });
    const answer = answerTo(query, zone);
    if (fault === 'forged') {
      const evil: Answer = { type: 'A', name: question.name, ttl: 1, data: '192.0.2.66' };
      say({ ...answer, id: (query.id! + 1) & 0xffff, answers: [evil] });
      say({ ...answer, questions: [{ ...question, name: 'other.test' }], answers: [evil] });
      udp.send(Buffer.from('rubbish'), peer.port, peer.address);
      // Ends within the address: dns-packet decodes it to "192.undefined.undefined.undefined".
      udp.send(encode({ ...answer, answers: [evil] }).subarray(0, -3), peer.port, peer.address);
    }
    say(fault === 'long' ? { ...answer, flags: RECURSION | TRUNCATED, answers: [] } : answer);
  });
  udp.bind(PORT, address);
  await once(udp, 'listening');
  const tcp = createServer({ noDelay: true }, (socket) => {
    let held = Buffer.alloc(0);
    socket.on('data', (bytes) => {
      held = Buffer.concat([held, bytes]);
      while (held.length >= 2 && held.length >= 2 + held.readUInt16BE(0)) {
        const end = 2 + held.readUInt16BE(0);
        const answer = encode(answerTo(decode(held.subarray(2, end)), zone));
        held = held.subarray(end);
        // Sent in two chunks, the first of which is shorter than the length prefix.
        socket.write(Buffer.from([answer.length >> 8]));
        socket.write(Buffer.concat([Buffer.from([answer.length & 0xff]), answer]));
      }
    });
    socket.on('error', () => {}); // The client has closed the connection.
  });
  tcp.listen(PORT, address);
  await once(tcp, 'listening');
  return {
    asked,
    async [Symbol.asyncDispose]() {
      udp.close();
      tcp.close();
      await once(tcp, 'close');
    },
  };
}

function answerTo(query: Packet, zone: Zone): Packet {
  const [question] = query.questions!;
  const found = zone[question!.name.toLowerCase()];
  const common: Packet = { type: 'response', id: query.id!, flags: RECURSION, questions: query.questions! };
  if (found === undefined) return { ...common, flags: RECURSION | NO_SUCH_NAME };
  if (found.fault === 'failing') return { ...common, flags: RECURSION | SERVER_FAILURE };
  if (typeof found.AAAAcode === 'number' && question!.type === 'AAAA')
    return { ...common, flags: RECURSION | found.AAAAcode };
  const answers: Answer[] = [];
  let [name, at] = [question!.name, found];
  for (; at.CNAME !== undefined; at = zone[name]!) {
    answers.push({ type: 'CNAME', name, ttl: 1, data: at.CNAME });
    name = at.CNAME;
  }
  const type = question!.type as 'A' | 'AAAA';
  for (const data of at[type] ?? []) answers.push({ type, name, ttl: 1, data });
  return { ...common, answers };
}
