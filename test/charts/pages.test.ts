import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGES = await Array.fromAsync(glob('k8s/**/*.md', { cwd: ROOT }));

/** The anchor that GitHub generates for a heading. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

/** The links to files in this repository. */
function linksOf(page: string): RegExpExecArray[] {
  return [...readFileSync(join(ROOT, page), 'utf8').matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];
}

const LINKING = PAGES.filter((page) => linksOf(page).length > 0);

test('the charts have pages to check', () => {
  assert.ok(LINKING.length > 10);
});

for (const page of LINKING)
  test(`${page}: its links lead to existing files and headings`, () => {
    for (const [, target = '', heading] of linksOf(page)) {
      const path = target === '' ? join(ROOT, page) : join(ROOT, dirname(page), target);
      assert.ok(existsSync(path), `${target} does not exist`);
      if (heading === undefined || statSync(path).isDirectory()) continue;
      const headings = [...readFileSync(path, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, one = '']) => slugOf(one));
      assert.ok(headings.includes(heading), `${target} has no heading ${heading}`);
    }
  });
