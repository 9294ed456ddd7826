import { text } from 'node:stream/consumers';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { standIn } from '../../logship/setup/server.ts';
import { listenHttp } from '../../support/server.ts';
import { says, type Stages } from './stage.ts';
import { allCreated } from '../../support/bulk-reply.ts';

export const LOG_SHIP: Stages = {
  'kolla-log-ship --url http://elasticsearch:9200': async (directory, stack) => {
    await logs(directory);
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
    const env = { KOLLA_LOG_SHIP_ROOT: join(directory, 'logs') };
    return { replace: { 'elasticsearch:9200': `127.0.0.1:${port}` }, env, stopAfter };
  },
  'kolla-log-ship --to opensearch=http://opensearch:9200 --to stdout --once': async (directory, stack) => {
    await logs(directory);
    const { port } = stack.use(
      await listenHttp((request, response) => void text(request).then((body) => response.end(allCreated(body)))),
    );
    const env = { KOLLA_LOG_SHIP_ROOT: join(directory, 'logs') };
    return { replace: { 'opensearch:9200': `127.0.0.1:${port}` }, env, stdout: /"Payload":"\[-\] started"/ };
  },
  'kolla-log-ship --once --root /tmp/logs': async (directory) => {
    await logs(directory);
    return { replace: { '/tmp/logs': join(directory, 'logs') }, stdout: /"Payload":"\[-\] started"/ };
  },
  'kolla-log-ship setup --url http://elasticsearch:9200 --keep 14d --dry-run': async (_, stack) => {
    const { url } = stack.use(await standIn({ has: 'ilm' }));
    return {
      replace: { 'http://elasticsearch:9200': url },
      stdout: /^would create ILM policy flog[^]*"min_age": "14d"/,
    };
  },
  'kolla-log-ship setup --saved-objects dashboards': says(/"title":"\[OpenStack\] Overview"/),
};

async function logs(directory: string): Promise<void> {
  await mkdir(join(directory, 'logs/keystone'), { recursive: true });
  await writeFile(
    join(directory, 'logs/keystone/keystone.log'),
    '2026-11-21 03:00:00.000 7 INFO keystone.server.flask [-] started\n',
  );
}
