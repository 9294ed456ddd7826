/**
 * A session that only reads, for probes: small, and on both engines.
 *
 *   dial -> greeting -> (TLS on the same connection) -> login -> queries -> quit
 *
 * Every message is bounded, and a deadline is the caller's, by its signal.
 */
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { ClosedError, converse, type Conversation } from '../../net/dial/conversation.ts';
import { NOT_MYSQL } from '../../net/protocols/greetings.ts';
import { openingIn } from '../../net/protocols/mysql-packets.ts';
import { KollaError } from '../../core/errors.ts';
import type { RowSource } from '../session.ts';
import { HANDSHAKE_FAILED, isBrokenOff, lost, NO_TLS, tlsError } from '../tls-errors.ts';
import { tlsMaterial } from '../tls-files.ts';
import type { MysqlTarget } from '../url.ts';
import { askForTls, authenticate, greetingIn, hasTls, type Greeting } from './authentication.ts';
import { rowsOf } from './query.ts';
import { serverError, Wire } from './wire.ts';

/** Twice the largest packet: the next ones may have come with it. */
const MOST_BYTES = 2 * 65_536;
const QUIT = Buffer.from([1]);
const GOODBYE_MS = 1000;

/** A session without parameters and changes. */
export interface Reader extends RowSource, AsyncDisposable {
  rows(sql: string): Promise<Record<string, unknown>[]>;
}

/**
 * Logs in. The signal ends the session at any point.
 * @throws the server's error, with `errno`; as converse(), and lost() if the connection ends; ConfigError for TLS files;
 * UnavailableError and NotPermittedError for a failed TLS handshake, an account with another plugin, and a server that
 * is not verified and requests the password itself
 */
export async function openReader(target: MysqlTarget, { signal }: { readonly signal: AbortSignal }): Promise<Reader> {
  const tls = tlsOf(target);
  const talk = await converse(target.socket === undefined ? target : { path: target.socket }, {
    signal,
    mostBytes: MOST_BYTES,
  });
  try {
    const wire = await loggedIn(talk, target, tls, signal);
    return readerOn(talk, wire);
  } catch (error) {
    talk[Symbol.dispose]();
    if (signal.aborted) throw signal.reason;
    throw explained(error, target);
  }
}

async function loggedIn(
  talk: Conversation,
  target: MysqlTarget,
  tls: ConnectionOptions | undefined,
  signal: AbortSignal,
): Promise<Wire> {
  const greeting = await greetingOn(talk);
  const wire = new Wire(talk, 0);
  if (tls !== undefined) {
    if (!hasTls(greeting)) throw Object.assign(new Error('no TLS'), { code: NO_TLS });
    askForTls(wire, greeting);
    try {
      await talk.secure(tls);
    } catch (error) {
      if (signal.aborted || error instanceof KollaError || error instanceof ClosedError) throw error;
      throw Object.assign(error as Error, { code: HANDSHAKE_FAILED });
    }
  }
  await authenticate(wire, greeting, target);
  return wire;
}

async function greetingOn(talk: Conversation): Promise<Greeting> {
  const opening = await talk.hear(openingIn);
  if (opening.kind === 'other') throw new Error(NOT_MYSQL);
  if (opening.kind === 'error') throw serverError(opening.errno, opening.text);
  return greetingIn(opening.fields);
}

/** The server's name is not verified behind a Unix socket, which can lead to only one server. */
function tlsOf({ host, socket, tls }: MysqlTarget): ConnectionOptions | undefined {
  if (tls === undefined) return undefined;
  const isNamed = tls.verifyIdentity && socket === undefined;
  return {
    ...tlsMaterial(tls),
    host,
    servername: isIP(host) === 0 ? host : '',
    rejectUnauthorized: tls.isVerified,
    ...(!isNamed && { checkServerIdentity: () => undefined }),
  };
}

function explained(error: unknown, target: MysqlTarget): unknown {
  if (error instanceof ClosedError || isBrokenOff(error)) return lost(error);
  return tlsError(error, target) ?? error;
}

function readerOn(talk: Conversation, wire: Wire): Reader {
  return {
    async rows(sql) {
      try {
        return await rowsOf(wire, sql);
      } catch (error) {
        throw error instanceof ClosedError ? lost(error) : error;
      }
    },
    async [Symbol.asyncDispose]() {
      using _ = talk;
      const timer = setTimeout(() => talk[Symbol.dispose](), GOODBYE_MS);
      try {
        wire.command(QUIT);
        await talk.end();
      } catch {
        // It has ended already.
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
