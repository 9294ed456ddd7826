import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Update {
  readonly 'package-ecosystem': string;
  readonly directory?: string;
  readonly directories?: readonly string[];
}

test('Dependabot watches the lockfile, the workflows and every Go module', () => {
  const { updates } = load(readFileSync(`${ROOT}/.github/dependabot.yml`, 'utf8')) as { updates: readonly Update[] };
  const watched = (ecosystem: string) =>
    updates
      .filter((update) => update['package-ecosystem'] === ecosystem)
      .flatMap(({ directory, directories = [] }) => [...directories, ...(directory === undefined ? [] : [directory])])
      .toSorted();
  const modules = globSync('{bench,build,images,k8s,test,tools}/**/go.mod', { cwd: ROOT });
  assert.ok(modules.length > 0);
  assert.deepEqual(watched('gomod'), modules.map((file) => `/${dirname(file)}`).toSorted());
  assert.deepEqual([watched('npm'), watched('github-actions')], [['/'], ['/']]);
});
