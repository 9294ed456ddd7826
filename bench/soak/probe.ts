/**
 * Twenty checks for ten minutes: `make soak`; `PROBE_MINUTES=n` changes the time.
 *
 *   kolla-probe serve in front of real sockets and files, each check twice a second, ten requests a second -> a minute of
 *   warm-up -> memory, descriptors and threads in the first and the last third -> docs/evidence/soak-probe.md
 *
 * Fails if memory grows by more than a tenth, descriptors by more than checks hold open at a time, or a response is not
 * 200.
 */
import { writeFileSync } from 'node:fs';
import { commitNow } from '../../tools/commit.ts';
import { growthOf, type Growth } from './growth.ts';
import { startProbedPod } from './probed-pod.ts';

const MINUTES = Number(process.env['PROBE_MINUTES'] || 10);
const WARM_S = 60;
const MOST_GROWTH = 1.1;
/** A check or two may have a socket or file open at the time of a sample. */
const MOST_OPEN = 4;

const commit = await commitNow();
await using pod = await startProbedPod('500ms');
await growthOf(pod, { seconds: WARM_S });
const seen = await growthOf(pod, { seconds: MINUTES * 60 }, console.log);
const verdicts = [
  { what: 'memory, MB', seen: seen.megabytes, holds: seen.megabytes[1] <= seen.megabytes[0] * MOST_GROWTH },
  { what: 'open descriptors', seen: seen.descriptors, holds: seen.descriptors[1] <= seen.descriptors[0] + MOST_OPEN },
  { what: 'threads', seen: seen.threads, holds: seen.threads[1] <= seen.threads[0] },
];
for (const {
  what,
  seen: [first, last],
  holds,
} of verdicts)
  console.log(`${holds ? '✔' : '✖'} ${what}: ${first} in the first third, ${last} in the last`);
console.log(`${seen.bad === 0 ? '✔' : '✖'} ${seen.answers} answers, ${seen.bad} of them not 200`);
writeFileSync('docs/evidence/soak-probe.md', pageOf(seen));
if (seen.bad > 0 || verdicts.some(({ holds }) => !holds)) process.exitCode = 1;

function pageOf(growth: Growth): string {
  return [
    '# Twenty checks at once, at length',
    '',
    `Printed by \`make soak\` at commit ${commit}: ${pod.checks} checks, each twice a second, for ${growth.seconds} s after a minute to warm up; ` +
      `${growth.answers} requests, ${growth.bad} of them not answered 200.`,
    '',
    '| what | first third | last third | |',
    '|---|---|---|---|',
    ...verdicts.map(
      ({ what, seen: [first, last], holds }) =>
        `| ${what} | ${first} | ${last} | ${holds ? 'does not grow' : 'GROWS'} |`,
    ),
    '',
  ].join('\n');
}
