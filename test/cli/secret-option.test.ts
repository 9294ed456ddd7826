import assert from 'node:assert/strict';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { resolveOptions, splitWords } from '../../src/cli/parse.ts';
import type { Values } from '../../src/cli/option.ts';
import { WatchedFile } from '../../src/cli/secret-file.ts';
import { givenBy, readSecret, secretOption } from '../../src/cli/secret-option.ts';
import { ConfigError, UsageError } from '../../src/core/errors.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { recordedLog } from '../support/recorded-log.ts';

const KEY = secretOption({
  flag: 'api-key',
  env: 'T_API_KEY',
  help: 'key',
  example: 'KEY',
  file: { help: 'file with the key', example: '/key' },
});

const MANY = secretOption({
  ...KEY[0],
  file: { repeat: true, help: '[KIND=]FILE', details: 'More.', example: '/key' },
});

function valuesOf(argv: readonly string[], env: NodeJS.ProcessEnv = {}): Values<typeof KEY> {
  return resolveOptions(KEY, splitWords(argv, KEY, false), env, undefined) as Values<typeof KEY>;
}

async function read(argv: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string | undefined> {
  return await readSecret(KEY, valuesOf(argv, env));
}

test('a secret is two rows: its value without a flag, and the file that contains it', () => {
  assert.deepEqual(KEY, [
    { flag: 'api-key', type: 'string', secret: true, env: 'T_API_KEY', help: 'key', example: 'KEY' },
    { flag: 'api-key-file', type: 'path', env: 'T_API_KEY_FILE', help: 'file with the key', example: '/key' },
  ]);
  const { flag, repeat, details } = MANY[1];
  assert.deepEqual([flag, repeat, details, MANY[0].repeat], ['api-key-file', true, 'More.', undefined]);
});

test('the secret comes from its variable, or from the file that a flag or variable names', async () => {
  await using directory = await privateDirectory('secret');
  const file = join(directory.path, 'key');
  await writeFile(file, 'from the file');
  assert.equal(await read([]), undefined);
  assert.equal(await read([], { T_API_KEY: 'from the variable' }), 'from the variable');
  assert.equal(await read(['--api-key-file', file]), 'from the file');
  assert.equal(await read([], { T_API_KEY_FILE: file, T_API_KEY: '' }), 'from the file');
});

test('one line break at the end of a file is not part of the secret', async () => {
  await using directory = await privateDirectory('secret');
  const file = join(directory.path, 'key');
  for (const [content, secret] of [
    ['k\n', 'k'],
    ['k\r\n', 'k'],
    ['k\n\n', 'k\n'],
    [' k ', ' k '],
    ['a\nb', 'a\nb'],
  ] as const) {
    await writeFile(file, content);
    assert.equal(await read(['--api-key-file', file]), secret);
  }
});

test('a secret that is given twice is a usage error, which names both and neither value', () => {
  const both = valuesOf(['--api-key-file', '/nowhere/key'], { T_API_KEY: 'hidden' });
  assert.throws(() => givenBy(KEY, both, 'amqp: '), {
    name: UsageError.name,
    message: 'amqp: T_API_KEY and --api-key-file are both given: leave one out',
  });
  assert.equal(givenBy(KEY, valuesOf([], { T_API_KEY: 'hidden' })), 'T_API_KEY');
  assert.equal(givenBy(KEY, valuesOf([], { T_API_KEY_FILE: '/nowhere/key' })), '--api-key-file');
  assert.equal(givenBy(KEY, valuesOf([])), undefined);
});

test('a missing, empty or unreadable file is a configuration error with its option', async () => {
  await using directory = await privateDirectory('secret');
  const file = join(directory.path, 'key');
  const isRefused = async (path: string, reason: string) => {
    const expected = { name: ConfigError.name, message: `cannot read ${path}, given by --api-key-file: ${reason}` };
    await assert.rejects(read(['--api-key-file', path]), expected);
    assert.throws(() => new WatchedFile(path, '--api-key-file'), expected);
  };
  await isRefused(file, 'no such file or directory');
  await isRefused(directory.path, 'it is a directory, not a file');
  for (const content of ['', '\n', '\r\n']) {
    await writeFile(file, content);
    await isRefused(file, 'it is empty');
  }
  // Root reads it nevertheless.
  if (process.getuid?.() === 0) return;
  await writeFile(file, 'hidden');
  await chmod(file, 0);
  await isRefused(file, 'permission denied');
});

test('each reading has the current content of the file', async () => {
  await using directory = await privateDirectory('secret');
  const file = join(directory.path, 'key');
  await writeFile(file, 'one\n');
  const values = valuesOf(['--api-key-file', file]);
  const watched = new WatchedFile(file, '--api-key-file');
  const { log, said } = recordedLog();
  assert.deepEqual([await readSecret(KEY, values), watched.text, watched.refresh(log)], ['one', 'one', false]);
  await writeFile(file, 'another\n');
  assert.deepEqual([await readSecret(KEY, values), watched.refresh(log), watched.text], ['another', true, 'another']);
  await rm(file);
  await assert.rejects(readSecret(KEY, values), ConfigError);
  assert.deepEqual([watched.refresh(log), watched.refresh(log), watched.text], [false, false, 'another']);
  const messages = said().trimEnd().split('\n');
  assert.deepEqual(
    messages.map((line) => (JSON.parse(line) as { msg: string }).msg),
    [
      `${file} has changed: reloaded`,
      `cannot read ${file}, given by --api-key-file: no such file or directory: keeping the previous one`,
    ],
  );
});
