import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { load, loadAll } from 'js-yaml';
import { JOB_OPTIONS } from '../../src/bootstrap/options.ts';
import { runHelper } from '../support/helper.ts';

const page = await readFile(new URL('../../docs/how-to/migration-openstack-helm.md', import.meta.url), 'utf8');
const EXAMPLE = new URL('../../k8s/examples/placement/', import.meta.url);

interface Container {
  readonly command: string[];
  readonly env: { readonly name: string }[];
}

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules: unknown;
}

function isRole(document: unknown): document is Role {
  return (document as Role).kind === 'Role';
}

function jobContainer(text: string): Container {
  const { spec } = load(text) as { spec: { template: { spec: { containers: [Container] } } } };
  return spec.template.spec.containers[0];
}

test('each variable of the Job, on the page and in the example, belongs to an option', async () => {
  const blocks = [...page.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, text = '']) => text);
  const onPage = blocks.find((text) => text.includes('kind: Job')) ?? '';
  const known = new Set<string>(JOB_OPTIONS.map(({ env }) => env));
  for (const text of [onPage, await readFile(new URL('job.yaml', EXAMPLE), 'utf8')]) {
    const { env } = jobContainer(text);
    assert.ok(env.length > 0);
    for (const { name } of env) assert.ok(known.has(name), name);
  }
});

test('the page has a row for each of the seven Jobs', () => {
  for (const name of ['db-init', 'db-sync', 'rabbit-init', 'ks-user', 'ks-service', 'ks-endpoints', 'bootstrap'])
    assert.match(page, new RegExp(`^\\| \`${name}\` \\| [^|]+ \\| \`\\w+\``, 'm'));
});

test("the page's wait uses the Job of its revision, and the migration's Lease", async () => {
  const [, wait = ''] = /command: \[kolla-init, --wait, "([^"]+)"\]/.exec(page) ?? [];
  const { stdout, stderr } = await runHelper('kolla-init', ['rbac', '--wait', wait, '--service-account', 'placement']);
  assert.match(stdout, /resourceNames: \[placement-bootstrap-12\]/, stderr);
  assert.match(stdout, /resourceNames: \[kolla-db-sync-placement\]/);
});

test("the example's Role equals the output of kolla-db-sync", async () => {
  const line = ['rbac', 'placement', '--service-account', 'placement-bootstrap'];
  const printed = loadAll((await runHelper('kolla-db-sync', line)).stdout).find(isRole);
  const applied = loadAll(await readFile(new URL('rbac.yaml', EXAMPLE), 'utf8')).filter(isRole);
  assert.deepEqual(applied.find(({ metadata }) => metadata.name === printed?.metadata.name)?.rules, printed?.rules);
  assert.ok(printed);
});
