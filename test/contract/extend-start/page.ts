import { NEEDS_ROOT } from './needs-root.ts';
import type { Outcome } from './runs.ts';

const INTRO = `# Extend scripts without root

Shows what each \`kolla_extend_start\` script of the Python package \`kolla\` VERSION does in a container without root: with the
service's uid, its group and the group kolla (42400), no new privileges, a read-only root, kolla-pod's \`sudo\` first in PATH, and
volumes at /tmp and /var/log/kolla, the latter set up like an \`emptyDir\` with \`fsGroup: 42400\`. The scripts are the original ones,
chained as in the Dockerfiles of their image and its parents; the programs they call are stubs that record the calls.
\`node_modules/.bin/node --test test/contract/extend-start.test.ts\` runs all scripts and compares the results with this page.
`;

const COLUMNS = `
Volumes: additional writable directories, with mode and group if the script checks them (set them in \`directories\` of
config.json). Runs: programs called when starting the service, and when a variable is set.

| script | user | volumes | runs |
|---|---|---|---|
`;

/**
 * The text of the page: the starts that need root with their alternatives, followed by every script with its commands.
 */
export function pageOf(outcomes: readonly Outcome[], version: string): string {
  const good = outcomes.filter(({ reason }) => reason === '');
  const scripts = [...Map.groupBy(outcomes, ({ script }) => script)];
  const summary = `\n${scripts.length} scripts, ${outcomes.length} starts: ${good.length} need no root, ${outcomes.length - good.length} do.\n`;
  const table = scripts.map(([script, runs]) => rowOf(script, runs)).join('');
  return `${INTRO.replace('VERSION', version)}${summary}\n## Scripts that need root\n\n${needsRoot(outcomes)}\n## All scripts\n${COLUMNS}${table}`;
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
