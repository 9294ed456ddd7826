/** kolla-init on generated configurations: rejected without any change, or applied, and unchanged by a second run. */
import assert from 'node:assert/strict';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { ExitCode } from '../../src/core/errors.ts';
import { canGiveFilesAway } from '../../tools/capability.ts';
import { byInit } from './init-play.ts';
import { play } from './set-configs/play.ts';
import { generateCase } from './set-configs/property/generate.ts';

const skip = (await canGiveFilesAway()) ?? false;
const CASES = 300;
const SEED = Number(process.env['SEED'] ?? 1);

test(`${CASES} generated configurations are rejected untouched, or applied idempotently`, { skip }, async (t) => {
  let done = 0;
  let atOnce = 0;
  for (let number = 0; number < CASES; number++) {
    const which = `seed ${SEED}, case ${number}`;
    const { runs: _, ...one } = generateCase(SEED, number);
    await play({ ...one, runs: [{}] }, async (at) => {
      const before = stamps(at.root);
      const first = await byInit(at);
      const after = stamps(at.root);
      if (first.code === 0) {
        done++;
        const second = await byInit(at);
        assert.equal(second.code, 0, `${which}: ${second.stderr}`);
        const afterSecond = stamps(at.root);
        // One run may change the mode of a source in the image after copying it with preserved properties.
        if (isDeepStrictEqual(afterSecond, after)) atOnce++;
        else
          assert.match(JSON.stringify(one.config), /preserve_properties/, `${which}: the second run wrote something`);
        await byInit(at);
        assert.deepEqual(stamps(at.root), afterSecond, `${which}: the third run wrote something`);
      } else {
        assert.equal(first.code, ExitCode.badConfig, `${which}: ${first.stderr}`);
        assert.deepEqual(after, before, `${which}: rejected, but wrote something: ${first.stderr}`);
      }
      return first;
    });
  }
  t.diagnostic(`seed ${SEED}: ${done} applied, ${atOnce} of them in one run, ${CASES - done} rejected`);
  assert.ok(done > CASES / 2, 'the generated cases prove nothing any more');
});

/** Everything that a write would change, except for the configuration, which the test writes. */
function stamps(root: string): string[] {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted();
  return names
    .filter((name) => !/^(?:run(?:\/kolla)?$|var\/lib\/kolla)/.test(name))
    .map((name) => {
      const { ino, mode, uid, gid, mtimeMs } = lstatSync(join(root, name));
      return [name, ino, mode, uid, gid, mtimeMs].join(' ');
    });
}
