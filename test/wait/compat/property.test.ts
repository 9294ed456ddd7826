import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../../../src/core/errors.ts';
import { parseJson, type Json } from '../../../src/wait/compat/json.ts';
import { oneOf, randomFrom } from '../../support/random.ts';
import { read, texts } from './support.ts';

const ROUNDS = 20_000;

/** Splits a list as kubernetes-entrypoint does, without the entries that it skips. */
function asThere(text: string): { name: string; namespace: string }[] {
  return text.split(',').flatMap((item) => {
    const parts = item.split(':');
    if (parts.length === 1) return [{ name: item, namespace: 'base' }];
    const [namespace = '', name = ''] = parts;
    return parts.length === 2 && namespace !== '' ? [{ name, namespace }] : [];
  });
}

const NAME = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

test(`each of ${ROUNDS} lists keeps its meaning in kubernetes-entrypoint, or is rejected because it skipped something or would wait forever`, () => {
  const random = randomFrom(5_011_972);
  const pieces = ['a', 'keystone-api', 'ns', ':', ':', ',', ',', ' ', '-', 'A', '.', '/', 'Ä', '\u{1F600}'];
  const seen = { read: 0, leftOut: 0, inVain: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const text = Array.from({ length: 1 + Math.floor(random() * 7) }, () => oneOf(random, pieces)).join('');
    const there = asThere(text);
    const isWhole = there.length === text.split(',').length;
    const comes = there.every(({ name, namespace }) => NAME.test(name) && NAME.test(namespace));
    const wanted = [...new Set(there.map(({ name, namespace }) => `Service ${name} in namespace ${namespace}`))];
    const where = `round ${round}: ${JSON.stringify(text)}`;
    if (comes) assert.deepEqual(texts(read({ service: text }, true).dependencies), wanted, where);
    else assert.throws(() => read({ service: text }, true), UsageError, where);
    if (comes && isWhole) assert.deepEqual(texts(read({ service: text }).dependencies), wanted, where);
    else
      assert.throws(
        () => read({ service: text }),
        /^UsageError: DEPENDENCY_SERVICE, column \d+: |^LeftOutError: /,
        where,
      );
    seen[!comes ? 'inVain' : isWhole ? 'read' : 'leftOut']++;
  }
  for (const [what, times] of Object.entries(seen)) assert.ok(times > 500, `${what}: only ${times}`);
});

test(`${ROUNDS} texts are accepted exactly as by JSON.parse, with the same value`, () => {
  const random = randomFrom(8_259);
  const pieces = [
    ...'[]{}:,"\\ \n\t0-1.eE+'.split(''),
    '"a"',
    '"\\u00e4\\n"',
    'true',
    'null',
    'fals',
    '{"a":',
    '[1,',
    '1e5',
    '\u2028',
    '\0',
  ];
  let valid = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const text =
      random() < 0.5
        ? someJson(random, 0)
        : Array.from({ length: 1 + Math.floor(random() * 6) }, () => oneOf(random, pieces)).join('');
    const where = `round ${round}: ${JSON.stringify(text)}`;
    let wanted: unknown;
    try {
      wanted = JSON.parse(text);
    } catch {
      assert.throws(() => parseJson({ text }), UsageError, where);
      continue;
    }
    valid++;
    assert.deepEqual(plain(parseJson({ text })), wanted, where);
  }
  assert.ok(valid > ROUNDS / 3, `only ${valid} were JSON`);
});

test(`each of ${ROUNDS} values of each JSON variable is accepted or rejected with its column`, () => {
  const random = randomFrom(77);
  const variables = { jobsJson: 'JOBS_JSON', podJson: 'POD_JSON', customResource: 'CUSTOM_RESOURCE' } as const;
  const times = { jobsJson: 0, podJson: 0, customResource: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    for (const key of Object.keys(variables) as (keyof typeof variables)[]) {
      const text = JSON.stringify([someEntry(random, key)]);
      try {
        times[key] += read({ [key]: text }, random() < 0.5).dependencies.length;
      } catch (error) {
        assert.ok(error instanceof UsageError, `${text}: ${String(error)}`);
        assert.match(error.message, new RegExp(`^DEPENDENCY_${variables[key]}, column \\d+: `));
      }
    }
  }
  for (const [key, n] of Object.entries(times)) assert.ok(n > 100, `${key}: only ${n}`);
});

test('a text of a hundred thousand brackets is rejected without exhausting the stack', () => {
  assert.throws(() => read({ jobsJson: '['.repeat(100_000) }), UsageError);
});

const VALUES: readonly unknown[] = [
  'a',
  'keystone-db-sync',
  '',
  'A b',
  7,
  true,
  null,
  {},
  [],
  { app: 'x' },
  { app: 1 },
  ['a'],
  'v1',
  'a.b/v1',
  'Kind',
];
const LISTS: readonly unknown[] = [
  [],
  [{}],
  [{ key: 'a.b', value: 'c' }],
  [{ key: 7 }],
  [{ type: 'Ready' }],
  [{ type: 'Ready', status: 'False' }],
  'x',
  null,
];

function someEntry(random: () => number, key: string): unknown {
  if (random() < 0.05) return oneOf(random, VALUES);
  const names =
    key === 'customResource'
      ? ['apiVersion', 'kind', 'name', 'namespace', 'fields', 'conditions']
      : ['name', 'labels', 'namespace', 'requireSameNode'];
  const good: Readonly<Record<string, unknown>> = {
    apiVersion: 'a.b/v1',
    kind: 'Kind',
    name: 'a',
    namespace: 'ns',
    labels: { app: 'x' },
    requireSameNode: true,
    fields: [{ key: 'a.b', value: 'c' }],
    conditions: [{ type: 'Ready' }],
  };
  return Object.fromEntries(
    names.flatMap((name) => {
      const roll = random();
      if (roll < 0.2) return [];
      if (roll < 0.9) return [[name, good[name]]];
      return [[name, oneOf(random, name === 'fields' || name === 'conditions' ? LISTS : VALUES)]];
    }),
  );
}

function someJson(random: () => number, depth: number): string {
  const blank = oneOf(random, ['', '', ' ', '\n']);
  const kind = depth > 3 ? 0 : Math.floor(random() * 3);
  const many = <T>(make: () => T) => Array.from({ length: Math.floor(random() * 3) }, make);
  if (kind === 1) return `[${many(() => blank + someJson(random, depth + 1)).join(`,${blank}`)}]`;
  // JSON.parse uses the last of two equal keys.
  if (kind === 2)
    return `{${many(() => `"${oneOf(random, ['a', 'b', '\\u0061'])}"${blank}:${someJson(random, depth + 1)}`).join(',')}}`;
  return oneOf(random, ['1', '-0.5e3', '"x"', '"\\"\\\\\\/"', 'true', 'false', 'null', '"\u{1F600}"', '""']);
}

function plain(json: Json): unknown {
  if (json.is === 'array') return json.items.map(plain);
  if (json.is === 'object') return Object.fromEntries(json.members.map(({ key, value }) => [key, plain(value)]));
  return json.is === 'null' ? null : json.value;
}
