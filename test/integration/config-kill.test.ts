/** Killed at any disk operation: every file is old or new, no secret is exposed, and the next run converges. */
import assert from 'node:assert/strict';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { applied, look } from '../config/own-process.ts';
import { entry, pod } from '../config/support.ts';
import { fileLimit } from '../support/file-limit.ts';

// It starts 121 processes, one after the other.
fileLimit(30);

const KILLS = 60;
const SIZE = 10_000;

test(`${KILLS} kills leave no partial file and no readable secret, and the next run converges`, async (t) => {
  await using p = await pod();
  const [image, begun, root] = ['image', 'begun', 'killed'].map((name) => join(p.configDir, '..', name)) as [
    string,
    string,
    string,
  ];
  for (const name of ['a.conf', 'default.conf', 'dropped.conf', 'policy.d/x.json', 'sub/y.json'])
    await p.write(join(image, 'etc/x', name), 'i'.repeat(SIZE));
  const sources = async (letter: string) => {
    for (const name of ['a.conf', 'b.conf', 'd/1.conf', 'd/2.conf', 'dropped.conf'])
      await p.write(join(p.configDir, name), letter.repeat(SIZE));
  };
  const first = [entry('a.conf', '/etc/x/'), entry('d', '/etc/x/d'), entry('dropped.conf', '/etc/x/')];
  await p.config({ command: 'true', config_files: first });
  await sources('o');
  await p.apply({ image });
  await cp(p.root, begun, { recursive: true, verbatimSymlinks: true });
  const second = [entry('a.conf', '/etc/x/'), entry('b.conf', '/etc/y/b.conf'), entry('d', '/etc/x/d')];
  await p.config({ command: 'true', config_files: second });
  // The image also has a new file, so that copying it to the volume is interrupted too.
  await p.write(join(image, 'etc/x/later.json'), 'i'.repeat(SIZE));
  await sources('n');

  const options = { root, image, configDir: p.configDir, configFile: undefined, me: p.me };
  const begin = async () => {
    await rm(root, { recursive: true, force: true });
    await cp(begun, root, { recursive: true, verbatimSymlinks: true });
  };
  await begin();
  const whole = await applied(options, '0', 'never');
  assert.equal(whole.code, 0, whole.stderr);
  const { effects } = JSON.parse(whole.stdout) as { effects: number };
  const converged = await look(root);
  let killed = 0;
  for (let i = 0; i < KILLS; i++) {
    await begin();
    const at = 1 + Math.floor((i * effects) / KILLS);
    const { code } = await applied(options, `${at}`, i % 2 === 0 ? 'before' : 'after');
    if (code === 128 + 9) killed++;
    for (const [path, { mode, content }] of await look(root)) {
      if (content.startsWith('n')) assert.equal(mode & 0o077, 0, `${path} is a secret that others may read`);
      if (path.includes('.kolla-')) assert.doesNotMatch(path, /\.(?:conf|json)$/);
      else if (/\.(?:conf|json)$/.test(path)) assert.match(content, /^(?:i{10000}|o{10000}|n{10000})$/, path);
      else if (path.endsWith('/state')) assert.doesNotThrow(() => void JSON.parse(content));
    }
    const again = await applied(options);
    assert.equal(again.code, 0, again.stderr);
    assert.deepEqual(await look(root), converged, `killed at effect ${at}`);
  }
  t.diagnostic(`${killed} of ${KILLS} were killed, at the ${effects} effects of a run`);
  assert.ok(killed >= 50);
});
