import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { load } from 'js-yaml';
import { parseDependency, translate } from '../../../src/wait/index.ts';
import { ENTRYPOINT_OPTIONS } from '../../../src/container/init/entrypoint-options.ts';
import { ROWS } from '../../integration/kubernetes-entrypoint-rows.ts';

const PAGE = await readFile(
  new URL('../../../docs/how-to/migration-kubernetes-entrypoint.md', import.meta.url),
  'utf8',
);

interface Container {
  readonly image: string;
  readonly command: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
}

const CONTAINERS = [...PAGE.matchAll(/```yaml\n(name: [^]*?)```/g)].map(([, text]) => load(text ?? '') as Container);

test('after the migration only the image differs', () => {
  const [before, after] = CONTAINERS;
  assert.ok(before && after);
  assert.deepEqual({ ...after, image: '' }, { ...before, image: '' });
  assert.notEqual(after.image, before.image);
});

test("the same wait in kolla-init's own options is equivalent", () => {
  const [, after, own] = CONTAINERS;
  assert.ok(after && own);
  const value = (name: string) => after.env.find((each) => each.name === name)?.value || undefined;
  const { dependencies } = translate(
    {
      service: value('DEPENDENCY_SERVICE'),
      jobs: value('DEPENDENCY_JOBS'),
      jobsJson: value('DEPENDENCY_JOBS_JSON'),
      daemonset: value('DEPENDENCY_DAEMONSET'),
      container: value('DEPENDENCY_CONTAINER'),
      podJson: value('DEPENDENCY_POD_JSON'),
      socket: value('DEPENDENCY_SOCKET'),
      customResource: value('DEPENDENCY_CUSTOM_RESOURCE'),
      config: value('DEPENDENCY_CONFIG'),
      podName: 'me',
      namespace: 'openstack',
    },
    { isLenient: false, warn: assert.fail },
  );
  const waits = own.command.flatMap((word) => /^--wait=(.*)$/.exec(word)?.[1] ?? []);
  const meaning = (dependency: object) => ({ ...dependency, text: '' });
  assert.deepEqual(waits.map(parseDependency).map(meaning), dependencies.map(meaning));
});

test('the page has a row for every variable', () => {
  for (const { env } of ENTRYPOINT_OPTIONS) assert.ok(PAGE.includes(`\n| \`${env}\` |`), env);
});

test('the page has a row for every tested difference, and no other', () => {
  const [, table = ''] =
    /\| case \| kolla-pod \| kubernetes-entrypoint \|\n\|---\|---\|---\|\n([^]*?)\n\n/.exec(PAGE) ?? [];
  const rows = table.split('\n').flatMap((line) => (line.split('|')[1] ?? '').trim().split(', a list '));
  const named = rows.map((row) => (row.startsWith('that ends') ? `a list ${row}` : row));
  const differing = ROWS.filter(({ there }) => there !== undefined).map(({ name }) => name);
  assert.deepEqual(named.toSorted(), differing.toSorted());
});
