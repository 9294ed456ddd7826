/**
 * `MINUTES=60 SEED=1 node bench/soak/tls-fuzz.ts`: kolla-core's TLS and HTTP clients, built with AddressSanitizer and
 * UndefinedBehaviorSanitizer, on damaged certificates, records and answers (test/engine/damaged). `FIRST=n COUNT=1`
 * repeats one connection.
 */
process.env['KOLLA_CORE_SANITIZED'] = '1';
const { asking } = await import('../../test/engine/damaged/run.ts');

const MINUTES = Number(process.env['MINUTES'] || 60);
const SEED = Number(process.env['SEED'] || 1);
const COUNT = Number(process.env['COUNT'] || 5000);
let first = Number(process.env['FIRST'] || 0);

await using client = await asking(SEED);
const end = performance.now() + MINUTES * 60_000;
const reasons = new Map<string, number>();
let found = 0;
do {
  const batch = await client.batch(first, COUNT);
  for (const [reason, count] of Object.entries(batch.reasons)) reasons.set(reason, (reasons.get(reason) ?? 0) + count);
  if (batch.found !== undefined) {
    found++;
    console.log(`✖ SEED=${SEED} FIRST=${first}: ${batch.found}`);
  }
  first += COUNT;
  console.log(`${first} connections, ${reasons.size} different reasons, ${found} found`);
} while (performance.now() < end && process.env['COUNT'] === undefined);
for (const [reason, count] of [...reasons].toSorted(([, a], [, b]) => b - a)) console.log(`${count} ${reason}`);
console.log(`seed ${SEED}: ${first} connections in ${MINUTES} minutes, ${found} found`);
if (found > 0) process.exitCode = 1;
