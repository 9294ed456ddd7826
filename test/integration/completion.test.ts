import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fishCompletion } from '../../src/toolbox/completion/fish.ts';
import { zshCompletion } from '../../src/toolbox/completion/zsh.ts';
import { all } from '../../src/toolbox/index.ts';
import { canUnpackDebian, unpackedPackages } from '../../tools/debian.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { must } from '../../tools/process.ts';

/** The shells use this machine's libc and run from the directory in which they were unpacked. */
describe('completion in real shells', { skip: (await canUnpackDebian()) ?? false }, () => {
  let tree: string;
  let env: NodeJS.ProcessEnv;
  before(async () => {
    tree = await unpackedPackages('shells', ['zsh', 'fish'], { except: ['libc6'] });
    const libraries = readdirSync(join(tree, 'usr/lib')).filter((name) => name.endsWith('-linux-gnu'));
    const paths = libraries.map((name) => join(tree, 'usr/lib', name));
    env = { PATH: process.env['PATH'], LD_LIBRARY_PATH: paths.join(':') };
  });

  /** Runs a script with the completion loaded and returns the lines that it prints. */
  async function ask(
    shell: 'fish' | 'zsh',
    completion: string,
    args: readonly string[],
    script: string,
  ): Promise<string[]> {
    await using directory = await privateDirectory(shell);
    const file = join(directory.path, 'completion');
    await writeFile(file, completion);
    const text = script.replaceAll('COMPLETION', file).replaceAll('TREE', tree);
    const said = await must(join(tree, 'usr/bin', shell), [...args, '-c', text], {
      cwd: directory.path,
      env: { ...env, HOME: directory.path },
    });
    return said.split('\n').filter((line) => line !== '');
  }

  const fish = (line: string) =>
    ask(
      'fish',
      fishCompletion(all()),
      ['--no-config'],
      `set fish_function_path TREE/usr/share/fish/functions; source COMPLETION; complete -C '${line}'`,
    );

  test('fish completes the commands of a helper with their summaries', async () => {
    assert.deepEqual(await fish('kolla-probe h'), ['http\tChecks that a GET returns an expected status.']);
  });

  test('fish completes the values of a choice', async () => {
    const words = (await fish('kolla-probe tcp --log-format ')).map((line) => line.split('\t')[0]);
    assert.deepEqual(new Set(words), new Set(['auto', 'json', 'text']));
  });

  test('zsh loads the script and completes every name with it', async () => {
    const script = `
      fpath=(TREE/usr/share/zsh/functions/Completion TREE/usr/share/zsh/functions/Completion/*(N/))
      module_path=(TREE/usr/lib/*/zsh/*(N/))
      autoload -Uz compinit && compinit -u -d ./dump && source COMPLETION
      print -l $_comps[kolla-pod] $_comps[kolla-init] $_comps[kolla-probe]`;
    assert.deepEqual(await ask('zsh', zshCompletion(all()), ['-f'], script), [
      '_kolla-pod',
      '_kolla-pod',
      '_kolla-pod',
    ]);
  });
});
