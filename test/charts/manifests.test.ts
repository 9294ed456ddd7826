import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadAll } from 'js-yaml';
import { manifests } from '../../build/manifests.ts';
import { canRunHelm, helm } from '../../tools/helm.ts';
import { privateDirectory } from '../../tools/directory.ts';

const DIRECTORY = fileURLToPath(new URL('../../k8s/manifests/', import.meta.url));
const read = (...path: string[]) => readFileSync(join(DIRECTORY, ...path), 'utf8');
const FILES = readdirSync(join(DIRECTORY, 'keystone'));

interface KubeObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

const OBJECTS = FILES.flatMap((name) => loadAll(read('keystone', name)) as KubeObject[]);

describe('manifests for users without Helm', { skip: (await canRunHelm()) ?? false }, () => {
  let made: ReadonlyMap<string, string>;
  before(async () => {
    await using directory = await privateDirectory('helm');
    made = await manifests(async (args) => {
      const { code, stdout, stderr } = await helm(directory.path, args);
      assert.equal(code, 0, stderr);
      return stdout;
    });
  });

  test("equal the chart's output (to update: node build/manifests.ts)", () => {
    assert.deepEqual(FILES.toSorted(byName), [...made.keys()].toSorted(byName));
    for (const [name, text] of made) {
      const [stands, should] = [read('keystone', name).split('\n'), text.split('\n')];
      // Shows only the first line that differs, which is more useful than two whole files.
      const at = should.findIndex((line, i) => line !== stands[i]);
      assert.equal(stands[at], should[at], `line ${at + 1} of ${name}`);
      assert.equal(stands.length, should.length, name);
    }
  });
});

test('have no Helm labels, since Helm does not manage them', () => {
  for (const name of FILES) assert.doesNotMatch(read('keystone', name), /helm\.sh|managed-by/);
});

test('the page has the commands for each Secret that the manifests need and do not contain', () => {
  const brought = OBJECTS.filter(({ kind }) => kind === 'Secret').map(({ metadata }) => metadata.name);
  // The Job for keys creates these.
  const made = ['keystone-fernet-keys', 'keystone-credential-keys'];
  const known = new Set([...brought, ...made]);
  const asked = new Set<string>();
  JSON.stringify(OBJECTS, (_, value: unknown) => {
    for (const [name, key] of secretsIn(value)) if (!known.has(name)) asked.add(`${name} ${key}`);
    return value;
  });
  assert.deepEqual(asked, new Set(['passwords database_password', 'passwords keystone_admin_password']));
  for (const one of asked) {
    const [name = '', key = ''] = one.split(' ');
    assert.match(read('README.md'), new RegExp(`create secret generic ${name} [^\`]*--from-literal=${key}=`));
  }
});

test("the page's command for another Job finds every occurrence of the Job's name in these files", () => {
  const [, old = ''] =
    /sed -i 's\/(keystone-bootstrap-[0-9a-f]{10})\/keystone-bootstrap-[\w-]+\/' k8s\/manifests\/keystone\/\*\.yaml/.exec(
      read('README.md'),
    ) ?? [];
  assert.ok(
    OBJECTS.some(({ kind, metadata }) => kind === 'Job' && metadata.name === old),
    old,
  );
  for (const name of ['jobs.yaml', 'service.yaml', 'rbac.yaml'])
    for (const line of read('keystone', name).split('\n'))
      assert.ok(line.split(old).length <= 2, `sed changes a line once: ${line}`);
});

/** Each Secret that a part of an object references, with the key. */
function secretsIn(value: unknown): [name: string, key: string][] {
  if (typeof value !== 'object' || value === null || !('secretKeyRef' in value)) return [];
  const { name, key } = value.secretKeyRef as { name: string; key: string };
  return [[name, key]];
}

function byName(a: string, b: string): number {
  return a < b ? -1 : 1;
}
