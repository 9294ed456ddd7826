/** RPC calls by oslo.messaging with the settings of the charts, from this machine to a broker, until they are ended. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openstackTools } from '../cluster/openstack-tools.ts';
import { pythonOf } from '../cluster/keystone-tree.ts';
import { releaseTree } from '../cloud/trees/release.ts';
import { start, tied } from '../../tools/process.ts';
import { until } from '../support/until.ts';

export interface Call {
  readonly ok: boolean;
  readonly seconds: number;
  readonly error?: string;
}

export interface RpcLoad extends AsyncDisposable {
  /** All calls so far. */
  calls(): Promise<readonly Call[]>;
  /** Resolves when a call that is made from now on has succeeded. */
  answered(): Promise<void>;
}

/** @param url of oslo.messaging  @param directory for its files */
export async function startRpcLoad(url: string, directory: string): Promise<RpcLoad> {
  const { command, env } = await pythonOf((await openstackTools()).directory);
  const lib = join(await releaseTree('2026.2'), 'var/lib/kolla/venv/lib');
  const python = (await readdir(lib)).find((name) => /^python3\.\d+$/.test(name)) ?? '';
  const [configuration, out] = [join(directory, 'rpc-load.conf'), join(directory, 'rpc-load.out')];
  await writeFile(
    configuration,
    `[DEFAULT]
transport_url = ${url}
rpc_response_timeout = 120
[oslo_messaging_rabbit]
rabbit_quorum_queue = true
rabbit_transient_quorum_queue = true
`,
  );
  const script = fileURLToPath(new URL('rpc-load.py', import.meta.url));
  const process = await start(...tied(command, [script, configuration]), {
    env: { ...env, PYTHONPATH: `${join(lib, python, 'site-packages')}:${env['PYTHONPATH']}` },
    cwd: directory,
    logFile: out,
  });
  const calls = async () => {
    // The last line may be incomplete.
    const lines = (await readFile(out, 'utf8'))
      .split('\n')
      .slice(0, -1)
      .filter((line) => line.startsWith('{'));
    return lines.map((line) => JSON.parse(line) as Call);
  };
  const answered = async () => {
    const before = (await calls()).length;
    await until('a call to be answered', async (saw) => {
      const later = (await calls()).slice(before + 1);
      saw(later.length === 0 ? (await readFile(out, 'utf8')).slice(-2000) : later);
      return later.some(({ ok }) => ok) || undefined;
    });
  };
  return { calls, answered, [Symbol.asyncDispose]: () => process[Symbol.asyncDispose]() };
}
