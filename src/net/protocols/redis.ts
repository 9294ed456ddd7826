import { oneLine } from '../../core/one-line.ts';
import type { Conversation, Parsed } from '../dial/conversation.ts';
import { bad, good, type Answer, type Tell } from './answer.ts';

/** Credentials for Redis or Valkey. Without a user, the default user is meant. */
interface RedisLogin {
  readonly user?: string | undefined;
  /** Never logged. */
  readonly password: string;
}

/**
 * Texts for Redis' errors in terms that an operator knows. https://redis.io/docs/latest/develop/reference/protocol-spec/
 */
const MEANINGS: Readonly<Record<string, string>> = {
  LOADING: 'it is still loading its data from disk',
  MASTERDOWN: 'it is a replica that has lost its primary, and serves no clients until it is back',
  MISCONF: 'it cannot save to disk, and so accepts no writes: see its log for a full disk',
  NOAUTH: 'it requires a password: give --password-file',
  WRONGPASS: 'it rejects the login: the user or the password is wrong, or the user is disabled',
  NOPERM: 'the user may not send PING: it needs the ACL rule +ping',
  DENIED: 'its protected mode accepts only loopback while it has no password',
  BUSY: 'a running script blocks all other clients',
};

/**
 * Logs in if there is a login, and sends PING.
 * @throws the system's or TLS's error if the connection breaks
 */
export async function redisPing(talk: Conversation, login: RedisLogin | undefined, tell: Tell): Promise<Answer> {
  tell('connected, but received no response: it may be frozen, or busy with one command');
  if (login !== undefined) {
    const answer = await command(talk, 'AUTH', ...(login.user === undefined ? [] : [login.user]), login.password);
    if (answer !== '+OK') return bad(meaningOf(answer));
  }
  const answer = await command(talk, 'PING');
  if (answer !== '+PONG') return bad(meaningOf(answer));
  talk.say(commandBytes(['QUIT']));
  return good('answers PING');
}

async function command(talk: Conversation, ...words: readonly string[]): Promise<string> {
  talk.say(commandBytes(words));
  return await talk.hear(lineIn);
}

/** Encodes strings with their lengths, because a password may contain any character. */
function commandBytes(words: readonly string[]): Buffer {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
  return Buffer.from(`*${words.length}\r\n${parts.join('')}`);
}

/** A simple string or an error is one line. */
function lineIn(heard: Buffer): Parsed<string> {
  const first = String.fromCharCode(heard[0] ?? 0x2b);
  if (!'+-'.includes(first)) throw new Error('the server is not Redis');
  const end = heard.toString('latin1').indexOf('\r\n');
  return end === -1 ? undefined : { is: heard.toString('utf8', 0, end), length: end + 2 };
}

function meaningOf(answer: string): string {
  if (!answer.startsWith('-')) return `the server is not Redis: ${oneLine(answer)}`;
  const said = oneLine(answer.slice(1));
  if (/without any password configured|no password is set/.test(said)) {
    return `it has no password (requirepass), and so rejects ours: ${said}`;
  }
  if (/max number of clients/.test(said)) return `it has reached its client limit (maxclients): ${said}`;
  const meaning = MEANINGS[said.split(' ')[0] ?? ''];
  return meaning === undefined ? said : `${meaning} (${said})`;
}
