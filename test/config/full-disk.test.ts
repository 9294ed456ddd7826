import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { applyWords, look, whereWeMayMount, whyNoMount } from './own-process.ts';
import { entry, pod } from './support.ts';

const skip = (await whyNoMount()) ?? false;
const SIZE = 20_000;
/** The new size of each file, as a multiple of SIZE. */
const FILES = { 'a.conf': 1, 'b.conf': 1, 'c.conf': 2, 'd.conf': 1 };

/** Applies on a volume that fits only the first new files, then on a larger one; copies the content after each run. */
const SCRIPT = `
  root=$1 old=$2 full=$3 after=$4; shift 4
  mount -t tmpfs -o size=120k none "$root"
  cp -a "$old/." "$root"
  code=0; "$@" >/dev/null || code=$?
  echo "code $code"
  cp -a "$root/." "$full"
  mount -o remount,size=4m "$root"
  "$@" >/dev/null
  cp -a "$root/." "$after"
`;

test(
  'a full volume leaves files whole and the state readable; with more room the next run converges',
  { skip },
  async () => {
    await using p = await pod();
    await p.write(join(p.root, 'etc/passwd'), 'keystone:x:0:0::/:/bin/sh\n');
    await p.write(join(p.root, 'etc/group'), 'keystone:x:0:\n');
    for (const [name, times] of Object.entries(FILES)) {
      await p.write(join(p.root, 'etc/x', name), 'o'.repeat(SIZE), 0o600);
      await p.write(join(p.configDir, name), 'n'.repeat(SIZE * times));
    }
    await p.config({ command: 'true', config_files: [entry('*.conf', '/etc/x/')] });
    const [volume, full, after] = ['volume', 'full', 'after'].map((name) => join(p.root, '..', name));
    for (const directory of [volume, full, after]) await mkdir(directory!);
    const me = { uid: 0, gid: 0, groups: [] };
    const options = { root: volume!, configDir: p.configDir, configFile: undefined, me };
    const done = await whereWeMayMount(SCRIPT, volume!, p.root, full!, after!, ...applyWords(options));
    assert.match(done.stdout, /^code 69$/m, done.stderr);
    assert.match(
      done.stderr,
      /config_files\[0\]: cannot write .*\.conf: ENOSPC.*the volume is full; files already there are whole/,
    );
    const left = await look(full!);
    const files = [...left].filter(([path]) => path.startsWith('etc/x/'));
    assert.deepEqual(
      files.map(([path, { content }]) => `${path} ${content[0]} ${content.length}`),
      ['etc/x/a.conf n 20000', 'etc/x/b.conf n 20000', 'etc/x/c.conf o 20000', 'etc/x/d.conf o 20000'],
      'each file is whole, old or new, and no temporary file takes space',
    );
    assert.equal(Object.keys(JSON.parse(left.get('run/kolla/state')!.content) as object).length, 4);
    assert.equal(done.code, 0, done.stderr);
    const converged = [...(await look(after!))].filter(([path]) => path.startsWith('etc/x/'));
    assert.deepEqual(
      converged.map(([path, { content }]) => `${path} ${content[0]} ${content.length}`),
      Object.entries(FILES).map(([name, times]) => `etc/x/${name} n ${SIZE * times}`),
    );
  },
);
