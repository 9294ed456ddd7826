import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeAsked } from '../../src/wait/dependency/asked.ts';
import { parseDependency } from '../../src/wait/index.ts';

const OBJECT = {
  metadata: { name: 'x', labels: { 'app.kubernetes.io/name': 'nova' } },
  spec: { replicas: 3, paused: false, empty: '' },
  status: { conditions: [{ type: 'Ready', status: 'True' }], nodes: ['a', 'b'] },
};

for (const [jsonpath, is, state] of [
  ['{.spec.replicas}=3', 'met', '{.spec.replicas}=3'],
  ['{$.spec.paused}=false', 'met', '{$.spec.paused}=false'],
  ['{.spec.replicas}=4', 'pending', '{.spec.replicas}=3'],
  ['{.spec.missing}', 'pending', '{.spec.missing} does not exist yet'],
  ['{.spec.empty}', 'pending', '{.spec.empty}='],
  ['{.spec.empty}=', 'met', '{.spec.empty}='],
  ['{.status.nodes[1]}=b', 'met', '{.status.nodes[1]}=b'],
  ['{.status.nodes[*]}=b', 'met', '{.status.nodes[*]}=a b'],
  [
    '{.status.conditions[?(@.type=="Ready")].status}=True',
    'met',
    '{.status.conditions[?(@.type=="Ready")].status}=True',
  ],
  [
    String.raw`{.metadata.labels.app\.kubernetes\.io/name}=nova`,
    'met',
    String.raw`{.metadata.labels.app\.kubernetes\.io/name}=nova`,
  ],
  ["{.metadata.labels['app.kubernetes.io/name']}", 'met', "{.metadata.labels['app.kubernetes.io/name']}=nova"],
] as const) {
  test(`${jsonpath} of an object is ${is}`, () => {
    const dependency = parseDependency(`widget/x?jsonpath=${encodeURIComponent(jsonpath)}`);
    assert.ok(dependency.form === 'object');
    const judge = judgeAsked(dependency);
    assert.deepEqual(judge(OBJECT), { is, state });
  });
}
