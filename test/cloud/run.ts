import { messageOf } from '../../src/core/errors.ts';
import { firstLacking, type Capability } from '../../tools/capability.ts';
import { canRunHelm } from '../../tools/helm.ts';
import { canRunElasticsearch } from '../cluster/elasticsearch.ts';
import { canBuildInfrastructureImages } from '../cluster/infrastructure-image.ts';
import { canBuildCoredns, canRunNode } from '../cluster/kubernetes/index.ts';
import { fileLimit } from '../support/file-limit.ts';
import { accountOf, type Account } from './client.ts';
import { guard } from './guard.ts';
import { whatIsWrong } from './install.ts';
import { makePasswords } from './passwords.ts';
import { setStage, type Stage, type StageOptions } from './stage.ts';
import { stay } from './stay.ts';
import { Timeline } from './timeline.ts';
import { debianTree } from './trees/debian.ts';
import { releaseNames, releaseTree } from './trees/release.ts';

/** The release of the pages without one in their names. */
export const DEFAULT_RELEASE = '2026.1';
const MINUTES = 90;
const STAYS = process.env['STAY'] === '1';
const NEEDED = [canRunNode, canBuildCoredns, canRunHelm, canRunElasticsearch, canBuildInfrastructureImages];

export interface CloudRun {
  /** For messages: `make cloud`. */
  readonly target: string;
  /** The release of OpenStack; by default RELEASE of the environment. */
  readonly release?: string;
  /** Requirements in addition to those of every cloud. */
  readonly needed: readonly Capability[];
  readonly options?: StageOptions;
  /** The watchdog's limit, without the time in which the cache is filled. Default: 90. */
  readonly minutes?: number;
  readonly work: (cloud: Cloud) => Promise<void>;
}

/** An empty cluster with the images of a release of OpenStack. */
export interface Cloud {
  readonly stage: Stage;
  readonly timeline: Timeline;
  /** The admin's account by a passwords.yml, which gets the passwords that it lacks. */
  readonly adminOf: (passwords: string) => Promise<Account>;
}

/**
 * Sets the stage of the release, works on it, and sets the exit code. A step that fails ends the run with 1 and
 * the state of the Pods that are not ready; STAY=1 keeps the stage until SIGINT or SIGTERM, also after a failure.
 */
export async function runCloud(run: CloudRun): Promise<void> {
  const timeline = new Timeline();
  const release = run.release ?? (process.env['RELEASE'] || DEFAULT_RELEASE);
  await guard(timeline, async (hold) => await main(run, release, timeline, hold));
}

async function main(
  { target, needed, options, minutes = MINUTES, work }: CloudRun,
  release: string,
  timeline: Timeline,
  hold: (stage: Stage) => void,
): Promise<number> {
  const known = await releaseNames();
  if (!known.includes(release)) {
    console.error(`there is no release ${release} in test/cloud/releases, but ${known.join(', ')}`);
    return 64;
  }
  fileLimit(minutes);
  const lacking = await firstLacking([...NEEDED, ...needed]);
  if (lacking !== undefined) {
    console.error(`${target} can't run here: ${lacking}`);
    return 69;
  }
  await timeline.step("Debian's tree", async () => void (await debianTree()));
  await timeline.step(`OpenStack ${release}'s tree`, async () => void (await releaseTree(release)));
  await using stage = await setStage(release, timeline, options);
  hold(stage);
  let admin: Account | undefined;
  const adminOf = async (passwords: string) =>
    (admin = accountOf('admin', (await makePasswords(passwords))('keystone_admin_password'), 'admin'));
  let code = 0;
  try {
    await work({ stage, timeline, adminOf });
  } catch (error) {
    console.error(`${await whatIsWrong(stage)}\nfailed in '${timeline.current}': ${messageOf(error)}`);
    code = 1;
  }
  if (STAYS && admin !== undefined) await stay(stage, admin);
  return code;
}
