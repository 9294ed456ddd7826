/**
 * The system refuses an owner or a mode: no CAP_CHOWN, no CAP_FOWNER, or a user namespace without the ID. Each release of
 * Kolla's tool logs it and continues, except for preserve_properties. Ours ends the same, with the reason on one line.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Capability } from '../../../tools/capability.ts';
import { run } from '../../../tools/process.ts';
import { entry, paths, perms } from './entries.ts';
import { byReference, CONFIG, play, type Case, type Outcome } from './play.ts';
import { canRunReference, KOLLA_VERSIONS, startReference, type Reference } from './reference.ts';
import { differences } from './tree.ts';

const notPermitted = (capability: string) =>
  `not permitted: this process has no ${capability}, or the volume does not accept root (NFS with root_squash)`;

interface Refusal {
  readonly name: string;
  /** Arguments of a command that runs another. */
  readonly within: readonly string[];
  readonly reason: string;
  /** Whether a new object has a stricter mode than with Kolla's tool, which leaves that of the umask. */
  readonly isStricter?: true;
}

const REFUSALS: readonly Refusal[] = [
  { name: 'no CAP_CHOWN', within: ['setpriv', '--bounding-set=-chown'], reason: notPermitted('CAP_CHOWN') },
  // The new owner may set the mode, and is another user.
  {
    name: 'no CAP_FOWNER',
    within: ['setpriv', '--bounding-set=-fowner'],
    reason: notPermitted('CAP_FOWNER'),
    isStricter: true,
  },
  {
    name: 'a user namespace without the ID',
    within: ['unshare', '--user', '--map-root-user'],
    reason: 'the user namespace of this container has no such ID',
  },
];

const canRefuse: Capability = async () => {
  for (const { within } of REFUSALS) {
    const [command, ...words] = [...within, 'true'];
    const { code, stderr } = await run(command, words);
    if (code !== 0) return `${command} does not run here: ${stderr.trim()}`;
  }
  return await canRunReference();
};

const SOURCES = {
  [`${CONFIG}/a.conf`]: { text: 'a', mode: 0o600 },
  [`${CONFIG}/d/b.conf`]: { text: 'b', mode: 0o600 },
};
const files = (...entries: object[]) => ({ command: 'run', config_files: entries });
const nova = (path: string) => ({ path, owner: 'nova', perm: '0640' });

interface RefusedCase extends Case {
  /** The release that brought the section. */
  readonly since: number;
}

const LOGGED: readonly RefusedCase[] = [
  { name: 'config_files', since: 18, files: SOURCES, config: files(entry('a.conf', '/srv/a.conf', { perm: '0640' })) },
  { name: 'config_files with a directory', since: 18, files: SOURCES, config: files(entry('d', '/srv/d')) },
  {
    name: 'permissions',
    since: 18,
    files: { 'srv/x/y': { text: 'x', mode: 0o600 } },
    config: perms({ ...nova('/srv/x'), recurse: true }),
  },
  { name: 'directories, new', since: 22, config: paths('directories', nova('/srv/new/below')) },
  {
    name: 'directories, existing',
    since: 22,
    files: { 'srv/old': { directory: true, mode: 0o700 } },
    config: paths('directories', nova('/srv/old')),
  },
  { name: 'files, new', since: 23, files: { 'srv/x': 'x' }, config: paths('files', nova('/srv/new')) },
  {
    name: 'files, existing',
    since: 23,
    files: { 'srv/old': { text: 'kept', mode: 0o600 } },
    config: paths('files', nova('/srv/old')),
  },
];

const PRESERVED: Case = {
  name: 'preserve_properties',
  files: { [`${CONFIG}/a.conf`]: { text: 'a', mode: 0o644, owner: 42436 } },
  config: files({ source: `/${CONFIG}/a.conf`, dest: '/srv/a.conf', preserve_properties: true }),
};

/** @param ours starts our tool in such a command */
export async function testRefused(
  ours: (within: readonly string[]) => Promise<Reference>,
  otherSkip?: string,
): Promise<void> {
  const skip = otherSkip ?? (await canRefuse()) ?? false;
  for (const refusal of REFUSALS) {
    test(`${refusal.name}: logged, as by each release of Kolla`, { skip }, async (t) => {
      await using mine = await ours(refusal.within);
      let compared = 0;
      for (const [release, version] of Object.entries(KOLLA_VERSIONS)) {
        await using reference = await startReference(version, refusal.within);
        for (const one of LOGGED.filter(({ since }) => since <= Number(release))) {
          const [theirs] = await play(one, byReference(reference));
          const [our] = await play(one, byReference(mine));
          compareLogged(theirs!, our!, refusal, `${release}: ${one.name}\n${theirs!.stderr}---\n${our!.stderr}`);
          compared++;
        }
      }
      t.diagnostic(`cases compared: ${compared}`);
    });

    // Here the source's owner may be set.
    if (refusal.isStricter) continue;
    test(`${refusal.name}: fatal with preserve_properties, naming path and owner`, { skip }, async () => {
      await using mine = await ours(refusal.within);
      await using reference = await startReference(undefined, refusal.within);
      const [theirs] = await play(PRESERVED, byReference(reference));
      const [our] = await play(PRESERVED, byReference(mine));
      assert.deepEqual([theirs!.code, our!.code], [2, 2], our!.stderr);
      const owner = String.raw`(?:42436:42436|65534:65534)`;
      assert.match(
        our!.stderr,
        new RegExp(
          String.raw`Failed to change ownership of \S*/srv/a\.conf to ${owner}: ${escaped(refusal.reason)}; pres`,
        ),
      );
    });
  }
}

function compareLogged(theirs: Outcome, ours: Outcome, { reason, isStricter }: Refusal, said: string): void {
  assert.deepEqual([ours.code, theirs.code], [0, 0], said);
  const failed = failuresOf(ours);
  assert.ok(failed.length > 0, said);
  for (const line of failed) assert.ok(line.endsWith(`: ${reason}`), line);
  const bare = failed.map((line) => line.slice(0, -`: ${reason}`.length).replace(/ \(0\d+\)$/, ''));
  assert.deepEqual(bare, failuresOf(theirs), said);
  const without = isStricter ? /^.*: (?:file|directory) (\S+) [0-7]+ ?(.*) \| (?:file|directory) \1 [0-7]+ ?\2$/ : /^$/;
  assert.deepEqual(
    differences(theirs.tree, ours.tree).filter((line) => !without.test(line)),
    [],
    said,
  );
}

/** Kolla's log lines had another format before release 21; our function names the path outside of the root. */
function failuresOf({ stderr }: Outcome): string[] {
  return Array.from(stderr.matchAll(/ERROR(?::__main__:| )(Failed to .*)/g), ([, text = '']) =>
    text.replaceAll(/\/\S+?\/root\//g, '/'),
  ).toSorted((a, b) => a.localeCompare(b));
}

function escaped(text: string): string {
  return text.replaceAll(/[()]/g, String.raw`\$&`);
}
