import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadAll } from 'js-yaml';
import { logLines, runHelper } from '../../support/helper.ts';

interface Printed {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly { resources: string[]; resourceNames?: string[]; verbs: string[]; apiGroups: string[] }[];
  readonly subjects?: readonly { kind: string; name: string; namespace: string }[];
}

const account = (args: readonly string[]) => (args.includes('--service-account') ? [] : ['--service-account', 'own']);

/** The output, and its rules as `Role namespace: verbs resource names`. */
async function printed(...args: string[]) {
  const { code, stdout, stderr } = await runHelper('kolla-init', ['rbac', '-n', 'ns', ...account(args), ...args], {
    env: { KOLLA_POD_LOG_FORMAT: 'json' },
  });
  assert.equal(code, 0, stderr);
  const objects = loadAll(stdout) as Printed[];
  const rules = objects.flatMap(({ kind, metadata, rules: all = [] }) =>
    all.map(({ resources, resourceNames = [], verbs, apiGroups: [group = ''] }) =>
      [
        `${kind} ${metadata.namespace ?? '-'}:`,
        verbs.join(),
        resources.join() + (group && `.${group}`),
        ...resourceNames,
      ].join(' '),
    ),
  );
  return { objects, rules, messages: logLines(stderr).map(({ msg }) => msg) };
}

const waits = (...texts: string[]) => texts.flatMap((text) => ['--wait', text]);

test('names of one resource share a rule, and a rule covered by another is left out', async () => {
  const { rules } = await printed(...waits('job/a', 'job/b', '!job/c', 'pod/x', 'pod?label=app=y'));
  assert.deepEqual(rules, [
    'Role ns: watch jobs.batch a b',
    'Role ns: get,watch jobs.batch c',
    'Role ns: list,watch pods',
  ]);
});

test('each namespace has a Role, the cluster a ClusterRole, and all are bound to the one ServiceAccount', async () => {
  const args = [...waits('job/a@other', 'daemonset/ovs@other', 'node/n1'), '--service-account', 'ks'];
  const { objects, rules } = await printed(...args);
  assert.deepEqual(rules, [
    'Role ns: get pods',
    'Role other: watch jobs.batch a',
    'Role other: watch daemonsets.apps ovs',
    'Role other: list,watch pods',
    'ClusterRole -: watch nodes n1',
  ]);
  const subjects = objects.flatMap((object) => object.subjects ?? []);
  assert.deepEqual(
    subjects,
    [1, 2, 3].map(() => ({ kind: 'ServiceAccount', name: 'ks', namespace: 'ns' })),
  );
  const clusterWide = objects.filter(({ metadata }) => metadata.namespace === undefined);
  assert.deepEqual(
    clusterWide.map(({ metadata }) => metadata.name),
    ['kolla-init-ns-ks', 'kolla-init-ns-ks'],
  );
});

test('more than eight names are not listed, except for Secrets', async () => {
  const nine = (kind: string) => Array.from({ length: 9 }, (_, i) => `${kind}/n${i}`);
  const { rules } = await printed(...waits(...nine('job'), ...nine('secret')));
  assert.deepEqual(rules, ['Role ns: list,watch jobs.batch', 'Role ns: watch secrets n0 n1 n2 n3 n4 n5 n6 n7 n8']);
});

test('the rule for the Pod itself is limited to its name if the name is known', async () => {
  assert.deepEqual((await printed(...waits('container/a'))).rules, ['Role ns: watch pods']);
  assert.deepEqual((await printed(...waits('container/a'), '--pod-name', 'p')).rules, ['Role ns: watch pods p']);
});

test('a resource known only to a cluster is derived from its name, with a warning', async () => {
  const { rules, messages } = await printed(...waits('Policy.v1.example.org/x', 'ing/y', 'sc/z'));
  assert.deepEqual(rules, [
    'Role ns: watch policies.example.org x',
    'Role ns: watch ingresses.networking.k8s.io y',
    'ClusterRole -: watch storageclasses.storage.k8s.io z',
  ]);
  assert.deepEqual(messages.length, 1);
  assert.match(messages[0] ?? '', /'Policy\.v1\.example\.org' is assumed to be the resource policies\.example\.org/);
});

test("--events allows Events only in the Pod's namespace", async () => {
  const { rules } = await printed(...waits('tcp://a:1'), '--events');
  assert.deepEqual(rules, ['Role ns: create events.events.k8s.io']);
});

test('waits without the API server need no Role', async () => {
  const { objects, messages } = await printed(...waits('tcp://a:1', 'file:/x'));
  assert.deepEqual(objects, []);
  assert.deepEqual(messages, ['no Role is needed: none of these waits uses the API server']);
});

test('invalid options are rejected with exit code 64', async () => {
  for (const args of [
    ['--service-account', 'a'],
    ['--wait', 'jop/x', '--service-account', 'a'],
    ['--wait', 'job/x'],
    ['--wait', 'job/x', '-n', 'A', '--service-account', 'a'],
    ['--wait', 'job/x', '--service-account', 'a_b'],
  ]) {
    const { code, stdout } = await runHelper('kolla-init', ['rbac', ...args]);
    assert.deepEqual([code, stdout], [64, ''], args.join(' '));
  }
});
