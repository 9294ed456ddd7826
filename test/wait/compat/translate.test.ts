import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { UsageError } from '../../../src/core/errors.ts';
import { parseDependency, type EntrypointVariables } from '../../../src/wait/index.ts';
import { formatDependency } from '../grammar/format.ts';
import { read, texts } from './support.ts';

test('a list names Services of the default namespace and of others', () => {
  const { dependencies } = read({ service: 'mariadb,ceph:mon' });
  assert.deepEqual(texts(dependencies), ['Service mariadb in namespace base', 'Service mon in namespace ceph']);
});

test('the translation equals that of --wait', () => {
  const { dependencies } = read({
    service: 'mariadb',
    jobs: 'other:sync',
    daemonset: 'ovs',
    container: 'libvirt',
    podJson: '[{"labels":{"tier":"x","app":"libvirt"},"requireSameNode":true}]',
    socket: '/run/x',
    customResource:
      '[{"apiVersion":"cert-manager.io/v1","kind":"Certificate","name":"web","namespace":"tls","conditions":[{"type":"Ready"}],"fields":[{"key":"status.phase","value":"Done"}]}]',
  });
  const ours = [
    'service/mariadb@base',
    'job/sync@other',
    'daemonset/ovs@base',
    'container/libvirt',
    'pod@base?label=app=libvirt&label=tier=x&node=own',
    'file:/run/x',
    'Certificate.v1.cert-manager.io/web@tls?condition=Ready&jsonpath={.status.phase}=Done',
  ];
  const meaning = (dependency: object) => ({ ...dependency, text: '' });
  assert.deepEqual(dependencies.map(meaning), ours.map(parseDependency).map(meaning));
  for (const dependency of dependencies) assert.ok(formatDependency(dependency).length > 0);
});

test('DEPENDENCY_JOBS_JSON takes precedence over DEPENDENCY_JOBS, with a warning', () => {
  const { dependencies, warnings } = read({
    jobs: 'a',
    jobsJson: '[{"name":"b"},{"labels":{"y":"2","x":"1"},"namespace":"n"}]',
  });
  assert.deepEqual(texts(dependencies), ['Job b in namespace base', 'Jobs with labels map[x:1 y:2] in namespace n']);
  assert.deepEqual(warnings, ['Ignoring DEPENDENCY_JOBS since DEPENDENCY_JOBS_JSON was specified']);
});

test('JSON is read as in Go: null is empty, and names are case-insensitive', () => {
  assert.deepEqual(read({ jobsJson: 'null' }).dependencies, []);
  const { dependencies } = read({ jobsJson: '[{"Name":"a","labels":null,"NAMESPACE":""}]' });
  assert.deepEqual(texts(dependencies), ['Job a in namespace base']);
});

test('a JSON variable without entries is nothing to wait for, and needs no POD_NAME', () => {
  for (const text of ['[]', ' [ ]\n', 'null', ' ', '\t\n'])
    for (const variable of ['jobsJson', 'podJson', 'customResource'] as const)
      assert.deepEqual(read({ [variable]: text, podName: undefined }), {
        dependencies: [],
        configs: [],
        warnings: [],
      });
});

test('a custom resource without a namespace is in the default namespace, unless it is cluster-scoped', () => {
  const [dependency] = read({ customResource: '[{"apiVersion":"v1","kind":"ConfigMap","name":"a"}]' }).dependencies;
  assert.ok(dependency?.form === 'object');
  assert.deepEqual([dependency.kind, dependency.namespace], ['ConfigMap.v1.', undefined]);
  assert.equal(dependency.text, 'CustomResource ConfigMap a in namespace base');
});

test('a namespace before a path or a container is skipped, with a warning', () => {
  const { dependencies, warnings } = read({ socket: 'ns:/run/x', container: 'ns:a' });
  assert.deepEqual(texts(dependencies), ['Container a', 'Socket /run/x']);
  assert.deepEqual(warnings, [
    "DEPENDENCY_CONTAINER, column 1: 'ns:' means nothing here and is skipped",
    "DEPENDENCY_SOCKET, column 1: 'ns:' means nothing here and is skipped",
  ]);
});

test('duplicates are waited for once; different ones with the same name are numbered', () => {
  assert.equal(read({ service: 'a,a,base:a' }).dependencies.length, 1);
  const two = '{"apiVersion":"a.b/v1","kind":"C","name":"x"},{"apiVersion":"a.b/v2","kind":"C","name":"x"}';
  const called = 'CustomResource C x in namespace base';
  assert.deepEqual(texts(read({ customResource: `[${two}]` }).dependencies), [called, `${called} (2)`]);
});

test('files to render are not dependencies', () => {
  assert.deepEqual(read({ config: '/etc/a,/etc/b' }), {
    dependencies: [],
    configs: ['/etc/a', '/etc/b'],
    warnings: [],
  });
});

/**
 * Input that kubernetes-entrypoint skipped: the input, the start of our error, and the dependencies in lenient mode.
 */
