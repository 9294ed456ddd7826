/** A real uWSGI, with the file that a chart renders, that serves slow requests. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { stat, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { canRunHelm } from '../../tools/helm.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { freePort } from '../../tools/port.ts';
import { start, tied } from '../../tools/process.ts';
import { filesOf, workloadsOf } from '../charts/service-charts.ts';
import { rendering } from '../charts/support.ts';
import { canRunKeystone, keystone, uwsgiOf } from '../cluster/keystone.ts';
import { runHelper } from '../support/helper.ts';
import { until } from '../support/until.ts';

const reason = (await canRunHelm()) ?? (await canRunKeystone());

/** Holds requests for /slow until the file RELEASED exists, and appends a byte to the file HELD for each. */
const APPLICATION = `
import os, sys, time
def application(environ, start_response):
    if environ['PATH_INFO'] == '/slow':
        open(os.environ['HELD'], 'a').write('x')
        while not os.path.exists(os.environ['RELEASED']): time.sleep(0.1)
    start_response('200 OK', [])
    return [b'']
`;

/** Two took neutron-server, which had two workers, out of its Service. */
const SLOW = 3;

for (const [chart, workload] of [
  ['neutron', 'server'],
  ['placement', 'api'],
] as const)
  test(
    `${chart}: while slow requests occupy workers, another one serves the readiness check`,
    { skip: reason ?? false },
    async () => {
      await using helm = await rendering(chart);
      const rendered = await helm.render();
      const one = workloadsOf(rendered).find(({ metadata }) => metadata.name === `${chart}-${workload}`);
      const [, text = ''] = [...filesOf(rendered, one!)].find(([name]) => name.endsWith('-uwsgi.ini')) ?? [];
      const processes = Number(/^processes = (\d+)$/m.exec(text)?.[1]);
      assert.ok(processes > SLOW, text);

      await using directory = await privateDirectory('uwsgi');
      const at = (name: string) => join(directory.path, name);
      const port = await freePort();
      const { directory: tree, env } = await keystone();
      const uwsgi = await uwsgiOf(tree);
      await writeFile(at('slow.py'), APPLICATION);
      await writeFile(at('held'), '');
      const ini = text
        .replace(/^http = .*$/m, `http = 127.0.0.1:${port}`)
        .replace(/^module = .*$/m, `module = slow:application\npythonpath = ${directory.path}`)
        .replace(/^plugins-dir = .*$/m, `plugins-dir = ${uwsgi.plugins}`)
        .replace(/^plugins = .*$/m, `plugins = http,${uwsgi.plugin}`)
        .replace(/^logto2 = .*$/m, `logto2 = ${at('uwsgi.log')}`);
      await writeFile(at('uwsgi.ini'), ini);
      await using server = await start(...tied(uwsgi.command, ['--ini', at('uwsgi.ini')]), {
        env: { ...env, HELD: at('held'), RELEASED: at('released') },
        logFile: at('out.log'),
        throwAway: true,
      });
      assert.ok(server.pid > 0);
      const isReady = async () => (await runHelper('kolla-probe', ['http', `http://127.0.0.1:${port}/`])).code === 0;
      await until('uWSGI to answer', async () => (await isReady()) || undefined);

      const slow = Array.from({ length: SLOW }, () => get({ host: '127.0.0.1', port, path: '/slow', agent: false }));
      const answers = slow.map(async (request) => (await once(request, 'response')) as [{ statusCode: number }]);
      let answered = 0;
      for (const answer of answers) void answer.then(() => answered++);
      await until(
        'the slow requests to occupy their workers',
        async () => (await readLength(at('held'))) === SLOW || undefined,
      );
      await until('another worker to answer', async () => (await isReady()) || undefined);
      assert.equal(answered, 0);
      await writeFile(at('released'), '');
      for (const [{ statusCode }] of await Promise.all(answers)) assert.equal(statusCode, 200);
    },
  );

async function readLength(file: string): Promise<number> {
  return (await stat(file)).size;
}
