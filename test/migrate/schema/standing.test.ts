import assert from 'node:assert/strict';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { assignedIn, headsOf, readRevisions, type Revisions } from '../../../src/migrate/schema/revisions.ts';
import { judge } from '../../../src/migrate/schema/standing.ts';
import { privateDirectory } from '../../../tools/directory.ts';

test("a revision's file is read as text: plain, typed, and with several parents", () => {
  assert.deepEqual(assignedIn("revision = 'b'  # the second\ndown_revision = 'a'\n"), {
    revision: ['b'],
    down_revision: ['a'],
  });
  const typed = 'revision: str = "c"\ndown_revision: Union[str, Sequence[str], None] = (\n    "a",\n    \'b\',\n)\n';
  assert.deepEqual(assignedIn(typed), { revision: ['c'], down_revision: ['a', 'b'] });
  assert.deepEqual(assignedIn("revision = 'a'\ndown_revision = None\ndepends_on = None\n"), {
    revision: ['a'],
    down_revision: [],
    depends_on: [],
  });
  // What a migration itself assigns is indented.
  assert.deepEqual(assignedIn("def upgrade():\n    revision = 'x'\n"), {});
});

test('revisions are those next to the program, also through a link to it', async () => {
  await using place = await privateDirectory('revisions');
  const write = async (file: string, text: string) => {
    const path = join(place.path, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    return path;
  };
  const tool = await write('venv/bin/x-manage', '#!/bin/sh\n');
  await chmod(tool, 0o755);
  await mkdir(join(place.path, 'bin'));
  await symlink(tool, join(place.path, 'bin/x-manage'));
  const versions = 'venv/lib/python3.13/site-packages/x/versions';
  await write(`${versions}/1.py`, "revision = '1'\ndown_revision = None\n");
  await write(`${versions}/2026.2/expand/2.py`, "revision = '2'\ndown_revision = '1'\n");
  await write(`${versions}/__init__.py`, '');
  const env = { PATH: join(place.path, 'bin') };
  const found = await readRevisions('x-manage', 'x/versions', env);
  assert.deepEqual(found && [headsOf(found.before), [...found.expand]], [['2'], ['2']]);
  assert.equal(await readRevisions('x-manage', 'y/versions', env), undefined);
  assert.equal(await readRevisions('y-manage', 'x/versions', env), undefined);
});

/** Two branches, as Keystone's: the contraction depends on its expansion. */
const BRANCHES: Revisions = {
  before: new Map([
    ['first', []],
    ['e1', ['first']],
    ['c1', ['first']],
    ['e2', ['e1']],
    ['c2', ['c1', 'e2']],
  ]),
  expand: new Set(['e1', 'e2']),
};

for (const { versions, isExpand = false, is, text } of [
  { versions: ['c2'], is: 'head', text: 'd.t is at c2, the head' },
  { versions: ['c2', 'e2'], is: 'head', text: 'd.t is at c2, e2, the head' },
  { versions: ['c1', 'e2'], is: 'behind', text: 'd.t is at c1, e2, not at the head c2' },
  { versions: ['c1', 'e2'], isExpand: true, is: 'head', text: 'd.t is at c1, e2, with all that this phase adds' },
  { versions: ['c1', 'e1'], isExpand: true, is: 'behind', text: 'd.t is at c1, e1, not at the head e2' },
  { versions: [], is: 'behind', text: 'd.t has no revision, not at the head c2' },
] as const)
  test(`${versions.join(' and ') || 'nothing'} is ${is}${isExpand ? ' for expand' : ''}`, () => {
    assert.deepEqual(judge('d.t', BRANCHES, versions, isExpand), { is, text });
  });

test('a revision that the tool does not know is of a newer release', () => {
  const { is, text } = judge('d.t', BRANCHES, ['f'], false);
  assert.equal(is, 'newer');
  assert.match(text, /^d\.t is at f, which this release's tool does not know/);
});
