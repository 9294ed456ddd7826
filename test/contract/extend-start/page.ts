import { NEEDS_ROOT } from './needs-root.ts';
import type { Outcome } from './runs.ts';

const INTRO = `# Extend scripts without root

Shows what each \`kolla_extend_start\` script of the Python package \`kolla\` LATEST does in a container without root; [EARLIER](ANCHOR)
follows. The container has the service's uid, its group and the group kolla (42400), no new privileges, a read-only root,
kolla-pod's \`sudo\` first in PATH, and volumes at /tmp and /var/log/kolla, the latter set up like an \`emptyDir\` with
\`fsGroup: 42400\`. The scripts are the original ones, chained as in the Dockerfiles of their image and its parents; the programs
they call are stubs that record the calls. \`node_modules/.bin/node --test test/contract/extend-start.test.ts\` runs all scripts
and compares the results with this page.
`;

const COLUMNS = `
Volumes: additional writable directories, with mode and group if the script checks them (set them in \`directories\` of
config.json). Runs: programs called when starting the service, and when a variable is set.

`;

const HEAD = '| script | user | volumes | runs |\n|---|---|---|---|\n';

const LIBVIRT = `
## libvirt's start command

The images \`nova-libvirt\` and \`nova-libvirt-spice\` of Kolla 23 also have the program \`kolla_nova_libvirt_start\`: it starts
\`virtlogd\` in the background and becomes \`libvirtd --listen\`. Only root may execute it (mode 744); with the service's uid it exits
with 126.
`;

/** The starts of one release's scripts. */
export interface Release {
  readonly version: string;
  readonly outcomes: readonly Outcome[];
}

interface Names {
  /** All scripts of the release; `outcomes` has those that differ from the later one's. */
  readonly names: readonly string[];
}

/**
 * The text of the page: the starts that need root with their alternatives, every script with its commands, the scripts that
 * differ in the earlier release, and libvirt's command.
 */
export function pageOf({ version, outcomes }: Release, earlier: Release & Names): string {
  const good = outcomes.filter(({ reason }) => reason === '');
  const scripts = [...Map.groupBy(outcomes, ({ script }) => script)];
  const summary = `\n${scripts.length} scripts, ${outcomes.length} starts: ${good.length} need no root, ${outcomes.length - good.length} do.\n`;
  const table = scripts.map(([script, runs]) => rowOf(script, runs)).join('');
  const intro = INTRO.replace('LATEST', version).replace('ANCHOR', `#in-kolla-${earlier.version.replaceAll('.', '')}`);
  const all = `${summary}\n## Scripts that need root\n\n${needsRoot(outcomes)}\n## All scripts\n${COLUMNS}${HEAD}${table}`;
  return `${intro.replace('EARLIER', earlier.version)}${all}${differing(scripts, earlier)}${LIBVIRT}`;
}

/** The scripts of the earlier release that do something else, and the later ones that it lacks. */
function differing(scripts: readonly (readonly [string, readonly Outcome[]])[], earlier: Release & Names): string {
  const later = new Map(scripts.map(([script, runs]) => [script, rowOf(script, runs)]));
  const changed = [...Map.groupBy(earlier.outcomes, ({ script }) => script)]
    .map(([script, runs]) => ({ script, row: rowOf(script, runs) }))
    .filter(({ script, row }) => later.get(script) !== row);
  const added = [...later.keys()].filter((script) => !earlier.names.includes(script));
  const list = added.map((script) => `\`${nameOf(script)}\``).join(', ');
  const table = changed.map(({ row }) => row).join('');
  const others = table === '' ? 'The others do the same.\n' : `Different:\n\n${HEAD}${table}`;
  return `\n## In Kolla ${earlier.version}\n\nMissing: ${list}. ${others}`;
}

function needsRoot(outcomes: readonly Outcome[]): string {
  const rows = outcomes
    .filter(({ reason }) => reason !== '')
    .map(({ script, variable, reason }) => {
      const known = NEEDS_ROOT.find((each) => each.script === script && each.variables.includes(variable));
      const why = /^sudo: a script asks for root to run ('.*?')/.exec(reason)?.[1] ?? reason;
      const short = why.replaceAll('/usr/local/bin/', '').replaceAll("'", '`');
      return `| ${nameOf(script)} | ${said(variable)} | ${short} | ${known?.instead ?? ''} |\n`;
    });
  return `| script | mode | needs root for | alternative |\n|---|---|---|---|\n${rows.join('')}`;
}

function rowOf(script: string, runs: readonly Outcome[]): string {
  const [first] = runs;
  const volumes = Object.entries(first?.setting.volumes ?? {}).map(([path, mode]) => {
    const asked = mode === '755' ? '' : ` ${mode.replace('own', `${first?.user}`)}`;
    return `\`${path}\`${asked}`;
  });
  const calls = runs.map(({ variable, ran, reason }) => {
    const programs = ran.filter((line) => line !== 'service').map((line) => `\`${line}\``);
    const list = [...(reason === '' ? programs : ['**needs root**'])].join(', ');
    return `${said(variable)}: ${list === '' ? 'nothing else' : list}`;
  });
  return `| ${nameOf(script)} | ${first?.user ?? ''} | ${volumes.join(', ')} | ${calls.join('; ')} |\n`;
}

function nameOf(script: string): string {
  return script.replace(/\/extend_start\.sh$|\/kolla_extend_start$/, '');
}

function said(variable: string): string {
  return variable === '' ? 'service' : `\`${variable}\``;
}
