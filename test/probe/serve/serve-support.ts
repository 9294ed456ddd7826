import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Checks } from '../../../src/probe/serve/checks.ts';
import type { Change, CheckStatus } from '../../../src/probe/serve/resident-check.ts';

export interface Got {
  readonly status: number | undefined;
  readonly body: string;
  readonly type: string | undefined;
}

export interface AskOptions {
  readonly host?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One request on a connection of its own. */
export async function get(port: number, path: string, options: AskOptions = {}): Promise<Got> {
  const { host = '127.0.0.1', method = 'GET', headers = {} } = options;
  const asked = request({ host, port, path, method, agent: false, headers });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: response.statusCode, body: await text(response), type: response.headers['content-type'] };
}

/** Checks whose state the test sets. */
export interface ToldChecks extends Checks {
  tell(name: string, status: Partial<CheckStatus>): void;
}

export function toldChecks(first: readonly CheckStatus[]): ToldChecks {
  let all = first;
  const listeners = new Set<(change: Change) => void>();
  return {
    snapshot: () => all,
    onChange(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    tell(name, status) {
      const from = all.find((one) => one.name === name)?.state ?? 'unknown';
      all = all.map((one) => (one.name === name ? { ...one, ...status } : one));
      const part = all.find((one) => one.name === name);
      if (part !== undefined)
        for (const listener of listeners) listener({ part, subject: part.subject, from, lastedMs: 1000 });
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

export function statusOf(name: string, more: Partial<CheckStatus> = {}): CheckStatus {
  return {
    name,
    roles: ['startup', 'liveness', 'readiness'],
    state: 'healthy',
    since: Date.now(),
    subject: `test ${name}`,
    periodMs: 10_000,
    asked: 4,
    failed: 1,
    changes: 2,
    lastMs: 3,
    totalMs: 500,
    answeredAt: Date.now(),
    ...more,
  };
}
