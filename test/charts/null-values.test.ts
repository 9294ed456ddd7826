import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { CHARTS } from '../../build/charts.ts';
import { loadValues } from '../../src/core/helm-yaml.ts';
import { isMapping } from '../../src/core/mapping.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { rendering, type Rendering } from './support.ts';

const SMALL = fileURLToPath(new URL('fixtures/small', import.meta.url));
const skip = (await canRunHelm()) ?? false;
/** What a template writes for a value that is not there. */
const HOLE = /<nil>|%!|<no value>|\[null|null\]/;

const { globalDefaults, ...own } = load(readFileSync(`${CHARTS}kolla-pod/values.yaml`, 'utf8')) as Record<
  string,
  object
>;

/** A default of the library, with its place in the values. */
interface Default {
  readonly path: readonly string[];
  readonly value: unknown;
}

function* defaultsIn(values: object, path: readonly string[] = []): Generator<Default> {
  for (const [key, value] of Object.entries(values)) {
    // Without one a workload has no PodDisruptionBudget.
    if (key === 'pdb') continue;
    yield { path: [...path, key], value };
    if (isMapping(value)) yield* defaultsIn(value, [...path, key]);
  }
}

/** Whether null can stand for it: the empty value of its kind is a value that works. */
function mayBeEmpty(value: unknown): boolean {
  if (isMapping(value)) return Object.values(value).every(mayBeEmpty);
  return Array.isArray(value) || value === '' || value === false;
}

/** Values with null at each path. */
function nullAt(...paths: readonly (readonly string[])[]): object {
  const values: Record<string, unknown> = {};
  for (const path of paths) {
    let map = values;
    for (const key of path.slice(0, -1)) map = (map[key] ??= {}) as Record<string, unknown>;
    map[path.at(-1) ?? ''] ??= null;
  }
  return values;
}

// Those of `global` are checked by the schema, which accepts no null, but for the keys of a map of the user's.
const GLOBAL = [...defaultsIn({ global: globalDefaults })];
const OWN = [...defaultsIn(own)];
const NEEDED = OWN.filter(({ value }) => !mayBeEmpty(value));
// `settings` are the chart's own.
const EMPTY = OWN.filter(({ path, value }) => path[0] !== 'settings' && mayBeEmpty(value));

describe('null in values', { skip }, () => {
  let small: Rendering;
  before(async () => {
    small = await rendering('small', SMALL);
  });
  after(async () => await small?.[Symbol.asyncDispose]());

  test('a list, a map and what is empty by default are empty', async () => {
    assert.ok(EMPTY.length > 60);
    const { all } = await small.render(nullAt(...EMPTY.map(({ path }) => path)));
    assert.doesNotMatch(JSON.stringify(all), HOLE);
  });

  test('all of a workload that may be empty may be null', async () => {
    const { workloadDefaults = {} } = own;
    const paths = [...defaultsIn(workloadDefaults)].filter(({ value }) => mayBeEmpty(value)).map(({ path }) => path);
    const values = nullAt(...paths.map((path) => ['workloads', 'api', ...path]));
    Object.assign((values as { workloads: { api: object } }).workloads.api, { command: 'small-api' });
    const { all } = await small.render(values);
    assert.doesNotMatch(JSON.stringify(all), HOLE);
  });

  test('what the chart needs is named', async () => {
    assert.ok(NEEDED.length > 30);
    for (const { path } of NEEDED) {
      const complaint = (await small.complaint(nullAt(path))) ?? '';
      const [, place = ''] =
        /execution error .*: small: (\S+): null removes it, and the chart needs it/.exec(complaint) ?? [];
      assert.ok(`${place}.`.startsWith(`${path.join('.')}.`), `${path.join('.')}: ${complaint}`);
    }
  });

  test('a global value is empty, rejected by the schema, or named', async () => {
    for (const { path } of GLOBAL) {
      const complaint = await small.complaint(nullAt(path));
      if (complaint === undefined) assert.doesNotMatch(JSON.stringify((await small.render(nullAt(path))).all), HOLE);
      else assert.match(complaint, /at '\/global\S*': |execution error .*: small: global\.\S+: null removes it/);
    }
  });

  for (const [set, place] of [
    ['upgrade.phases[3]=online', String.raw`upgrade\.phases\[0\]`],
    ['bootstrap.run.skip[1]=queue', String.raw`bootstrap\.run\.skip\[0\]`],
    ['networkPolicy.from[1].podSelector.matchLabels.a=b', String.raw`networkPolicy\.from\[0\]`],
    ['workloads.api.extraContainers[1].name=x', String.raw`workloads\.api\.extraContainers\[0\]`],
    ['workloads.api.podSpec.hostAliases[1].ip=1.2.3.4', String.raw`workloads\.api\.podSpec\.hostAliases\[0\]`],
    ['global.tolerations.controller[1].key=x', String.raw`global\.tolerations\.controller\[0\]`],
    ['global.pullSecrets[1]=x', String.raw`global\.pullSecrets\[0\]`],
    ['global.charts.small.needs[1]=tcp://a:1', String.raw`global\.charts\.small\.needs\[0\]`],
    ['objects[1].kind=x', String.raw`objects\[0\]`],
  ] as const)
    test(`--set ${set} is rejected, since Helm leaves null in the list`, async () => {
      const whole = new RegExp(
        `small: ${place}: null in a list; a list is replaced as a whole, so give all of its items`,
      );
      const schema = new RegExp(`at '/${place.replaceAll(String.raw`\.`, '/').replace(/\\\[0\\\]$/, '/0')}': got null`);
      await assert.rejects(small.render({}, ['--set', set]), (error: Error) =>
        [whole, schema].some((pattern) => pattern.test(error.message)),
      );
    });

  for (const [text, value, kind] of [
    ['010', 8, 'number'],
    ['1.10', 1.1, 'number'],
    ['yes', true, 'boolean'],
  ] as const)
    test(`env: ${text} without quotes is rejected, since YAML makes a ${kind} of it`, async () => {
      const withEnv = (A: string | number | boolean) => ({ workloads: { api: { env: { A } } } });
      assert.deepEqual(loadValues(`A: ${text}`), { A: value });
      const complaint = (await small.complaint(withEnv(value))) ?? '';
      assert.match(complaint, new RegExp(String.raw`small: env\.A: YAML has made a ${kind} of it.*write it in quotes`));
      const { all } = await small.render(withEnv(text));
      assert.ok(JSON.stringify(all).includes(`{"name":"A","value":"${text}"}`));
    });
});
