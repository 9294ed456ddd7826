import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsOf } from '../../src/cli/command.ts';
import { EXIT_CODES } from '../../src/core/exit-codes.ts';
import { commandHelp } from '../../src/cli/help.ts';
import { all } from '../../src/toolbox/index.ts';
import { manPage } from '../../src/toolbox/man.ts';
import { fileSchema } from '../../src/toolbox/schema.ts';
import { runHelper } from '../support/helper.ts';
import { run } from '../../tools/process.ts';

type Node = Record<string, { properties?: Node } & Record<string, unknown>>;

test('explain knows a code by number and by name', async () => {
  for (const { code, name } of EXIT_CODES.filter((entry) => [64, 75].includes(entry.code))) {
    for (const word of [String(code), name])
      assert.match((await runHelper('kolla-pod', ['explain', word])).stdout, new RegExp(`^${code} ${name}`));
  }
});

test("explain names the owner of a foreign code, and the signal of a signal's code", async () => {
  assert.match((await runHelper('kolla-pod', ['explain', '137'])).stdout, /SIGKILL[^]*memory limit/);
  assert.match(
    (await runHelper('kolla-pod', ['explain', '99'])).stdout,
    /^99 not a kolla-pod code\n  Not a kolla-pod code: the program it ran exited 99\./,
  );
});

test("explain knows a shell's two codes", async () => {
  const explained = async (code: string) => (await runHelper('kolla-pod', ['explain', code])).stdout;
  assert.match(await explained('126'), /^126 not executable\n {2}The program to run exists[^]*Next: [^]*the x bit/);
  assert.match(await explained('127'), /^127 command not found\n {2}There is no such program[^]*Next: [^]*in PATH\?/);
});

test('explain suggests the closest match for an unknown name', async () => {
  const { code, stderr } = await runHelper('kolla-pod', ['explain', 'deadlien']);
  assert.equal(code, 64);
  assert.match(stderr, /no exit code 'deadlien'; did you mean 'deadline'\?/);
  assert.equal((await runHelper('kolla-pod', ['explain', '256'])).code, 64);
});

test('the schema has a section per helper with its options, and no secret', async () => {
  const { properties } = (await fileSchema(all())) as { properties: Node };
  assert.deepEqual(properties['probe']?.properties?.['tcp']?.properties?.['timeout']?.['default'], '900ms');
  assert.ok(properties['init']?.properties?.['wait']?.['anyOf']);
  assert.ok(properties['log-level']?.['enum']);
  assert.equal(properties['db-sync']?.properties?.['admin-password'], undefined);
  assert.ok(properties['db-sync']?.properties?.['admin-password-file']);
});

test('kolla-pod --help lists the helpers and its own commands', async () => {
  const { stdout } = await runHelper('kolla-pod', ['--help']);
  for (const word of ['init', 'db-sync', 'probe', 'log-ship', 'doctor', 'completion'])
    assert.match(stdout, new RegExp(`^  ${word} `, 'm'));
});

for (const helper of all()) {
  test(`the manual page of ${helper.name} has every option and is accepted by groff, if installed`, async (t) => {
    const page = manPage(helper);
    for (const [, command] of commandsOf(helper))
      for (const { flag, env } of command.options) assert.ok(page.includes(env) || page.includes(flag), flag);
    const groff = await run('groff', ['-man', '-Tutf8', '-ww'], { input: page }).catch(() => undefined);
    if (groff === undefined) return t.skip('no groff on this machine');
    assert.equal(groff.stderr, '');
    // Bold characters are overstruck.
    assert.match(groff.stdout.replaceAll(/.[\b]/g, ''), /^EXIT STATUS$/m);
  });

  test(`${helper.name}'s help fits into 60 columns, except for usage and examples`, () => {
    for (const [name, command] of commandsOf(helper)) {
      const help = commandHelp(helper, name, command, { isTerminal: true, color: false, width: 60 });
      const body = help.slice(help.indexOf('\n'), help.indexOf('\nExamples'));
      assert.deepEqual(
        // One word that is longer cannot be wrapped.
        body.split('\n').filter((line) => line.length > 60 && line.trim().includes(' ')),
        [],
      );
    }
  });
}