const LEFT_OUT: readonly (readonly [Partial<EntrypointVariables>, string, readonly string[]])[] = [
  [
    { service: 'a,b:c:d' },
    "DEPENDENCY_SERVICE, column 3: 'b:c:d' has more than one ':'",
    ['Service a in namespace base'],
  ],
  [{ jobs: ':a,b' }, "DEPENDENCY_JOBS, column 1: ':a' has no namespace", ['Job b in namespace base']],
  [{ daemonset: 'a', podName: undefined }, 'DEPENDENCY_DAEMONSET, column 1: POD_NAME is not set', []],
  [{ podJson: '[{"labels":{"a":"b"}}]', podName: undefined }, 'DEPENDENCY_POD_JSON, column 1: POD_NAME is not set', []],
  [{ jobsJson: '[{"name":"a"}' }, "DEPENDENCY_JOBS_JSON, column 14: malformed JSON: a ',' or ']' is missing", []],
  [{ jobsJson: '[{name: "a"}]' }, 'DEPENDENCY_JOBS_JSON, column 3: malformed JSON: a key in double quotes', []],
  [{ jobsJson: '[] x' }, 'DEPENDENCY_JOBS_JSON, column 4: malformed JSON: text after the end', []],
  [{ jobsJson: '{"name":"a"}' }, 'DEPENDENCY_JOBS_JSON, column 1: this is an object, and not a list', []],
  [{ jobsJson: '[{"name":"a"},{"name":7}]' }, 'DEPENDENCY_JOBS_JSON, column 23: name is a number, and not a text', []],
  [
    { jobsJson: '[{"name":"a","labels":{"x":"y"}},{"name":"b"}]' },
    'DEPENDENCY_JOBS_JSON, column 2: this has a name and labels',
    ['Job b in namespace base'],
  ],
  [
    { podJson: '[{"labels":{"x":"y"},"requireSameNod":true}]' },
    "DEPENDENCY_POD_JSON, column 22: no 'requireSameNod' here; did you mean 'requireSameNode'?",
    ['Pod with labels map[x:y] in namespace base'],
  ],
  [{ podJson: '[{"labels":{"x":1}}]' }, "DEPENDENCY_POD_JSON, column 17: the label 'x' is a number", []],
  [{ customResource: 'x' }, 'DEPENDENCY_CUSTOM_RESOURCE, column 1: malformed JSON: a value is missing', []],
];

describe('entries skipped by kubernetes-entrypoint are rejected with their location; in lenient mode skipped with a warning', () => {
  for (const [given, start, left] of LEFT_OUT)
    test(start, () => {
      assert.throws(
        () => read(given),
        (error) => error instanceof UsageError && error.message.startsWith(start) && error.message.includes('lenient'),
      );
      const { dependencies, warnings } = read(given, true);
      assert.deepEqual(texts(dependencies), left);
      assert.equal(warnings.length, 1, warnings.join('\n'));
      assert.ok(warnings[0]?.startsWith(`KOLLA_POD_COMPAT=lenient: skipped: ${start}`), warnings[0]);
    });
});

/** Input for which kubernetes-entrypoint waits forever. */
const NEVER: readonly (readonly [Partial<EntrypointVariables>, string])[] = [
  [{ service: 'a, b' }, "DEPENDENCY_SERVICE, column 3: ' ' is not allowed in the name of a Service"],
  [{ service: 'a,' }, 'DEPENDENCY_SERVICE, column 3: the name of a Service is missing'],
  [{ service: 'ns:' }, 'DEPENDENCY_SERVICE, column 4: the name of a Service is missing'],
  [{ service: 'Ns:a' }, "DEPENDENCY_SERVICE, column 1: 'N' is not allowed in the name of a namespace"],
  [{ container: 'a', podName: undefined }, 'DEPENDENCY_CONTAINER, column 1: POD_NAME is not set'],
  [{ jobsJson: '[{}]' }, 'DEPENDENCY_JOBS_JSON, column 2: no selection'],
  [{ jobsJson: '[{"labels":{}}]' }, 'DEPENDENCY_JOBS_JSON, column 2: no selection'],
  [{ jobsJson: '[{"name":"A"}]' }, "DEPENDENCY_JOBS_JSON, column 11: 'A' is not allowed in the name of a Job"],
  [{ podJson: '[{"labels":{"a b":"c"}}]' }, "DEPENDENCY_POD_JSON, column 14: 'a b=c' is not a label"],
  [{ socket: '/run/a, /run/b' }, 'DEPENDENCY_SOCKET, column 8: a space next to the path'],
  [{ socket: '/run/a:b' }, "DEPENDENCY_SOCKET, column 7: a path with ':'"],
  [{ config: ',/etc/a' }, 'DEPENDENCY_CONFIG, column 1: a path is missing'],
  [{ customResource: '[{"kind":"C","name":"x"}]' }, 'DEPENDENCY_CUSTOM_RESOURCE, column 2: apiVersion is missing'],
  [
    { customResource: '[{"apiVersion":"a/b/c","kind":"C","name":"x"}]' },
    "DEPENDENCY_CUSTOM_RESOURCE, column 17: 'a/b/c' is not an apiVersion",
  ],
  [
    { customResource: '[{"apiVersion":"v1","kind":"C","name":"x","fields":[{"key":"a..b"}]}]' },
    "DEPENDENCY_CUSTOM_RESOURCE, column 61: 'a..b' is not a key",
  ],
  [{ namespace: 'a b' }, "NAMESPACE, column 2: ' ' is not allowed in the name of a namespace"],
];

describe('entries for which kubernetes-entrypoint would wait forever are rejected, lenient or not', () => {
  for (const [given, start] of NEVER)
    test(start, () => {
      for (const isLenient of [false, true])
        assert.throws(
          () => read(given, isLenient),
          (error) => {
            assert.ok(error instanceof UsageError, String(error));
            assert.ok(error.message.startsWith(start), error.message);
            return true;
          },
        );
    });
});

for (const blank of [' ', '\n\t \r\n'])
  test(`a JSON variable with ${JSON.stringify(blank)} counts as unset`, () => {
    const given = { jobsJson: blank, podJson: blank, customResource: blank };
    assert.deepEqual(read({ ...given, podName: undefined }), { dependencies: [], configs: [], warnings: [] });
    assert.deepEqual(texts(read({ ...given, jobs: 'a' }).dependencies), ['Job a in namespace base']);
  });
