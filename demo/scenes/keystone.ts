import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import type { Keystone } from '../../test/cluster/keystone.ts';
import { runHelper } from '../../test/support/helper.ts';
import { start, tailOf, tied, type Running } from '../../tools/process.ts';
import type { PodFiles } from '../pod-files.ts';
import type { Story } from '../story.ts';
import { ADMIN_PASSWORD } from './schema.ts';

/** The kubelet's probe period. */
const PERIOD_MS = 500;

/** Starts Keystone's public API; it logs into the pod's log directory. */
export async function runKeystone(story: Story, files: PodFiles, keystone: Keystone, port: number): Promise<Running> {
  const { command, args, env } = keystone.serve({ configFile: files.keystoneConf, port });
  const ended = story.begin('keystone', 'Keystone', 'server');
  story.say('keystone', 'starts');
  const service = await start(...tied(command, args), {
    env: { ...process.env, ...env },
    logFile: consoleLog(files),
  });
  void service.ended.then(() => ended());
  return service;
}

/**
 * Probes periodically like a readiness probe, and prints each changed result. Only the service's exit ends it: how long Python
 * takes to start depends on the machine.
 * @returns ends the healthy span
 */
export async function untilHealthy(
  story: Story,
  files: PodFiles,
  url: string,
  service: Pick<Running, 'ended'>,
): Promise<() => void> {
  let exitCode: number | undefined;
  void service.ended.then((code) => (exitCode = code));
  const ended = story.begin('kolla-probe', 'unhealthy', 'unhealthy');
  for (let last = ''; ; await sleep(PERIOD_MS)) {
    if (exitCode !== undefined) {
      throw new Error(`Keystone exited with ${exitCode} before it was healthy: ${tailOf(consoleLog(files))}`);
    }
    const { code, stderr } = await runHelper('kolla-probe', ['http', url, '--timeout', '900ms']);
    const answer =
      code === 0 ? 'healthy' : `unhealthy: ${(JSON.parse(stderr.split('\n')[0] ?? '{}') as { msg: string }).msg}`;
    if (answer !== last) story.say('kolla-probe', answer);
    last = answer;
    if (code !== 0) continue;
    ended();
    return story.begin('kolla-probe', 'healthy', 'healthy');
  }
}

/** Requests a token, as users do. */
export async function takeToken(story: Story, url: string): Promise<void> {
  const ended = story.begin('token', 'POST /v3/auth/tokens', 'work');
  const user = { name: 'admin', domain: { id: 'default' }, password: ADMIN_PASSWORD };
  const reply = await fetch(`${url}/auth/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ auth: { identity: { methods: ['password'], password: { user } } } }),
  });
  if (reply.status !== 201) throw new Error(`Keystone answered ${reply.status} where a token was asked for`);
  ended(`POST /v3/auth/tokens answers ${reply.status}`);
}

function consoleLog(files: PodFiles): string {
  return join(files.logs, 'keystone-console.txt');
}
