import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ConfigError, ExitCode } from '../../src/core/errors.ts';
import { createShow, findDifferences } from '../../src/config/check/index.ts';
import { makePlan } from '../../src/config/index.ts';
import { compareCommand } from '../../src/container/init/check.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { CASES } from './set-configs/cases/index.ts';
import { byUs } from './set-configs/ours.ts';
import { byReference, CONFIG, play } from './set-configs/play.ts';
import { canRunReference, startReference, type Ended, type Reference, type Start } from './set-configs/reference.ts';

/** How `kolla-init check` differs from `kolla_set_configs --check`, and why. */
const OTHERWISE: Readonly<Record<string, number>> = {
  // The wanted state is unknown, as with any other invalid configuration.
  'a check with the source missing': ExitCode.badConfig,
  'a check with the source missing, before an entry with an unknown key': ExitCode.badConfig,
  // kolla-init compares with the result of all entries, including permissions.
  'a check of kept properties after permissions set another owner than the entry names': ExitCode.ok,
  // kolla_set_configs has its own state, while that of kolla-init is in /run/kolla.
  'a check with an entry dropped': ExitCode.ok,
  // Sources are this machine's own here, which has no /etc/e: --root applies to destinations.
  'a check of an optional source created by a later entry, into a missing directory': ExitCode.ok,
};

const skip = (await canRunReference()) ?? false;
let reference: Reference;
before(async () => {
  if (skip === false) reference = await startReference();
});
after(async () => await reference?.[Symbol.asyncDispose]());

const checks = CASES.filter(({ runs }) => runs?.some(({ argv }) => argv !== undefined && isCheck(argv)));

test('at least one case is compared', () => assert.ok(checks.length >= 20, `${checks.length} cases`));

for (const one of checks) {
  test(`equals kolla_set_configs --check: ${one.name}`, { skip }, async () => {
    const theirs = await play(one, byReference(reference));
    const ours = await play(one, (at) => (isCheck(at.argv) ? kollaInitCheck(at) : byUs(at)));
    for (const [i, { argv = [] }] of (one.runs ?? []).entries()) {
      if (!isCheck(argv)) continue;
      assert.equal(ours[i]?.code, OTHERWISE[one.name] ?? theirs[i]?.code, `${theirs[i]?.stderr}\n${ours[i]?.stderr}`);
      assert.deepEqual(ours[i]?.tree, ours[i]?.before, 'something was written');
    }
  });
}

function isCheck(argv: readonly string[]): boolean {
  return argv.length === 1 && argv[0] === '--check';
}

async function kollaInitCheck({ root }: Start): Promise<Ended> {
  const { log } = recordedLog();
  const me = { uid: 0, gid: 0, groups: [] };
  const options = { configDir: join(root, CONFIG), configFile: undefined, root, image: root, me, onlyCompare: true };
  try {
    const planned = await makePlan(options, { signal: new AbortController().signal, log });
    assert.ok(planned);
    const show = createShow();
    const command = await compareCommand(root, planned.loaded.document.command, show);
    const found = await findDifferences(planned.plan, show, new AbortController().signal);
    const differences = [...found, ...(command === undefined ? [] : [command])];
    return { code: differences.length === 0 ? ExitCode.ok : ExitCode.no, stderr: JSON.stringify(differences) };
  } catch (error) {
    if (error instanceof ConfigError) return { code: error.exitCode, stderr: error.message };
    throw error;
  }
}
