import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../../tools/port.ts';
import { until } from '../../support/until.ts';
import type { Stage, Stages } from './stage.ts';

export const SIDECAR: Stages = {
  'kolla-sidecar': async (directory) => {
    const { file, port } = await world(directory, 'component: [probe, config-watch, log-ship]');
    return { ...answering(port), env: { KOLLA_POD_CONFIG: file, KOLLA_SIDECAR_LISTEN: `127.0.0.1:${port}` } };
  },
  'kolla-sidecar --component probe --component log-ship --config kolla-pod.yaml --listen 127.0.0.1:9808': async (
    directory,
  ) => {
    const { port } = await world(directory, '');
    return { ...answering(port), replace: { '127.0.0.1:9808': `127.0.0.1:${port}` } };
  },
  'kolla-sidecar --component db-sync --service keystone': async (directory) => {
    const port = await freePort();
    await writeFile(
      join(directory, 'connection'),
      `mysql+pymysql://keystone:hidden@127.0.0.1:${await freePort()}/keystone`,
    );
    await mkdir(join(directory, 'tool'));
    await writeFile(join(directory, 'tool/keystone-manage'), '#!/bin/sh\n', { mode: 0o755 });
    return {
      ...answering(port),
      env: {
        PATH: `${join(directory, 'bin')}:${join(directory, 'tool')}:${process.env['PATH']}`,
        KOLLA_SIDECAR_LISTEN: `127.0.0.1:${port}`,
        KOLLA_DB_SYNC_CONNECTION_FILE: join(directory, 'connection'),
      },
    };
  },
};

/** The sidecar runs until it is stopped, which happens as soon as it responds. */
function answering(port: number): Stage {
  const answered = until('the sidecar to answer', async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/livez`).catch(() => undefined);
    return answer?.status === 200 ? true : undefined;
  });
  const stopAfter = async () => void (await answered);
  return { stopAfter: stopAfter(), code: 143, stderr: /probes, metrics and the status page are answered on/ };
}

async function world(directory: string, sidecar: string): Promise<{ file: string; port: number }> {
  for (const name of ['logs', 'config', 'root']) await mkdir(join(directory, name));
  const file = join(directory, 'kolla-pod.yaml');
  await writeFile(
    file,
    `sidecar: { ${sidecar} }
checks:
  self: { run: "tcp 127.0.0.1:1", period: 1s }
init: { watch: { config-dir: ${directory}/config, root: ${directory}/root } }
log-ship: { root: ${directory}/logs }
`,
  );
  return { file, port: await freePort() };
}
