/**
 * Takes docs/images/status.png: the status page of a real run, as rendered by Debian's chromium.
 *
 *   MariaDB, memcached, Elasticsearch -> kolla-init -> kolla-sidecar with every component: waits, migrates Keystone's schema,
 *     follows its configuration, ships its log -> Keystone serves -> memcached stops, a broken ConfigMap version arrives -> the page
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../tools/port.ts';
import { must, start, tied } from '../tools/process.ts';
import { startElasticsearch } from './cluster/elasticsearch.ts';
import { keystone, keystoneConf, type CommandLine } from './cluster/keystone.ts';
import { startMariadb } from './cluster/mariadb.ts';
import { startMemcached } from './cluster/memcached.ts';
import { startBrowser } from './integration/browser.ts';
import { runHelper } from './support/helper.ts';
import { configJson, mountVersion, sidecarSite } from './integration/kolla-sidecar-support.ts';

const FILE = 'docs/images/status.png';
const PASSWORD = 'picture-password';
const V1 = '..2026_11_21_14_00_00.1';
const V2 = '..2026_11_21_14_05_00.2';

await using site = await sidecarSite('picture');
await using mariadb = await startMariadb();
const cachePort = await freePort();
await using memcached = await startMemcached(cachePort);
await using elasticsearch = await startElasticsearch();
const service = await keystone();

const keys = join(site.path, 'keys');
const conf = keystoneConf({
  connection: `mysql+pymysql://keystone:${PASSWORD}@${mariadb.host}:${mariadb.port}/keystone?charset=utf8`,
  keys,
  logDirectory: join(site.path, 'logs/keystone'),
});
const confFile = join(site.path, 'root/etc/keystone/keystone.conf');
await mkdir(join(site.path, 'bin'));
await writeProgram(join(site.path, 'bin/keystone-manage'), service.manage(confFile));
const files = {
  'keystone.conf': conf,
  'policy.yaml': '{}\n',
  'config.json': configJson(['keystone.conf', 'policy.yaml']),
};
await mountVersion(site, V1, files);
const installed = ['--config-dir', join(site.path, 'config'), '--root', join(site.path, 'root')];
const { code, stderr } = await runHelper('kolla-init', installed);
if (code !== 0) throw new Error(`kolla-init exited with ${code}: ${stderr}`);

const apiPort = await freePort();
await site.write({
  sidecar: { role: ['config-watch', 'waits', 'db-sync', 'probe', 'log-ship'], service: 'keystone' },
  checks: {
    api: { run: `http http://127.0.0.1:${apiPort}/v3`, for: ['startup', 'readiness'], period: '1s' },
    worker: { run: `listen ${apiPort}`, for: 'liveness', period: '1s' },
    cache: { run: `memcached 127.0.0.1:${cachePort}`, for: 'readiness', period: '1s' },
  },
  init: {
    wait: [`mysql://${mariadb.host}:${mariadb.port}`, `memcached://127.0.0.1:${cachePort}`],
    watch: { 'config-dir': join(site.path, 'config'), root: join(site.path, 'root'), settle: '50ms' },
  },
  'db-sync': { release: '2026.1-r3', phase: 'expand', lock: 'row', 'service-config': confFile, 'admin-user': 'root' },
  'log-ship': { root: join(site.path, 'logs'), url: elasticsearch.url },
});
const sidecar = await site.start([], {
  PATH: `${join(site.path, 'bin')}:${process.env['PATH']}`,
  POD_NAME: 'keystone-5d4f8c7b9-x2x7q',
  POD_NAMESPACE: 'openstack',
  NODE_NAME: 'control-1',
  KOLLA_DB_SYNC_ADMIN_PASSWORD: mariadb.rootPassword,
});
await using _ = sidecar.running;
await sidecar.until('the schema to be ready', ({ migration }) => migration?.stage === 'ok');

for (const step of ['fernet_setup', 'credential_setup']) {
  const own = [`--keystone-user=${process.getuid?.() ?? 0}`, `--keystone-group=${process.getgid?.() ?? 0}`];
  const { command, args, env } = service.manage(confFile);
  await must(command, [...args, step, ...own], { env: { ...process.env, ...env } });
}
const served = service.serve({ configFile: confFile, port: apiPort });
await using api = await start(...tied(served.command, served.args), {
  env: { ...process.env, ...served.env },
  logFile: join(site.path, 'keystone-console.txt'),
});
const isHealthy = (name: string, wanted: string) => (status: Awaited<ReturnType<typeof sidecar.status>>) =>
  status.checks.find((check) => check.name === name)?.state === wanted;
await sidecar.until('Keystone to answer', isHealthy('api', 'healthy'));
await mountVersion(site, V2, { ...files, 'policy.yaml': '"identity:list_users": "role:admin"\n' });
await sidecar.until('the new version', ({ config }) => config?.configMap === V2);
await mountVersion(site, '..2026_11_21_14_09_00.3', {
  ...files,
  'config.json': files['config.json'].replace('"0600"', '"06OO"'),
});
await sidecar.until('the refusal', ({ config }) => config?.state === 'refused');
await memcached.stop();
await sidecar.until('the cache to be missed', isHealthy('cache', 'unhealthy'));
await sidecar.until('the log to be in', ({ shipping }) => shipping?.lagBytes === 0 && shipping.acknowledged > 0);

await using browser = await startBrowser();
const page = await browser.open(`http://127.0.0.1:${site.port}/`, {
  viewport: { width: 960, height: 700 },
  colorScheme: 'light',
});
await page.getByText('live', { exact: true }).waitFor();
await page.evaluate('document.fonts.ready');
const picture = await page.screenshot({ fullPage: true, animations: 'disabled' });
await mkdir('docs/images', { recursive: true });
await writeFile(FILE, picture);
console.log(`${FILE}: ${picture.byteLength} bytes`);
await api.stop();

/** A command line under a name on the PATH, with its environment. */
async function writeProgram(path: string, { command, args, env }: CommandLine): Promise<void> {
  const words = [
    'env',
    ...Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`])),
    command,
    ...args,
  ];
  const line = words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ');
  await writeFile(path, `#!/bin/sh\nexec ${line} "$@"\n`, { mode: 0o755 });
}
