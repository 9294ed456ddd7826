/**
 * `MINUTES=60 SEED=1 node bench/soak/log-tables-fuzz.ts`: kolla-core's interpreter of log tables, built with AddressSanitizer and
 * UndefinedBehaviorSanitizer, on damaged lines, against the reference, and with damaged tables (test/engine/log-tables).
 * `FIRST=n COUNT=1` repeats one round.
 */
import { messageOf } from '../../src/core/errors.ts';

process.env['KOLLA_CORE_SANITIZED'] = '1';
const { interpreting } = await import('../../test/engine/log-tables/run.ts');

const MINUTES = Number(process.env['MINUTES'] || 60);
const SEED = Number(process.env['SEED'] || 1);
const COUNT = Number(process.env['COUNT'] || 50);
/** Seeds are this far apart. */
const FAR = 10_000_000;
const from = Number(process.env['FIRST'] || SEED * FAR);

await using host = await interpreting();
const end = performance.now() + MINUTES * 60_000;
let [first, refused, used, found] = [from, 0, 0, 0];
do {
  try {
    const difference = await host.difference(first, COUNT);
    if (difference !== undefined) throw new Error(difference);
    const damaged = await host.damaged(first, COUNT);
    refused += damaged.refused;
    used += damaged.used;
  } catch (error) {
    found++;
    console.log(`✖ FIRST=${first} COUNT=${COUNT}: ${messageOf(error)}`);
  }
  first += COUNT;
  console.log(`${first - from} rounds, damaged tables: ${refused} refused, ${used} used; ${found} found`);
} while (performance.now() < end && process.env['COUNT'] === undefined);
console.log(`seed ${SEED}: ${first - from} rounds in ${MINUTES} minutes, ${found} found`);
if (found > 0) process.exitCode = 1;
