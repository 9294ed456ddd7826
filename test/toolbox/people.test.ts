/** The log of each command: text for people, that is on a terminal and from workstation commands, else JSON lines. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandsOf } from '../../src/cli/command.ts';
import { all } from '../../src/toolbox/index.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { run } from '../../tools/process.ts';
import { programOf, runHelper } from '../support/helper.ts';

const SCRIPT = '/usr/bin/script';
const skip = existsSync(SCRIPT) ? false : `no ${SCRIPT}, which has a terminal`;

/** Commands that are run on a workstation. */
const PEOPLES = new Set([
  ...['catalogue', 'completion', 'configmaps', 'doctor', 'explain', 'images', 'man', 'passwords', 'schema'].map(
    (name) => `kolla-pod ${name}`,
  ),
  'kolla-pod status',
  'kolla-pod upgrade',
  'kolla-init plan',
  'kolla-init rbac',
  'kolla-db-sync rbac',
  'kolla-operator rbac',
]);

const JSON_LINE = /^\{"time":"[^"]+","level":"error","helper":"[\w-]+","msg":"unknown option --bogus/;
const TEXT_LINE = /^\d\d:\d\d:\d\d\.\d{3} error unknown option --bogus/;

/** Helpers that are compatible with another tool have its lines. */
const OURS = all().filter((helper) => helper.takesNoOptions === undefined && helper.lines === undefined);

for (const helper of OURS) {
  test(`${helper.name}: the log into a pipe`, async () => {
    for (const [name] of commandsOf(helper)) {
      const words = [...(name === '' ? [] : [name]), '--bogus'];
      const { code, stderr } = await runHelper(helper.name, words);
      const call = `${helper.name} ${name}`.trim();
      assert.equal(code, 64, stderr);
      assert.match(stderr, PEOPLES.has(call) ? TEXT_LINE : JSON_LINE, call);
    }
  });

  test(`${helper.name}: the log on a terminal is text`, { skip }, async () => {
    const [[name] = ['']] = commandsOf(helper);
    const line = [...(await programOf(helper.name, [])), name, '--bogus', '2>&1'].join(' ');
    const { stdout } = await run(SCRIPT, ['-qec', line, '/dev/null'], {
      env: { NO_COLOR: '1', PATH: process.env['PATH'] },
    });
    assert.match(stdout, TEXT_LINE);
  });
}

test('what a workstation command reports is text too, and JSON if that is asked for', async () => {
  await using directory = await privateDirectory('people');
  const added = async (file: string, ...words: string[]) =>
    (await runHelper('kolla-pod', ['passwords', join(directory.path, file), ...words])).stderr;
  assert.match(await added('a.yml'), /^\d\d:\d\d:\d\d\.\d{3} info {2}\S*a\.yml: \d\d passwords added/);
  assert.match(
    await added('b.yml', '--log-format', 'json'),
    /^\{"time":[^\n]*"msg":"[^"]*b\.yml: \d\d passwords added/,
  );
});
