/**
 *   greeting -> capabilities, our proof for the plugin it names -> (another plugin, more questions)* -> accepted
 *
 * A proof goes to any server. The password itself goes to a server that TLS has verified, or behind a socket file.
 */
import { Fields, KIND, malformed } from '../../net/protocols/mysql-packets.ts';
import { cachingProof, nativeProof, NONCE_BYTES } from '../proofs.ts';
import { passwordRefused, pluginUnsupported } from '../refusals.ts';
import type { MysqlTarget } from '../url.ts';
import type { Wire } from './wire.ts';

const CAPABILITY = {
  longPassword: 0x1,
  protocol41: 0x200,
  tls: 0x800,
  transactions: 0x2000,
  secureConnection: 0x8000,
  pluginAuth: 0x8_0000,
} as const;
/** What both sides must have. MySQL 4.1 had them. */
const NEEDED = CAPABILITY.protocol41 | CAPABILITY.secureConnection;
/** What we use if the server has it. */
const USED = CAPABILITY.longPassword | CAPABILITY.transactions | CAPABILITY.pluginAuth;
const UTF8MB4 = 45;
/** Of our packets, and a number that servers expect. */
const PACKET_MAX_BYTES = 0x100_0000;

const NATIVE = 'mysql_native_password';
const CACHING = 'caching_sha2_password';
/** Plugins that ask for the password itself. */
const ASKING = new Set(['mysql_clear_password', 'sha256_password']);
/** What caching_sha2_password says next: the proof was enough; or, as it has no hash of this account in memory, the password. */
const [IS_CACHED, WANTS_PASSWORD] = [3, 4];
/** MySQL's question for another factor. */
const NEXT_FACTOR = 2;
/** More questions than any login has. */
const STEPS_MAX = 10;

export interface Greeting {
  readonly capabilities: number;
  readonly nonce: Buffer;
  readonly plugin: string;
}

/** The rest of a greeting, after the version. */
export function greetingIn(fields: Fields): Greeting {
  fields.take(4); // the session's number
  const first = fields.take(8);
  fields.take(1);
  const low = fields.number(2);
  fields.take(3); // character set and status
  const capabilities = low + fields.number(2) * 65_536;
  if ((capabilities & NEEDED) !== NEEDED) throw malformed('it is older than MySQL 4.1');
  fields.take(11); // length of the nonce, reserved
  const nonce = Buffer.concat([first, fields.take(NONCE_BYTES - first.length)]);
  if (fields.left > 0) fields.take(1);
  return { capabilities, nonce, plugin: fields.text() };
}

export function hasTls({ capabilities }: Greeting): boolean {
  return (capabilities & CAPABILITY.tls) !== 0;
}

/** Asks for TLS, which begins after this packet. */
export function askForTls(wire: Wire, greeting: Greeting): void {
  wire.say(settings(greeting, true));
}

function settings({ capabilities }: Greeting, isTls: boolean): Buffer {
  const ours = NEEDED | (USED & capabilities) | (isTls ? CAPABILITY.tls : 0);
  const character = Buffer.alloc(24);
  character[0] = UTF8MB4;
  return Buffer.concat([int32(ours), int32(PACKET_MAX_BYTES), character]);
}

function int32(value: number): Buffer {
  return Buffer.from([0, 8, 16, 24].map((shift) => (value >>> shift) & 0xff));
}

function zeroEnded(text: string): Buffer {
  return Buffer.from(`${text}\0`);
}

/**
 * Logs in, over TLS or not.
 * @throws the server's error, as Wire.hear(); UnavailableError for a plugin that is not supported, and for a request for
 * the password itself
 */
export async function authenticate(wire: Wire, greeting: Greeting, target: MysqlTarget): Promise<void> {
  const password = Buffer.from(target.password);
  try {
    let plugin = greeting.plugin === CACHING ? CACHING : NATIVE;
    const proof = replyOf(plugin, password, greeting.nonce, target);
    const name = (greeting.capabilities & CAPABILITY.pluginAuth) === 0 ? [] : [zeroEnded(plugin)];
    const begin = settings(greeting, target.tls !== undefined);
    wire.say(begin, zeroEnded(target.user), Buffer.from([proof.length]), proof, ...name);
    for (let step = 0; step < STEPS_MAX; step++) {
      const fields = await wire.hear();
      const kind = fields.number(1);
      if (kind === KIND.ok) return;
      if (kind === KIND.end) {
        if (fields.left === 0) throw pluginUnsupported('mysql_old_password', target);
        plugin = fields.text();
        wire.say(replyOf(plugin, password, fields.rest(), target));
      } else if (kind === KIND.more && plugin === CACHING) {
        if (!isCached(fields, target)) wire.say(password, Buffer.from([0]));
      } else if (kind === NEXT_FACTOR) {
        throw pluginUnsupported(`more than one factor (${fields.text()})`, target);
      } else {
        throw malformed('it breaks off the login');
      }
    }
    throw malformed('its login has no end');
  } finally {
    password.fill(0);
  }
}

function replyOf(plugin: string, password: Buffer, nonce: Buffer, target: MysqlTarget): Buffer {
  if (plugin === NATIVE || plugin === CACHING) {
    if (nonce.length < NONCE_BYTES) throw malformed('its random bytes are too few');
    return (plugin === NATIVE ? nativeProof : cachingProof)(password, nonce.subarray(0, NONCE_BYTES));
  }
  if (!ASKING.has(plugin)) throw pluginUnsupported(plugin, target);
  if (!mayHavePassword(target)) throw passwordRefused(plugin, target);
  // Behind a socket file it wants the password encrypted.
  if (plugin === 'sha256_password' && target.tls === undefined) throw pluginUnsupported(plugin, target);
  return Buffer.concat([password, Buffer.from([0])]);
}

function isCached(fields: Fields, target: MysqlTarget): boolean {
  const says = fields.left === 1 ? fields.number(1) : undefined;
  if (says === IS_CACHED) return true;
  if (!mayHavePassword(target)) throw passwordRefused(CACHING, target);
  if (says !== WANTS_PASSWORD) throw malformed('it breaks off the login');
  return false;
}

function mayHavePassword({ socket, tls }: MysqlTarget): boolean {
  return socket !== undefined || tls?.isVerified === true;
}
