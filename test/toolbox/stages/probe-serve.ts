import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePorts } from '../../../tools/port.ts';
import { listenHttp } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import type { Stages } from './stage.ts';

export const PROBE_SERVE: Stages = {
  'kolla-probe serve': async (directory, stack) => {
    const [port = 0] = await freePorts(1);
    const env = {
      KOLLA_POD_CONFIG: await config(directory, stack),
      KOLLA_PROBE_LISTEN: `127.0.0.1:${port}`,
    };
    return { env, code: 143, stopAfter: ready(port) };
  },
  'kolla-probe serve --config kolla-pod.yaml --listen 127.0.0.1:9808': async (directory, stack) => {
    await config(directory, stack);
    const [port = 0] = await freePorts(1);
    const replace = { '127.0.0.1:9808': `127.0.0.1:${port}` };
    const stderr = new RegExp(`on 127\\.0\\.0\\.1:${port}; checks: 1`);
    return { replace, code: 143, stderr, stopAfter: ready(port) };
  },
};

/** One healthy check in the directory's kolla-pod.yaml; returns its path. */
async function config(directory: string, stack: AsyncDisposableStack): Promise<string> {
  const { port } = stack.use(await listenHttp((_, response) => void response.end()));
  const file = join(directory, 'kolla-pod.yaml');
  await writeFile(file, `checks: { api: { run: "http http://127.0.0.1:${port}/", period: 1s } }\n`);
  return file;
}

function ready(port: number): Promise<void> {
  return until('readiness', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    return response?.status === 200 ? true : undefined;
  }).then(() => undefined);
}
