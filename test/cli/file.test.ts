import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMMON_OPTIONS } from '../../src/cli/common-options.ts';
import { ConfigError } from '../../src/core/errors.ts';
import { readFileOptions } from '../../src/cli/file.ts';
import type { Option } from '../../src/cli/option.ts';
import { privateDirectory } from '../../tools/directory.ts';

const TIMEOUT: Option = { flag: 'timeout', type: 'duration', env: 'T', help: '', example: '1s' };
const WAIT: Option = { flag: 'wait', type: 'string', env: 'W', repeat: true, help: '', example: 'job/x' };
const PASSWORD: Option = { flag: 'password', type: 'string', env: 'P', secret: true, help: '', example: '...' };
const OWN = [TIMEOUT, WAIT, PASSWORD];

async function read(yaml: string, path = ['probe', 'tcp']) {
  await using directory = await privateDirectory('file');
  const file = join(directory.path, 'kolla-pod.yaml');
  await writeFile(file, yaml);
  return readFileOptions(file, path, ['tcp', 'http'], COMMON_OPTIONS, OWN);
}

async function refusal(yaml: string, option = TIMEOUT, path?: string[]): Promise<string> {
  let message = '';
  await assert.rejects(
    async () => (await read(yaml, path)).wordsOf(option),
    (error: Error) => {
      message = error.message.replace(/\S*kolla-pod\.yaml/g, 'FILE');
      return error instanceof ConfigError;
    },
  );
  return message;
}

test("a command's options are in its section, common options at the top", async () => {
  const file = await read('log-level: debug\nprobe: {tcp: {timeout: 3s}}\n');
  assert.deepEqual(file.wordsOf(TIMEOUT)?.words, ['3s']);
  assert.deepEqual(file.wordsOf(COMMON_OPTIONS[1])?.words, ['debug']);
  assert.equal(file.wordsOf(WAIT), undefined);
});

test('sections of other commands are ignored', async () => {
  assert.equal((await read('probe: {http: {timeout: 3s}}\n')).wordsOf(TIMEOUT), undefined);
  assert.equal((await read('init: {whatever: 1}\n')).wordsOf(TIMEOUT), undefined);
});

test("a helper's section has defaults for its commands", async () => {
  await using directory = await privateDirectory('file');
  const file = join(directory.path, 'kolla-pod.yaml');
  const words = async (yaml: string) => {
    await writeFile(file, yaml);
    return readFileOptions(file, ['init', 'check'], ['check', 'timeout'], COMMON_OPTIONS, OWN).wordsOf(TIMEOUT);
  };
  assert.deepEqual(await words('init: {timeout: 3s}\n'), { words: ['3s'], place: `${file}: init.timeout` });
  assert.deepEqual((await words('init: {timeout: 3s, check: {timeout: 4s}}\n'))?.words, ['4s']);
  assert.equal(await words('init: {check: {}}\n'), undefined);
});

test('a section that contains no options is passed on unchanged', async () => {
  const file = await read('overlays: {ini: [1]}\n');
  assert.deepEqual(file.sectionOf('overlays'), { ini: [1] });
  assert.equal(file.sectionOf('services'), undefined);
});

test('an empty file has no options', async () => {
  assert.equal((await read('')).wordsOf(TIMEOUT), undefined);
});

test('a list is for options that may be repeated', async () => {
  assert.deepEqual((await read('probe: {tcp: {wait: [a, b]}}')).wordsOf(WAIT)?.words, ['a', 'b']);
  assert.equal(await refusal('probe: {tcp: {timeout: [1s]}}'), 'FILE: probe.tcp.timeout: takes one value, not a list');
  assert.equal(await refusal('probe: {tcp: {timeout: {a: 1}}}'), 'FILE: probe.tcp.timeout: takes a word, such as 1s');
});

test('an unknown key is reported with its location and the nearest one', async () => {
  assert.equal(await refusal('prboe: {}'), "FILE: no option 'prboe'; did you mean 'probe'?");
  assert.equal(await refusal('probe: {tpc: {}}'), "FILE: no option 'probe.tpc'; did you mean 'tcp'?");
  assert.equal(
    await refusal('probe: {tcp: {timeuot: 1s}}'),
    "FILE: no option 'probe.tcp.timeuot'; did you mean 'timeout'?",
  );
});

test('a section that is not a mapping is rejected', async () => {
  assert.equal(await refusal('probe: 3'), 'FILE: probe is not a mapping of options');
  assert.equal(await refusal('[1]'), 'FILE: the file is not a mapping of options');
});

test('invalid YAML is rejected with its position', async () => {
  assert.match(await refusal('probe: [', TIMEOUT), /^FILE is not YAML: /);
});

test('a secret in the file is rejected and not shown', async () => {
  const message = await refusal('probe: {tcp: {password: hunter2}}', PASSWORD);
  assert.match(message, /password is a secret.*set P, or password-file/);
  assert.doesNotMatch(message, /hunter2/);
});

test('a missing file is rejected', () => {
  assert.throws(
    () => readFileOptions('/no/such', ['probe'], [], COMMON_OPTIONS, []),
    /cannot read \/no\/such: no such file or directory$/,
  );
});
