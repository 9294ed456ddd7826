/**
 * The pages and figures in docs/evidence/, each printed by a run:
 *
 *   EVIDENCE: files -> the command that prints them, and the sources that they are about
 *     -> docs/evidence/README.md, by `make docs`
 *     -> test/evidence/pages.test.ts: the commits that a file states are in this history
 *     -> `make release`: none of these sources has changed since
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../tools/process.ts';
import { ROOT } from './bundle.ts';

const DIRECTORY = join(ROOT, 'docs/evidence');
/** What runs on a node of the clouds. */
const CLOUD = ['src', 'native', 'cmd', 'images', 'k8s/charts', 'k8s/operator', 'test/cloud'];

export interface Evidence {
  /** Names in docs/evidence/, with wildcards. */
  readonly files: string;
  readonly what: string;
  /** Prints them; of several files, an example. */
  readonly command: string;
  /** Directories and files of the repository that they are about. */
  readonly subject: readonly string[];
}

export const EVIDENCE: readonly Evidence[] = [
  {
    files: 'cloud{,-[0-9]*,-kubernetes-*}.md',
    what: 'OpenStack on the charts: times, versions, what its users did, objects of each kind',
    command: 'make cloud RELEASE=2026.2 EVIDENCE=1',
    subject: CLOUD,
  },
  {
    files: 'guest.md',
    what: 'virtual machines on the charts: what their users did, seconds without packets, memory of each Pod, what was not run',
    command: 'make cloud GUEST=1 EVIDENCE=1',
    subject: CLOUD,
  },
  {
    files: 'upgrade{,-*}.md',
    what: 'from one release of OpenStack to another under load: requests, revisions, rows',
    command: 'make cloud-upgrade FROM=2026.1 RELEASE=2026.2 EVIDENCE=1',
    subject: CLOUD,
  },
  {
    files: '{cloud-operator,chaos-upgrade}.md',
    what: 'the same upgrade by kolla-operator while its leader is killed, and while everything is struck',
    command: 'make cloud-operator KILLS=3 EVIDENCE=1',
    subject: CLOUD,
  },
  { files: 'chaos.md', what: 'an hour of faults, under load', command: 'make chaos EVIDENCE=1', subject: CLOUD },
  {
    files: 'release.md',
    what: "a cloud from a release's directory alone, command by command",
    command: 'make cloud-release EVIDENCE=1',
    subject: [...CLOUD, 'build'],
  },
  {
    files: 'operator-scale.md',
    what: 'kolla-operator with up to 1,000 services: requests, memory, time',
    command: 'node_modules/.bin/node bench/operator-scale/index.ts --print',
    subject: ['src/operator', 'src/kube', 'bench/operator-scale'],
  },
  {
    files: 'soak-set-configs.{md,json}',
    what: "generated configurations: Kolla's own set_configs.py and ours",
    command: 'make soak',
    subject: ['src/config', 'src/fs', 'bench/soak'],
  },
  {
    files: 'soak-takeovers.{md,json}',
    what: 'a thousand takeovers of a migration on Galera',
    command: 'make soak',
    subject: ['src/migrate', 'src/mysql', 'bench/soak'],
  },
  {
    files: 'soak-{api-server,log-ship,probe}.md',
    what: 'a watch on a frozen API server; every fault of log shipping; twenty checks for ten minutes',
    command: 'make soak',
    subject: ['src/wait', 'src/kube', 'src/logship', 'src/probe', 'src/net', 'bench/soak'],
  },
  {
    files: 'binary.{md,json}',
    what: 'sizes of the binary and of its parts, and the cost of a start',
    command: 'node_modules/.bin/node build/binary.ts --evidence',
    subject: ['src', 'build', 'package-lock.json'],
  },
  {
    files: 'image-sizes.md',
    what: 'sizes of the images',
    command: 'node_modules/.bin/node build/images.ts --evidence',
    subject: ['src', 'build', 'images', 'package-lock.json'],
  },
  {
    files: 'bench-*.{json,svg}',
    what: "costs beside today's tools, for [performance](../concepts/performance.md)",
    command: 'make bench',
    subject: ['src', 'native', 'cmd', 'bench'],
  },
  {
    files: 'support.json',
    what: 'versions of servers with which tests passed, for the [support matrix](../reference/support.md)',
    command: 'make evidence',
    subject: [],
  },
  {
    files: 'tool-codes.json',
    what: "exit codes of OpenStack's tools, for [tool codes](../reference/tool-codes.md)",
    command: 'make tool-codes',
    subject: ['test/known-tools'],
  },
];

/** The names of a row's files. */
export function filesOf({ files }: Evidence): string[] {
  return globSync(files, { cwd: DIRECTORY }).toSorted();
}

/** The commits of 12 digits at which a file was printed, as it states them; empty if it states none. */
export function commitsIn(text: string): string[] {
  const [head = ''] = text.split(/^## /m, 1);
  const stated = text.startsWith('#')
    ? head.matchAll(/\b(?:at|commit)\s+([0-9a-f]{12}(?: with changes)?)/g)
    : text.matchAll(/"commit": ?"([^"]*)"/g);
  return [...new Set([...stated].map(([, commit = '']) => commit))];
}

/** docs/evidence/README.md */
export function evidencePage(generated: string): string {
  const linked = (row: Evidence) =>
    filesOf(row)
      .filter((name) => !name.endsWith('.svg'))
      .map((name) => `[${name}](${name})`)
      .join(', ');
  return [
    '# Evidence',
    '',
    generated,
    '',
    'Printed by runs, at the commit that each states. What is not here is stated by the titles of the tests: `make test-full`.',
    '`make release` refuses a file whose subject has changed since its commit.',
    '',
    '| what | files | printed by |',
    '|---|---|---|',
    ...EVIDENCE.map((row) => `| ${row.what} | ${linked(row)} | \`${row.command}\` |`),
    '',
  ].join('\n');
}

/** A line for each file whose subject has changed since its commit, with the command that prints it again. */
export async function staleEvidence(): Promise<string[]> {
  const git = (...args: string[]) => must('git', ['-C', ROOT, ...args]);
  const all = new Set((await git('rev-list', 'HEAD')).split('\n').map((line) => line.slice(0, 12)));
  const changedSince = async (commit: string, subject: readonly string[]) =>
    (await git('diff', '--name-only', commit, 'HEAD', '--', ...subject)).split('\n').filter((line) => line !== '');
  const lines: string[] = [];
  for (const row of EVIDENCE.filter(({ subject }) => subject.length > 0))
    for (const name of filesOf(row).filter((one) => !one.endsWith('.svg'))) {
      const path = `docs/evidence/${name}`;
      const stated = commitsIn(readFileSync(join(ROOT, path), 'utf8'));
      // A file that states none was printed before the commit that changed it last.
      const commits =
        stated.length > 0 ? stated : [(await git('log', '-1', '--format=%h', '--abbrev=12', '--', path)).trim()];
      for (const commit of commits) {
        if (!all.has(commit)) lines.push(`${path}: ${commit} is no commit of this history: ${row.command}`);
        else {
          const [first, ...others] = await changedSince(commit, row.subject);
          const more = others.length === 0 ? '' : ` and ${others.length} other files`;
          if (first !== undefined) lines.push(`${path}: ${first}${more} changed since ${commit}: ${row.command}`);
        }
      }
    }
  return lines;
}
