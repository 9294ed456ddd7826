/**
 * kubectl's own JSONPath and ours on one object. `--local` sends nothing to an API server. Where kubectl ends with an error,
 * a wait sees no value or no verdict, and continues.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageOf } from '../../src/core/errors.ts';
import { findValues } from '../../src/wait/jsonpath/find.ts';
import { parseJsonPath } from '../../src/wait/jsonpath/parse.ts';
import { run } from '../../tools/process.ts';
import { canBuildKubernetes, kubectlBinary } from '../cluster/kubernetes/binaries.ts';

const skip = (await canBuildKubernetes()) ?? false;

const OBJECT = {
  apiVersion: 'example.org/v1',
  kind: 'Widget',
  metadata: { name: 'x', labels: { 'app.kubernetes.io/name': 'nova', x: 'y' } },
  spec: { replicas: 3, share: 0.5, paused: false, empty: '', 'odd key': 1, none: null, list: [1, 2, 3, 4, 5] },
  status: {
    conditions: [
      { type: 'Ready', status: 'True', seen: 3, 'odd"': 1 },
      { type: "Won't", status: 'False', seen: 1 },
      { type: 'Other', status: 'True', nested: { list: [{ type: 'Ready' }, { type: 'Deep' }] } },
    ],
    nodes: ['a', 'b'],
    empty: [],
  },
};

/** Paths whose values are the same, in the same order. */
const SAME = [
  '{.spec.replicas}',
  '{$.spec.replicas}',
  '{@.spec.replicas}',
  '{ .spec.replicas }',
  '{.spec.share}',
  '{.spec.paused}',
  '{.spec.missing}',
  '{.spec.missing.deeper[0].x}',
  "{.spec['replicas']}",
  "{['spec']['replicas']}",
  "{.spec['replicas','paused']}",
  String.raw`{.metadata.labels.app\.kubernetes\.io/name}`,
  String.raw`{.metadata.labels['app\.kubernetes\.io/name']}`,
  '{.spec.list[0]}',
  '{.spec.list[-1]}',
  '{.spec.list[-5]}',
  '{.spec.list[*]}',
  '{.spec.list[1:3]}',
  '{.spec.list[:2]}',
  '{.spec.list[3:]}',
  '{.spec.list[:]}',
  '{.spec.list[-2:]}',
  '{.spec.list[0:5:2]}',
  '{.spec.list[::3]}',
  '{.spec.list[0,2]}',
  '{.status.nodes[*]}',
  '{.status.empty[*]}',
  '{.status.conditions[*].type}',
  '{.status.conditions[?(@.type=="Ready")].status}',
  "{.status.conditions[?(@.type=='Ready')].status}",
  '{.status.conditions[?( @.type == "Ready" )].status}',
  '{.status.conditions[?(@.type!="Ready")].type}',
  String.raw`{.status.conditions[?(@.type=='Won\'t')].status}`,
  '{.status.conditions[?(@.type=="none")].status}',
  '{.status.conditions[?(@.seen)].type}',
  '{.status.conditions[?(@.missing)].type}',
  '{.status.conditions[?(@.seen==3)].type}',
  '{.status.conditions[?(@.seen!=3)].type}',
  '{.status.conditions[?(@.seen<3)].type}',
  '{.status.conditions[?(@.seen<=3)].type}',
  '{.status.conditions[?(@.seen>1)].type}',
  '{.status.conditions[?(@.seen>=1)].type}',
  '{.status.conditions[?(@.type>"Ready")].type}',
  '{.status.conditions[?(@.nested.list[0].type=="Ready")].type}',
  '{.status.conditions[?(@.type==@.type)].type}',
  '{.status.nodes[?(@=="b")]}',
  '{.status.conditions[?(@.status=="True")].nested.list[*].type}',
  '{..nested.list[*].type}',
  '{.status..type}',
  '{.spec.none}',
  '{.spec.none.x}',
];

/** Paths for which kubectl has an error, and whose values here are these, or the error that names this. */
const STRICTER: readonly (readonly [path: string, ours: readonly unknown[] | RegExp])[] = [
  ["{.spec['odd key']}", [1]],
  ['{.spec.list[9]}', []],
  ['{.spec.list[1:9]}', [2, 3, 4, 5]],
  ['{.spec.replicas[0]}', []],
  ['{.spec[?(@.a=="b")]}', []],
  ['{.status.conditions[?(@.seen=="3")].type}', /compares a number with a string/],
  ['{.status.conditions[?(@.type==1)].type}', /compares a string with a number/],
  ['{.spec.list[x]}', /is missing/],
  ['{.spec.list[0}', /is missing/],
  ['{.spec', /'}' is missing/],
];

test('a path leads to the values that kubectl prints', { skip }, async () => {
  const ours = SAME.map((path) => findValues(parseJsonPath(path), OBJECT).map(textOf).join(' '));
  const printed = [];
  for (const path of SAME) printed.push(await kubectlsOf(path));
  assert.deepEqual(
    printed.map((each, i) => [SAME[i], each]),
    ours.map((text, i) => [SAME[i], { code: 0, text }]),
  );
});

test("kubectl's errors are no value, no verdict or an error here", { skip }, async () => {
  for (const [path, ours] of STRICTER) {
    assert.equal((await kubectlsOf(path)).code, 1, path);
    const find = () => findValues(parseJsonPath(path), OBJECT);
    if (ours instanceof RegExp) assert.throws(find, (error) => ours.test(messageOf(error)), path);
    else assert.deepEqual(find(), ours, path);
  }
});

test('an operator that no value matches in kubectl is rejected', { skip }, async () => {
  const path = '{.status.conditions[?(@.type~"R")].type}';
  assert.deepEqual(await kubectlsOf(path), { code: 0, text: '' });
  assert.throws(() => parseJsonPath(path), /'\)' is missing/);
});

async function kubectlsOf(path: string): Promise<{ code: number | null; text: string }> {
  const args = ['label', '--local', '--filename=-', 'x=y', `--output=jsonpath=${path}`, '--overwrite'];
  const { code, stdout } = await run(await kubectlBinary(), args, { input: JSON.stringify(OBJECT) });
  return { code, text: stdout };
}

/** As kubectl writes values. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
