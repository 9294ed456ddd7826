/**
 * Results for the support matrix: a run that passed -> docs/evidence/support.json -> docs/reference/support.md. A later
 * result replaces an earlier one of the same kind.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { HERE } from '../../build/base.ts';
import { ROOT } from '../../build/bundle.ts';
import { GENERATED } from '../../build/docs/pages.ts';
import { supportPage, type CloudResult, type SupportResults } from '../../build/docs/support.ts';
import { IMAGE_ARCH } from '../../build/images/base.ts';
import { commitNow } from './commit.ts';
import type { Outcome } from '../runner/outcomes.ts';

const RESULTS = join(ROOT, 'docs/evidence/support.json');
const PAGE = join(ROOT, 'docs/reference/support.md');
/** Its tests are one for each release of Kolla. */
const CONTRACT_FILE = 'test/contract/set-configs/releases.test.ts';
const architecture = IMAGE_ARCH[HERE.arch];

/** Records the releases of Kolla whose contract held in a run of the tests. */
export async function recordContract(outcomes: readonly Outcome[]): Promise<void> {
  const commit = await commitNow();
  const held = outcomes
    .filter(({ file, result }) => file === CONTRACT_FILE && result === 'passed')
    .map(({ name }) => ({ kolla: Number(/^Kolla (\d+):/.exec(name)?.[1]), architecture, commit }));
  await record(({ contract, clouds }) => ({
    contract: [...contract.filter((former) => !held.some((one) => isSame(one, former))), ...held],
    clouds,
  }));
}

/** Records a cloud that passed, on this machine's architecture. */
export async function recordCloud(cloud: Omit<CloudResult, 'architecture' | 'commit'>): Promise<void> {
  const passed = { ...cloud, architecture, commit: await commitNow() };
  await record(({ contract, clouds }) => ({
    contract,
    clouds: [...clouds.filter((former) => !isSame(passed, former)), passed],
  }));
}

/** Whether two results are of the same kind. */
function isSame<T extends { readonly commit: string }>(one: T, other: T): boolean {
  return isDeepStrictEqual({ ...one, commit: '' }, { ...other, commit: '' });
}

async function record(change: (results: SupportResults) => SupportResults): Promise<void> {
  const { contract, clouds } = change(JSON.parse(await readFile(RESULTS, 'utf8')) as SupportResults);
  const results = {
    contract: contract.toSorted((a, b) => a.kolla - b.kolla),
    clouds: clouds.toSorted((a, b) => (a.openstack < b.openstack ? -1 : 1)),
  };
  await writeFile(RESULTS, `${JSON.stringify(results, undefined, 2)}\n`);
  await writeFile(PAGE, supportPage(results, GENERATED));
}
