import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { text } from 'node:stream/consumers';
import { commandsOf } from '../../src/cli/command.ts';
import { all } from '../../src/toolbox/index.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { programOf } from '../support/helper.ts';
import { start } from '../../tools/process.ts';
import { STAGES } from './stages.ts';
import type { Stage } from './stages/stage.ts';

const LINES = all().flatMap((helper) =>
  commandsOf(helper).flatMap(([, command]) => command.examples.map(({ line }) => ({ helper, line }))),
);

test('every stage belongs to a printed example', () => {
  assert.deepEqual(
    Object.keys(STAGES).filter((line) => !LINES.some((example) => example.line === line)),
    [],
  );
});

for (const { helper, line } of LINES) {
  test(`the example works as printed: ${line}`, async () => {
    const setStage = STAGES[line];
    assert.ok(setStage, 'has no stage: set one in test/toolbox/stages/');
    assert.ok(`${line} `.startsWith(`${helper.name} `), 'starts with another name than its helper');
    await using directory = await privateDirectory('example');
    await using stack = new AsyncDisposableStack();
    await play(line, directory.path, await setStage(directory.path, stack));
  });
}

/** Runs a line as a shell with our names on its PATH would. */
async function play(line: string, directory: string, stage: Stage): Promise<void> {
  await mkdir(join(directory, 'bin'), { recursive: true });
  for (const { name } of all()) {
    const program = await programOf(name, line.split(' ').slice(1));
    const script = `#!/bin/sh\nexec ${program.map((word) => `'${word}'`).join(' ')} "$@"\n`;
    await writeFile(join(directory, 'bin', name), script, { mode: 0o755 });
  }
  const given = Object.entries(stage.replace ?? {}).reduce((rest, [word, ours]) => rest.replaceAll(word, ours), line);
  // The example is not about timeouts, and a busy machine needs longer ones.
  const words = given.replace(/^(kolla-probe .*--timeout) \d+m?s/, '$1 1h');
  const env = {
    KOLLA_PROBE_TIMEOUT: '1h',
    PATH: `${join(directory, 'bin')}:${process.env['PATH']}`,
    HOME: directory,
    ...stage.env,
  };
  await using running = await start('bash', ['-c', `exec ${words}`], { cwd: directory, env, keepOutput: true });
  const { stdout, stderr } = running.child;
  assert.ok(stdout && stderr);
  const said = Promise.all([text(stdout), text(stderr)]);
  const closed = once(running.child, 'close');
  if (stage.stopAfter) await Promise.race([stage.stopAfter.then(() => running.stop()), closed]);
  await closed;
  const [out, err] = await said;
  assert.equal(await running.ended, stage.code ?? 0, err || out);
  if (stage.stdout) assert.match(out, stage.stdout);
  if (stage.stderr) assert.match(err, stage.stderr);
  assert.doesNotMatch(out + err, /hidden/, 'a secret was shown');
}
