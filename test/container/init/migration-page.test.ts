import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { load } from 'js-yaml';
import type { Container, PodSpec } from '../../../src/config/volumes/index.ts';
import { privateDirectory } from '../../../tools/directory.ts';
import { runHelper } from '../../support/helper.ts';

const PAGE = new URL('../../../docs/how-to/migration-kolla_start.md', import.meta.url);

interface Deployment {
  readonly spec: { readonly template: { readonly spec: PodSpec } };
}

/** A container of the page without the values that the user fills in. */
function withoutAdded(container: Container): object {
  const { command, image: _, ports: __, ...planned } = container as Container & { readonly ports?: unknown };
  return { ...planned, ...(command && { command: command.slice(0, 3) }) };
}

test("the page's Pod after the migration equals plan's output for its config.json, plus manual additions", async () => {
  const page = await readFile(PAGE, 'utf8');
  const [, document = ''] = /```json\n([^]*?)```/.exec(page) ?? [];
  const [before, after] = [...page.matchAll(/```yaml\n([^]*?)```/g)].map(([, text]) => load(text ?? '') as Deployment);
  assert.ok(before && after);
  await using directory = await privateDirectory('migration');
  const config = join(directory.path, 'config.json');
  await writeFile(config, document);
  const { stdout } = await runHelper('kolla-init', ['plan', config, '-o', 'json']);
  const { spec: plan } = JSON.parse(stdout) as { spec: PodSpec };
  const { spec } = after.spec.template;
  assert.deepEqual(spec.securityContext, plan.securityContext);
  assert.deepEqual(
    spec.volumes.map(({ name }) => name),
    plan.volumes.map(({ name }) => name),
  );
  const isPlanned = ({ name }: { name: string }) => ['kolla', 'tmp', 'logs'].includes(name);
  assert.deepEqual(spec.volumes.filter(isPlanned), plan.volumes.filter(isPlanned));
  assert.deepEqual(spec.initContainers.map(withoutAdded), plan.initContainers.map(withoutAdded));
  assert.deepEqual(spec.containers.map(withoutAdded), plan.containers.map(withoutAdded));
  assert.equal(before.spec.template.spec.securityContext, undefined);
});
