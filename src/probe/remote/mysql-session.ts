import { KollaError } from '../../core/errors.ts';
import type { Answer, Tell } from '../../net/protocols/answer.ts';
import { understandGreeting } from '../../net/protocols/greetings.ts';
import { exchange } from '../../net/dial/conversation.ts';
import { openReader } from '../../mysql/client/session.ts';
import { errnoOf, isDenied, isUndone, reasonOf } from '../../mysql/errors.ts';
import { galeraState, whyUnusable } from '../../mysql/galera.ts';
import type { RowSource } from '../../mysql/session.ts';
import { networkReason } from '../../net/dial/network-error.ts';
import { unhealthy, type CheckResult } from '../ask/verdict.ts';
import type { MysqlServer } from './mysql.ts';

/** How a server is judged, with and without a login. */
export interface Judges {
  /** Runs queries. An error that it throws becomes the reason. */
  readonly inside: (session: RowSource, user: string) => Promise<CheckResult>;
  readonly greeted: (version: Answer) => CheckResult;
}

/**
 * Logs in, judges the server, and logs out; without a login, waits for its greeting. An unreadable file, a rejected
 * login and a broken connection are verdicts with their reasons.
 */
export async function askMysql(
  server: MysqlServer,
  { inside, greeted }: Judges,
  signal: AbortSignal,
  tell: Tell,
): Promise<CheckResult> {
  let user = '';
  try {
    const target = await server.target();
    ({ user } = target);
    if (user === '') {
      tell('the server does not greet: it may be frozen, starting, or unreachable');
      const at = target.socket === undefined ? { host: target.host, port: target.port } : { path: target.socket };
      return greeted(await exchange({ at, understand: understandGreeting, signal }));
    }
    tell('the server does not finish the login: it may be frozen, starting, or unreachable');
    await using session = await openReader(target, { signal });
    tell('the server has accepted the login, but does not respond to a query');
    try {
      return await inside(session, user);
    } catch (error) {
      const why = isUndone(error) ? await whyUndone(session) : undefined;
      if (why === undefined) throw error;
      return unhealthy(`${why} (${reasonOf(error)})`);
    }
  } catch (error) {
    return unhealthy(whyNot(error, user));
  }
}

/** With wsrep_sync_wait, a Galera node without quorum rejects each query as if it waited for a lock. */
async function whyUndone(session: RowSource): Promise<string | undefined> {
  const state = await galeraState(session);
  return state && whyUnusable(state, 'ok');
}

function whyNot(error: unknown, user: string): string {
  if (error instanceof KollaError) return error.message;
  if (isDenied(error)) return `it rejects the login of '${user}': ${reasonOf(error)}`;
  return errnoOf(error) !== 0 || isLost(error) ? reasonOf(error) : networkReason(error);
}

function isLost(error: unknown): boolean {
  return (error as { code?: string }).code === 'PROTOCOL_CONNECTION_LOST';
}
