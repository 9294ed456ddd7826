import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listenHttp } from '../../support/server.ts';
import type { Stages } from './stage.ts';

export const LOG_SHIP: Stages = {
  'kolla-log-ship --url http://elasticsearch:9200': async (folder, stack) => {
    await logs(folder);
    let shipped = () => {};
    const stopAfter = new Promise<void>((resolve) => (shipped = resolve));
    const { port } = stack.use(
      await listenHttp((request, response) => {
        request.resume().once('end', () => {
          response.setHeader('content-type', 'application/json');
          response.end(JSON.stringify({ errors: false, took: 1, items: [{ create: { status: 201 } }] }));
          if (request.url?.includes('_bulk') === true) response.once('finish', shipped);
        });
      }),
    );
    const env = { KOLLA_LOG_SHIP_ROOT: join(folder, 'logs') };
    return { replace: { 'elasticsearch:9200': `127.0.0.1:${port}` }, env, stopAfter };
  },
  'kolla-log-ship --once --root /tmp/logs': async (folder) => {
    await logs(folder);
    return { replace: { '/tmp/logs': join(folder, 'logs') }, stdout: /"Payload":"\[-\] started"/ };
  },
};

async function logs(folder: string): Promise<void> {
  await mkdir(join(folder, 'logs/keystone'), { recursive: true });
  await writeFile(
    join(folder, 'logs/keystone/keystone.log'),
    '2026-11-21 03:00:00.000 7 INFO keystone.server.flask [-] started\n',
  );
}
