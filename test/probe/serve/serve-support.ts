import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { CheckStatus } from '../../../src/probe/serve/resident-check.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { startHelper } from '../../support/helper.ts';
import { until } from '../../support/until.ts';

/** `kolla-probe serve` with this kolla-pod.yaml, once it responds. */
export async function started(yaml: string, ...more: string[]) {
  const directory = await privateDirectory('serve');
  const file = join(directory.path, 'kolla-pod.yaml');
  await writeFile(file, yaml);
  const args = ['serve', '--config', file, '--listen', '127.0.0.1:0', ...more];
  const running = await startHelper('kolla-probe', args, { keepOutput: true });
  let said = '';
  running.child.stderr?.setEncoding('utf8').on('data', (piece: string) => (said += piece));
  const saying = async (what: RegExp) => {
    return await until(`${what} in:\n${said}`, async () => what.exec(said) ?? undefined);
  };
  const [, port] = await saying(/are answered on [^ ]+:(\d+)/);
  return {
    ...running,
    port: Number(port),
    said: () => said,
    saying,
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

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

/** One request on a new connection. */
export async function get(port: number, path: string, options: AskOptions = {}): Promise<Got> {
  const { host = '127.0.0.1', method = 'GET', headers = {} } = options;
  const asked = request({ host, port, path, method, agent: false, headers });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: response.statusCode, body: await text(response), type: response.headers['content-type'] };
}

/** Checks whose states the test sets. */
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
