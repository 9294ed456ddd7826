/** kolla-init of two adjacent releases on one volume: files, and the record of what was installed. */
import assert from 'node:assert/strict';
import { lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { privateDirectory } from '../../tools/directory.ts';
import { runHelper } from '../support/helper.ts';
import { canRunPrevious, namesOf, ORDERS, type Build } from './builds.ts';

const skip = (await canRunPrevious()) ?? false;
const STATE = 'run/kolla/state';

for (const [former, next] of ORDERS)
  test(
    `the ${next} one changes nothing that the ${former} one installed, and removes what is no longer listed`,
    {
      skip,
    },
    async () => {
      await using directory = await privateDirectory('init');
      const [config, root] = [join(directory.path, 'config'), join(directory.path, 'root')];
      for (const path of [config, root]) await mkdir(path);
      const apply = async (build: Build, names: readonly string[]) => {
        await writeFile(
          join(config, 'config.json'),
          JSON.stringify({ command: 'true', config_files: names.map(entry) }),
        );
        for (const name of names) await writeFile(join(config, name), `[DEFAULT]\nname = ${name}\n`);
        const args = ['--config-dir', config, '--root', root];
        const { code, stderr } = await runHelper('kolla-init', args, { names: await namesOf(build) });
        assert.equal(code, 0, stderr);
      };

      await apply(former, ['a.conf', 'b.conf']);
      const first = await filesIn(root);
      assert.deepEqual(
        [...first.keys()].filter((path) => path.startsWith('etc/')),
        ['etc/a.conf', 'etc/b.conf'],
      );
      await apply(next, ['a.conf', 'b.conf']);
      assert.deepEqual(await filesIn(root), first);

      await apply(next, ['a.conf', 'c.conf']);
      const second = await filesIn(root);
      assert.deepEqual(
        [...second.keys()].filter((path) => path.startsWith('etc/')),
        ['etc/a.conf', 'etc/c.conf'],
      );
      assert.equal(second.get('etc/a.conf'), first.get('etc/a.conf'));
      assert.deepEqual(Object.keys(JSON.parse(await readFile(join(root, STATE), 'utf8')) as object), [
        '/etc/a.conf',
        '/etc/c.conf',
      ]);
      await apply(former, ['a.conf', 'c.conf']);
      assert.deepEqual(await filesIn(root), second);
    },
  );

function entry(name: string): object {
  return {
    source: `/var/lib/kolla/config_files/${name}`,
    dest: `/etc/${name}`,
    perm: '0600',
    owner: userInfo().username,
  };
}

/** Each file's content, mode, inode and time of change: equal if it was not written again. */
async function filesIn(root: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
  const found = new Map<string, string>();
  for (const path of paths.toSorted()) {
    const { mode, ino, ctimeMs } = await lstat(path);
    found.set(path.slice(root.length + 1), `${mode} ${ino} ${ctimeMs} ${await readFile(path, 'utf8')}`);
  }
  return found;
}
