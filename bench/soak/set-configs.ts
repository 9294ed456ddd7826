/**
 * The property test of kolla_set_configs with many cases: `make soak`; `SEED=n` and `CASES=n` change the defaults.
 * Prints seed, commit and counts, and writes them to docs/evidence/soak-set-configs.json and .md.
 */
import { writeFileSync } from 'node:fs';
import { compareCases, type Tally } from '../../test/contract/set-configs/property/index.ts';
import { canRunReference } from '../../test/contract/set-configs/reference.ts';
import { commitNow } from '../../tools/commit.ts';

const CASES = Number(process.env['CASES'] || 20_000);
const SEED = Number(process.env['SEED'] || Math.floor(Date.now() / 1000));

const missing = await canRunReference();
if (missing === undefined) await soak();
else console.log(`not run on this machine: ${missing}`);

async function soak(): Promise<void> {
  const began = performance.now();
  const commit = await commitNow();
  console.log(`kolla_set_configs against Kolla's own: seed ${SEED}, ${CASES} cases, commit ${commit}`);
  const tally = await compareCases(SEED, CASES, { say: console.log });
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(textOf(tally));
  const evidence = { commit, seconds, ...tally };
  writeFileSync('docs/evidence/soak-set-configs.json', `${JSON.stringify(evidence, undefined, 2)}\n`);
  writeFileSync('docs/evidence/soak-set-configs.md', pageOf(tally, commit, seconds));
  if (tally.failures.length > 0) process.exitCode = 1;
}

function textOf({ seed, cases, starts, whole, refused, deviations, failures }: Tally): string {
  return [
    `seed ${seed}: ${cases} cases, ${starts} starts, ${whole} to their last one, ${refused} refused by both`,
    ...Object.entries(deviations).map(([name, count]) => `  ${count} cases: ${name}`),
    ...failures.map((failure) => `✖ ${JSON.stringify(failure, undefined, 1)}`),
    `${failures.length} cases differ in a way that is not documented`,
  ].join('\n');
}

function pageOf({ seed, cases, starts, whole, refused, deviations, failures }: Tally, commit: string, seconds: number) {
  return [
    "# kolla_set_configs against Kolla's own, at length",
    '',
    `Printed by \`make soak\` at commit ${commit}, in ${seconds} s. The same again: \`make soak SEED=${seed} CASES=${cases}\`.`,
    '',
    '| what | |',
    '|---|---|',
    `| generated configurations | ${cases} |`,
    `| starts of each tool, compared | ${starts} |`,
    `| cases compared to their last start | ${whole} |`,
    `| cases that both refuse alike | ${refused} |`,
    `| cases that differ in a way that is not documented | ${failures.length} |`,
    '',
    'Documented deviations (`docs/reference/kolla-contract.md`) that were met:',
    '',
    '| deviation | cases |',
    '|---|---|',
    ...Object.entries(deviations).map(([name, count]) => `| ${name} | ${count} |`),
    '',
  ].join('\n');
}
