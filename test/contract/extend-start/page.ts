import { NEEDS_ROOT } from './needs-root.ts';
import type { Outcome } from './runs.ts';

const INTRO = `# Extend scripts without root

What each \`kolla_extend_start\` script of the Python package \`kolla\` VERSION does in a container without root: as the service's
uid in the groups of that uid and of kolla (42400), with no new privileges, a read-only root, our \`sudo\` first in PATH, and volumes
at /tmp and /var/log/kolla, the latter as an \`emptyDir\` with \`fsGroup: 42400\` is. The scripts are the real ones, in the chain that
their image's Dockerfile and its parents' make; the programs they call are stubs that say how they were called.
\`node --test test/contract/extend-start.test.ts\` runs them all and holds this page against what it saw.
`;

const COLUMNS = `
Volumes: what has to be writable besides; mode and group are given where the script looks at them (\`directories\` of config.json
asks for them). Runs: what is called as the service, and with a variable set.

| script | user | volumes | runs |
|---|---|---|---|
`;

/** The page's text: the starts that need root with the alternatives, then every script with its commands. */
export function pageOf(outcomes: readonly Outcome[], version: string): string {
  const good = outcomes.filter(({ reason }) => reason === '');
  const scripts = [...Map.groupBy(outcomes, ({ script }) => script)];
  const summary = `\n${scripts.length} scripts, ${outcomes.length} starts: ${good.length} need no root, ${outcomes.length - good.length} do.\n`;
  const table = scripts.map(([script, runs]) => rowOf(script, runs)).join('');
  return `${INTRO.replace('VERSION', version)}${summary}\n## What needs root\n\n${needsRoot(outcomes)}\n## Every script\n${COLUMNS}${table}`;
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
  return `| script | with | what | instead |\n|---|---|---|---|\n${rows.join('')}`;
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
