import { codeOf } from '../../core/errors.ts';
import { oneLine } from '../../core/one-line.ts';
import type { Conversation } from '../dial/conversation.ts';
import {
  CHANNEL,
  CONNECTION,
  entry,
  FRAME_MAX,
  hearMethod,
  int16,
  int32,
  long,
  QUEUE,
  sayMethod,
  short,
  table,
  type Method,
} from './amqp-frames.ts';
import { bad, good, type Answer, type Tell } from './answer.ts';
import { PROTOCOL_HEADER, understandStart } from './greetings.ts';

/** What to do on a connection. */
interface AmqpVisit {
  readonly user: string;
  /** Never logged. */
  readonly password: string;
  readonly vhost: string;
  /** Whether to declare and delete a queue. */
  readonly declare: boolean;
}

/** The broker's answer. */
export interface BrokerAnswer extends Answer {
  /** Set if the broker works, but does not let this account in. */
  readonly isRejected?: true;
}

const GOODBYE = 200;
/** RabbitMQ's reply after 30 s without a quorum. */
const INTERNAL_ERROR = 541;

/**
 * Logs in like a service (PLAIN), opens the virtual host, and closes properly, so that the broker logs only the opened
 * and closed connection.
 * @returns the broker's result; bad with its reason if it rejects the login
 * @throws the system's or TLS's error if the connection breaks
 */
export async function amqpVisit(
  talk: Conversation,
  { user, password, vhost, declare }: AmqpVisit,
  tell: Tell,
): Promise<BrokerAnswer> {
  const start = await amqpStart(talk, tell);
  if (!start.isGood) return start;
  const { fields } = await hearMethod(talk);
  const mechanisms = mechanismsIn(fields);
  if (!mechanisms.includes('PLAIN')) {
    return bad(`it does not accept a password login (PLAIN), but only ${oneLine(mechanisms.join(', '))}`);
  }
  sayMethod(talk, CONNECTION.startOk, CLIENT, short('PLAIN'), long(`\0${user}\0${password}`), short('en_US'));
  tell('the broker has started AMQP, but does not respond to the login');
  const tune = await hearMethod(talk);
  if (tune.method === CONNECTION.close) return await rejected(talk, tune, `it rejects the login of '${user}'`);
  if (tune.method === CONNECTION.secure) return bad('it requires more than a password');
  if (tune.method !== CONNECTION.tune) return bad('the server breaks off the AMQP handshake');
  sayMethod(talk, CONNECTION.tuneOk, int16(1), int32(frameMaxOf(tune.fields)), int16(0));
  sayMethod(talk, CONNECTION.open, short(vhost), short(''), Buffer.from([0]));
  tell(`the broker has accepted the login, but does not open the virtual host '${vhost}'`);
  const open = await hearMethod(talk);
  if (open.method === CONNECTION.close) return await rejected(talk, open, `it denies '${user}' access to '${vhost}'`);
  if (open.method !== CONNECTION.openOk) return bad('the server breaks off the AMQP handshake');
  const opened = `accepted the login of '${user}' and opened '${vhost}'`;
  if (!declare) return await leave(talk, tell, good(opened));
  return await declareQueue(talk, tell, good(`${opened}, declared and deleted a queue`));
}

/** Exclusive (4) and auto-delete (8): the broker removes the queue with the connection, whatever happens. */
const TEMPORARY = 4 + 8;

/** What a service needs to declare a queue, each with the reply to wait for. An empty name is a new one, then the last. */
const STEPS: readonly (readonly [name: string, method: number, fields: readonly Buffer[], reply: number])[] = [
  ['channel.open', CHANNEL.open, [short('')], CHANNEL.openOk],
  [
    'queue.declare',
    QUEUE.declare,
    // Classic, which RabbitMQ has for exclusive queues only: the virtual host's default may be another type.
    [int16(0), short(''), Buffer.from([TEMPORARY]), table(entry('x-queue-type', 'S', long('classic')))],
    QUEUE.declareOk,
  ],
  ['queue.delete', QUEUE.delete, [int16(0), short(''), Buffer.from([0])], QUEUE.deleteOk],
];

const NO_QUORUM = 'its metadata store may have no quorum';

/** Changes the metadata store, which needs a majority of the cluster's nodes: connections and logins don't. */
async function declareQueue(talk: Conversation, tell: Tell, done: Answer): Promise<Answer> {
  for (const [name, method, fields, reply] of STEPS) {
    sayMethod(talk, method, ...fields);
    tell(`the broker has opened the virtual host, but does not answer ${name}: ${NO_QUORUM}`);
    const heard = await hearMethod(talk);
    if (heard.method === reply) continue;
    const why = heard.fields.length > 2 && heard.fields.readUInt16BE(0) === INTERNAL_ERROR ? `; ${NO_QUORUM}` : '';
    const failed = bad(`${name} fails: ${reasonIn(heard)}${why}`);
    if (heard.method === CONNECTION.close) return await closed(talk, failed);
    if (heard.method !== CHANNEL.close) return bad(`the server does not answer ${name} as AMQP does`);
    sayMethod(talk, CHANNEL.closeOk);
    return await leave(talk, tell, failed);
  }
  return await leave(talk, tell, done);
}

/** Closes the connection properly. */
async function leave(talk: Conversation, tell: Tell, answer: Answer): Promise<Answer> {
  sayMethod(talk, CONNECTION.close, int16(GOODBYE), short('goodbye'), int32(0));
  tell('the broker has opened the virtual host, but does not respond to the close');
  while ((await hearMethod(talk)).method !== CONNECTION.closeOk);
  await endOf(talk);
  return answer;
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

/** The broker closes the connection because of the account. */
async function rejected(talk: Conversation, close: Method, what: string): Promise<BrokerAnswer> {
  return { ...(await closed(talk, bad(`${what}: ${reasonIn(close)}`))), isRejected: true };
}

/** Confirms the broker's close, because otherwise the broker waits for us. */
async function closed(talk: Conversation, answer: Answer): Promise<Answer> {
  sayMethod(talk, CONNECTION.closeOk);
  await endOf(talk);
  return answer;
}

/** The broker's reason for closing a connection or channel, which follows its code (2 bytes). */
function reasonIn({ fields }: Method): string {
  return oneLine(fields.subarray(3, 3 + (fields[2] ?? 0)).toString());
}

/** RabbitMQ resets a connection whose peer has closed its sending direction. */
async function endOf(talk: Conversation): Promise<void> {
  try {
    await talk.end();
  } catch (error) {
    if (codeOf(error) !== 'ECONNRESET') throw error;
  }
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

/**
 * Client properties, for `rabbitmqctl list_connections` and the broker's log. Requests that the broker reports a failed
 * login: otherwise it waits, and resets the connection.
 */
const CLIENT = table(
  entry('product', 'S', long('kolla-probe')),
  entry('connection_name', 'S', long('kolla-probe')),
  entry('capabilities', 'F', table(entry('authentication_failure_close', 't', Buffer.from([1])))),
);
