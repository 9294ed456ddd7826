/** A DNS server with injected faults. It has its own loopback address. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { decode, encode, type Answer, type Packet } from 'dns-packet';

const PORT = 53;
const [TRUNCATED, SERVER_FAILURE, NO_SUCH_NAME] = [0x200, 2, 3];
/** Flags: recursion desired and available. */
const RECURSION = 0x180;

/** Records by name; other names get NXDOMAIN. */
export interface Zone {
  readonly [name: string]: {
    readonly A?: readonly string[];
    readonly AAAA?: readonly string[];
    readonly CNAME?: string;
    /**
     * `silent` and `failing` apply to each query. `forged` sends spoofed and malformed replies first. `long` responds
     * over TCP only.
     */
    readonly fault?: 'silent' | 'failing' | 'forged' | 'long';
  };
}

export interface NameServer extends AsyncDisposable {
  /** The queries received, with their type: `a.test A`. */
  readonly asked: readonly string[];
}

/** @param address the address to listen on, for UDP and TCP */
export async function startNameServer(address: string, zone: Zone): Promise<NameServer> {
  const asked: string[] = [];
  const udp = createSocket('udp4');
  udp.on('message', (bytes, peer) => {
    const query = decode(bytes);
    const question = query.questions![0]!;
    asked.push(`${question.name} ${question.type}`);
    const say = (packet: Packet) => udp.send(encode(packet), peer.port, peer.address);
    const fault = zone[question.name.toLowerCase()]?.fault;
    if (fault === 'silent') return;
    const answer = answerTo(query, zone);
    if (fault === 'forged') {
      const evil: Answer = { type: 'A', name: question.name, ttl: 1, data: '192.0.2.66' };
      say({ ...answer, id: (query.id! + 1) & 0xffff, answers: [evil] });
      say({ ...answer, questions: [{ ...question, name: 'other.test' }], answers: [evil] });
      udp.send(Buffer.from('rubbish'), peer.port, peer.address);
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
