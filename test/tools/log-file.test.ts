import assert from 'node:assert/strict';
import { pbkdf2 } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { privateDirectory } from '../../tools/directory.ts';
import { start } from '../../tools/process.ts';

/** More than Node has threads for files. */
const JOBS = 8;
const ITERATIONS = 200_000;

test("a program's log file is there as soon as the program is, however busy this process is", async () => {
  await using directory = await privateDirectory('log-file');
  const logFile = join(directory.path, 'out.log');
  const busy = Array.from({ length: JOBS }, () => promisify(pbkdf2)('a', 'b', ITERATIONS, 32, 'sha512'));
  await using program = await start('true', [], { logFile });
  assert.ok(existsSync(logFile));
  assert.equal(await program.ended, 0);
  await Promise.all(busy);
});
