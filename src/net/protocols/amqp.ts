import { oneLine } from '../../core/one-line.ts';
import type { Conversation, Parsed } from '../conversation.ts';
import { bad, good, type Answer, type Tell } from './answer.ts';
import { PROTOCOL_HEADER, understandStart } from './greetings.ts';

/** Credentials and virtual host. */
interface AmqpLogin {
  readonly user: string;
  /** Never logged. */
  readonly password: string;
  readonly vhost: string;
}

/** Methods of the class `connection`, AMQP 0-9-1 reference, section 1.4. */
const CONNECTION = 10;
const [START_OK, SECURE, TUNE, TUNE_OK, OPEN, OPEN_OK, CLOSE, CLOSE_OK] = [11, 20, 30, 31, 40, 41, 50, 51];
const METHOD_FRAME = 1;
const FRAME_END = 0xce;
const FRAME_MAX = 131_072;
const GOODBYE = 200;

interface Method {
  readonly method: number;
  readonly fields: Buffer;
}

/**
 * Logs in like a service (PLAIN), opens the virtual host, and closes properly, so that the broker logs only the opened
 * and closed connection.
 * @returns the broker's result; bad with its reason if it rejects the login
 * @throws the system's or TLS's error if the connection breaks
 */
export async function amqpVisit(talk: Conversation, login: AmqpLogin, tell: Tell): Promise<Answer> {
  const start = await amqpStart(talk, tell);
  if (!start.isGood) return start;
  const { fields } = await hearMethod(talk);
  const mechanisms = mechanismsIn(fields);
  if (!mechanisms.includes('PLAIN')) {
    return bad(`it does not accept a password login (PLAIN), but only ${oneLine(mechanisms.join(', '))}`);
  }
  const response = Buffer.from(`\0${login.user}\0${login.password}`);
  sayMethod(talk, START_OK, CLIENT, short('PLAIN'), int32(response.length), response, short('en_US'));
  tell('the broker has started AMQP, but does not respond to the login');
  const tune = await hearMethod(talk);
  if (tune.method === CLOSE) return refused(talk, tune, `it rejects the login of '${login.user}'`);
  if (tune.method === SECURE) return bad('it requires more than a password');
  if (tune.method !== TUNE) return bad('the server breaks off the AMQP handshake');
  sayMethod(talk, TUNE_OK, Buffer.from([0, 1]), int32(frameMaxOf(tune.fields)), Buffer.from([0, 0]));
  sayMethod(talk, OPEN, short(login.vhost), short(''), Buffer.from([0]));
  tell(`the broker has accepted the login, but does not open the virtual host '${login.vhost}'`);
  const open = await hearMethod(talk);
  if (open.method === CLOSE) return refused(talk, open, `it denies '${login.user}' access to '${login.vhost}'`);
  if (open.method !== OPEN_OK) return bad('the server breaks off the AMQP handshake');
  sayMethod(talk, CLOSE, Buffer.from([0, GOODBYE]), short('goodbye'), Buffer.alloc(4));
  tell('the broker has opened the virtual host, but does not respond to the close');
  while ((await hearMethod(talk)).method !== CLOSE_OK);
  await endOf(talk);
  return good(`accepted the login of '${login.user}' and opened '${login.vhost}'`);
}

/**
 * Sends the protocol header, and waits for the broker's start. The broker then logs two warnings: AMQP has no way to
 * close before a login.
 */
export async function amqpStart(talk: Conversation, tell: Tell): Promise<Answer> {
  tell('connected, but received no AMQP: it may be frozen');
  talk.say(PROTOCOL_HEADER);
  return await talk.hear((heard) => {
    const start = understandStart(heard);
    return start && { is: start.is, length: 0 };
  });
}

/**
 * Half-closes the connection without a message, and waits for the broker to close it too. A frozen broker does not,
 * because closing needs the broker's process for this connection. The broker treats such a connection as a load
 * balancer's check, and logs nothing.
 */
export async function amqpKnock(talk: Conversation, tell: Tell): Promise<Answer> {
  tell('connected, but the broker does not read: it may be frozen');
  await endOf(talk);
  return good('accepts and handles connections');
}

/** The broker's reason for closing. Confirms the close, because otherwise the broker waits for us. */
async function refused(talk: Conversation, { fields }: Method, what: string): Promise<Answer> {
  const text = fields.subarray(3, 3 + (fields[2] ?? 0)).toString();
  sayMethod(talk, CLOSE_OK);
  await endOf(talk);
  return bad(`${what}: ${oneLine(text)}`);
}

/** RabbitMQ resets a connection whose peer has closed its sending direction. */
async function endOf(talk: Conversation): Promise<void> {
  try {
    await talk.end();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
  }
}

async function hearMethod(talk: Conversation): Promise<Method> {
  for (;;) {
    const frame = await talk.hear(frameIn);
    if (frame !== 'heartbeat') return frame;
  }
}

/** Type, channel (2), payload length (4), payload, end. For a method: class (2), method (2), fields. */
function frameIn(heard: Buffer): Parsed<Method | 'heartbeat'> {
  if (heard.length < 7) return undefined;
  const size = heard.readUInt32BE(3);
  const length = 7 + size + 1;
  if (size > FRAME_MAX) throw new Error('the server sends a frame that is too long for AMQP');
  if (heard.length < length) return undefined;
  if (heard[length - 1] !== FRAME_END) throw new Error('the server sends a frame with an invalid AMQP frame end');
  if (heard[0] !== METHOD_FRAME) return { is: 'heartbeat', length };
  if (size < 4 || heard.readUInt16BE(7) !== CONNECTION) throw new Error('the server breaks off the AMQP handshake');
  return { is: { method: heard.readUInt16BE(9), fields: heard.subarray(11, length - 1) }, length };
}

/** The mechanisms, which follow the version (2 bytes) and the server's properties. */
function mechanismsIn(fields: Buffer): string[] {
  const at = 2 + 4 + fields.readUInt32BE(2);
  return fields.toString('latin1', at + 4, at + 4 + fields.readUInt32BE(at)).split(' ');
}

/**
 * The frame-max to request. The broker's offer follows channel-max (2 bytes); 0 means unlimited. The broker rejects a
 * larger value than its offer.
 */
function frameMaxOf(fields: Buffer): number {
  const offered = fields.readUInt32BE(2);
  return offered === 0 ? FRAME_MAX : Math.min(offered, FRAME_MAX);
}

function sayMethod(talk: Conversation, method: number, ...fields: readonly Buffer[]): void {
  const payload = Buffer.concat([Buffer.from([0, CONNECTION, 0, method]), ...fields]);
  talk.say(Buffer.from([METHOD_FRAME, 0, 0]), int32(payload.length), payload, Buffer.from([FRAME_END]));
}

/**
 * Client properties, for `rabbitmqctl list_connections` and the broker's log. Requests that the broker reports a failed
 * login: otherwise it waits, and resets the connection.
 */
const CLIENT = table(
  entry('product', 'S', long('kolla-probe')),
  entry('connection_name', 'S', long('kolla-probe')),
  entry('capabilities', 'F', table(entry('authentication_failure_close', 't', Buffer.from([1])))),
);

function entry(name: string, type: string, value: Buffer): Buffer {
  return Buffer.concat([short(name), Buffer.from(type), value]);
}

function table(...entries: readonly Buffer[]): Buffer {
  const all = Buffer.concat(entries);
  return Buffer.concat([int32(all.length), all]);
}

function long(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([int32(bytes.length), bytes]);
}

/** The caller ensures that the length is at most 255 bytes. */
function short(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
