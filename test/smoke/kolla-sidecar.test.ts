import assert from 'node:assert/strict';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { canRunElasticsearch } from '../cluster/elasticsearch.ts';
import { canRunMariadb } from '../cluster/mariadb.ts';
import { configJson, mountVersion, sidecarSite } from '../integration/kolla-sidecar-support.ts';
import { databaseName, sharedElasticsearch, sharedMariadb } from '../servers/index.ts';
import { until } from '../support/until.ts';

const skip = (await canRunMariadb()) ?? (await canRunElasticsearch()) ?? false;
const [FIRST, SECOND] = ['..2026_11_21_14_00_00.1', '..2026_11_21_14_05_00.2'];

test('kolla-sidecar reloads a configuration, ships logs, and shows all of it on its page', { skip }, async () => {
  await using mariadb = await sharedMariadb();
  await using elasticsearch = await sharedElasticsearch();
  await using site = await sidecarSite('smoke');
  const [place, told] = [join(site.path, 'root/etc/keystone/a.conf'), join(site.path, 'told')];
  const prefix = databaseName('sidecar');
  const mounted = (version: string, text: string) =>
    mountVersion(site, version, { 'config.json': configJson(['a.conf']), 'a.conf': text });
  await mounted(FIRST, 'a = 1\n');
  await appendFile(
    join(site.path, 'logs/keystone/keystone.log'),
    '2026-11-21 03:00:00.000 7 INFO keystone.server [-] of the pod\n',
  );
  const action = `exec:sh -c "echo changed >>${told}"`;
  await site.write({
    sidecar: { component: ['probe', 'config-watch', 'log-ship'] },
    checks: { database: { run: `tcp ${mariadb.host}:${mariadb.port}`, period: '1s' } },
    init: {
      watch: {
        'config-dir': join(site.path, 'config'),
        root: join(site.path, 'root'),
        settle: '50ms',
        'on-change': [action],
      },
    },
    'log-ship': { root: join(site.path, 'logs'), url: elasticsearch.url, 'index-prefix': prefix },
  });
  const sidecar = await site.start();
  await using running = sidecar.running;
  await sidecar.until('the first version', ({ files }) => files[0]?.configMap === FIRST);
  assert.equal(await readFile(place, 'utf8'), 'a = 1\n');
  await sidecar.until('the check to be good', ({ checks }) => checks[0]?.state === 'healthy');
  assert.deepEqual(await sidecar.get('/readyz'), { status: 200, body: 'ok\n' });
  await until('its log line', async () => (await elasticsearch.count(`${prefix}-*`)) === 1 || undefined);

  await mounted(SECOND, 'a = 2\n');
  await sidecar.until('the second version', ({ files }) => files[0]?.configMap === SECOND);
  assert.equal(await readFile(place, 'utf8'), 'a = 2\n');
  await until(
    'the action',
    async () => (await readFile(told, 'utf8').catch(() => '')).endsWith('changed\n') || undefined,
  );
  const page = await sidecar.get('/');
  assert.equal(page.status, 200);
  assert.match(page.body, /<title>[^<]*kolla-sidecar/);
  assert.equal(await running.stop(), 143);
});
