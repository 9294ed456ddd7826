import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Journal } from '../../src/operator/journal.ts';
import { privateDirectory } from '../../tools/directory.ts';
import { recordedLog } from '../support/recorded-log.ts';

test('an object in whose turn the process died twice is suspect until a turn has ended', async () => {
  await using directory = await privateDirectory('journal');
  const { log } = recordedLog();
  const restarted = () => new Journal(join(directory.path, 'turns'), log);
  const first = restarted();
  first.begin('OpenStackService', 'nova');
  first.begin('OpenStackService', 'heat');
  first.end('OpenStackService', 'heat');
  const second = restarted();
  assert.equal(second.isSuspect('OpenStackService', 'nova'), false);
  second.begin('OpenStackService', 'nova');
  second.begin('OpenStackService', 'heat');
  const third = restarted();
  assert.deepEqual(third.suspects(), [{ kind: 'OpenStackService', name: 'nova', deaths: 2 }]);
  const fourth = restarted();
  assert.deepEqual(fourth.suspects(), third.suspects(), 'a death before its turn is none of its own');
  fourth.begin('OpenStackService', 'nova');
  assert.equal(fourth.isSuspect('OpenStackService', 'nova'), true);
  fourth.end('OpenStackService', 'nova', true);
  assert.equal(fourth.isSuspect('OpenStackService', 'nova'), true, 'of the step that follows');
  assert.deepEqual(restarted().suspects(), third.suspects());
  fourth.end('OpenStackService', 'nova');
  assert.equal(fourth.isSuspect('OpenStackService', 'nova'), false);
  assert.deepEqual(restarted().suspects(), []);
});

test('a directory that cannot be written, or has other files, only takes the protection', async () => {
  await using directory = await privateDirectory('journal');
  const said: string[] = [];
  const { log } = recordedLog('debug', (text) => void said.push(text));
  const file = join(directory.path, 'file');
  await writeFile(file, '');
  const journal = new Journal(file, log);
  journal.begin('OpenStack', 'cloud');
  journal.end('OpenStack', 'cloud');
  assert.deepEqual(journal.suspects(), []);
  assert.match(said[0] ?? '', /turns are not recorded: .*EEXIST/);
  await writeFile(join(directory.path, 'other.file'), 'text');
  const others = [new Journal(directory.path, log), new Journal(directory.path, log)];
  assert.deepEqual(others[1]?.suspects(), []);
});
