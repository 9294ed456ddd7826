/**
 * The whole cloud of docs/start/kind.md: its commands, which `make cloud` runs, with programs that only record their arguments,
 * and its values with Helm. The page's other sections run on a node: test/e2e/kind.test.ts.
 */
import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { load } from 'js-yaml';
import { chartNames } from '../../build/charts.ts';
import { packageVersion } from '../../build/version.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { must } from '../../tools/process.ts';
import { rendering } from '../charts/support.ts';
import { installation, siteValues } from '../cloud/by-page.ts';
import { REGISTRY } from '../cloud/images.ts';
import { blocksUnder } from './page.ts';

/** Installed before the values of the whole cloud are written. */
const FIRST: ReadonlySet<string> = new Set(['mariadb', 'keystone']);
const [values = '', , dashboard = ''] = await blocksUnder('start/kind', 'The whole cloud');

/** Runs blocks with a program that appends its name and arguments to a file. @returns its lines, and the file cloud.yml */
async function recorded(...blocks: readonly string[]): Promise<{ lines: string[]; cloud: string }> {
  await using directory = await privateDirectory('kind');
  const bin = join(directory.path, 'bin');
  await mkdir(bin);
  for (const name of ['kubectl', 'helm', 'kind']) {
    await writeFile(join(bin, name), `#!/bin/sh\necho "${name} $*" >> ../recorded\n`);
    await chmod(join(bin, name), 0o755);
  }
  const cwd = join(directory.path, 'release');
  await mkdir(cwd);
  await must('bash', ['--norc', '-euc', blocks.join('')], { cwd, env: { PATH: `${bin}:${process.env['PATH']}` } });
  const lines = (await readFile(join(directory.path, 'recorded'), 'utf8')).trimEnd().split('\n');
  return { lines, cloud: await readFile(join(cwd, 'cloud.yml'), 'utf8').catch(() => '') };
}

test('the page installs every chart once, and waits for all of them', async () => {
  const { lines } = await recorded(...(await installation()));
  const commands = lines.map((line) => line.split(' '));
  for (const [program, verb, name, chart, ...options] of commands) {
    assert.deepEqual([program, verb, chart], ['helm', 'install', `charts/${name}-${packageVersion()}.tgz`]);
    const files = options.filter((_, i) => options[i - 1] === '-f');
    assert.deepEqual(files, ['site.yml', ...(FIRST.has(name ?? '') ? [] : ['cloud.yml']), 'passwords.yml']);
    // Keystone is not ready before MariaDB, which therefore needs no wait of its own.
    assert.equal(options.includes('--wait'), name !== 'mariadb');
  }
  assert.deepEqual(commands.map(([, , name = '']) => name).toSorted(), chartNames().toSorted());
});

test('make cloud runs these commands with its own values', async () => {
  const live = new URL('../cloud/live.yml', import.meta.url).pathname;
  const site = (await siteValues({ release: '2026.1', storage: undefined }, [live])) as {
    global: { tag: string; registry: string };
    config: object;
  };
  assert.deepEqual([site.global.tag, site.global.registry, site.config], ['2026.1', REGISTRY, { reload: 'live' }]);
});

for (const name of chartNames())
  test(`${name} renders with the page's values`, { skip: (await canRunHelm()) ?? false }, async () => {
    await using chart = await rendering(name);
    const { cloud } = await recorded(values);
    assert.ok((await chart.render(load(cloud) as object)).all.length > 0);
  });

test("the page's port is Horizon's", async () => {
  const port = /service\/horizon (\d+)$/m.exec(dashboard)?.[1];
  await using chart = await rendering('horizon');
  assert.equal(String((await chart.render()).one('Service', 'horizon')['spec'].ports[0].port), port);
});
