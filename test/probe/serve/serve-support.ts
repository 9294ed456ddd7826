import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { CheckStatus } from '../../../src/probe/serve/resident-check.ts';

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
export interface ToldChecks {
  snapshot(): readonly CheckStatus[];
  tell(name: string, status: Partial<CheckStatus>): void;
}

export function toldChecks(first: readonly CheckStatus[]): ToldChecks {
  let all = first;
  return {
    snapshot: () => all,
    tell(name, status) {
      all = all.map((one) => (one.name === name ? { ...one, ...status } : one));
    },
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
