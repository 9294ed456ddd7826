import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fishCompletion } from '../../src/toolbox/completion/fish.ts';
import { tcshCompletion } from '../../src/toolbox/completion/tcsh.ts';
import { zshCompletion } from '../../src/toolbox/completion/zsh.ts';
import { all } from '../../src/toolbox/index.ts';
import { canUnpackDebian, unpackedPackages } from '../../tools/debian.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { must } from '../../tools/process.ts';
import { until } from '../support/until.ts';

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

  /** The lines of a terminal in which a person types these, each ended by a tab. */
  async function tcsh(...typed: readonly string[]): Promise<string[]> {
    const shell = await unpackedPackages('tcsh', ['tcsh'], { except: ['libc6'] });
    await using directory = await privateDirectory('tcsh');
    const file = join(directory.path, 'completion');
    await writeFile(file, tcshCompletion(all()));
    await writeFile(join(directory.path, 'a-file'), '');
    const libraries = readdirSync(join(shell, 'usr/lib')).filter((name) => name.endsWith('-linux-gnu'));
    const paths = libraries.flatMap((name) => [join(shell, 'usr/lib', name), join(shell, 'lib', name)]);
    const session = spawn('script', ['-qec', `${join(shell, 'bin/tcsh')} -f`, '/dev/null'], {
      cwd: directory.path,
      env: { PATH: process.env['PATH'], LD_LIBRARY_PATH: paths.join(':'), TERM: 'xterm', HOME: directory.path },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    let shown = '';
    session.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text));
    const prompts = () => shown.split('# ').length - 1;
    const type = async (line: string) => {
      const shownBefore = prompts();
      session.stdin.write(`${line}\n`);
      await until('the next prompt', () => prompts() > shownBefore || undefined);
    };
    await until('the prompt', () => prompts() > 0 || undefined);
    await type('set edit');
    await type(`source ${file}`);
    shown = '# ';
    // Commands are not run, but shown.
    for (const line of typed) await type(`${line}\t#`);
    session.stdin.end('exit\n');
    await once(session, 'exit');
    return shown
      .split('\r')
      .map((line) => line.trim())
      .filter((line) => line.startsWith('# kolla'))
      .map((line) => line.slice('# '.length).replace(/ ?#$/, ''));
  }

  test('tcsh completes commands, flags, their values and files, after kolla-pod too', async () => {
    const typed = {
      'kolla-probe ht': 'kolla-probe http',
      'kolla-probe tcp --log-format js': 'kolla-probe tcp --log-format json',
      'kolla-pod probe tcp --log-f': 'kolla-pod probe tcp --log-format',
      'kolla-init --config a-f': 'kolla-init --config a-file',
      'kolla-pod completion tc': 'kolla-pod completion tcsh',
      'kolla-probe command -- a-f': 'kolla-probe command -- a-file',
    };
    assert.deepEqual(await tcsh(...Object.keys(typed)), Object.values(typed));
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
