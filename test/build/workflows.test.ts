/** The files for CI systems must be valid, pin what they use from others, and run only what exists here. */
import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { load } from 'js-yaml';
import { run } from '../../tools/process.ts';
import { actionlint, canLintWorkflows } from '../cluster/actionlint.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const WORKFLOWS = globSync('.github/workflows/*.yml', { cwd: ROOT }).toSorted();
const makefile = await readFile(join(ROOT, 'Makefile'), 'utf8');
const skip = (await canLintWorkflows()) ?? false;

interface Workflow {
  readonly permissions: object;
  readonly jobs: Readonly<
    Record<string, { readonly steps: readonly { readonly uses?: string; readonly run?: string }[] }>
  >;
}

type ZuulItem = {
  readonly job?: { readonly name: string; readonly 'pre-run': string; readonly run: string };
  readonly project?: Readonly<Record<string, { readonly jobs: readonly string[] }>>;
};

function makeTargetsExist(script: string): void {
  for (const [, target = ''] of script.matchAll(/^\s*make ([a-z-]+)/gm))
    assert.match(makefile, new RegExp(`^${target}:`, 'm'), `make ${target}`);
}

test('there are workflows for changes and for releases', () => {
  assert.deepEqual(WORKFLOWS, ['.github/workflows/ci.yml', '.github/workflows/release.yml']);
});

test('actionlint finds nothing in the workflows', { skip }, async () => {
  const { code, stdout, stderr } = await run(await actionlint(), ['-no-color', '-shellcheck=', '-pyflakes='], {
    cwd: ROOT,
  });
  assert.deepEqual([code, stdout, stderr], [0, '', '']);
});

for (const file of WORKFLOWS)
  test(`${file}: actions are pinned, scripts take no expressions, and permissions are read-only unless a job declares more`, async () => {
    const text = await readFile(join(ROOT, file), 'utf8');
    const { permissions, jobs } = load(text) as Workflow;
    assert.deepEqual(permissions, { contents: 'read' });
    for (const line of text.matchAll(/^.*\buses: (.*)$/gm))
      assert.match(line[1]!, /^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    const steps = Object.values(jobs).flatMap((job) => job.steps);
    const scripts = steps.flatMap((step) => step.run ?? []);
    assert.ok(scripts.length > 0);
    for (const script of scripts) {
      // An expression is pasted into the script before the shell parses it.
      assert.doesNotMatch(script, /\$\{\{/);
      const { code, stderr } = await run('bash', ['-n'], { input: script });
      assert.equal(code, 0, stderr);
      makeTargetsExist(script);
      for (const [path] of script.matchAll(/(?<![\w/])\.ci\/\w+/g)) assert.ok(existsSync(join(ROOT, path)), path);
    }
  });

test('.zuul.yaml: every job has its playbooks, and pipelines run only these jobs', async () => {
  const items = load(await readFile(join(ROOT, '.zuul.yaml'), 'utf8')) as ZuulItem[];
  const jobs = items.flatMap(({ job }) => job ?? []);
  const names = jobs.map(({ name }) => name);
  const used = items.flatMap(({ project = {} }) => Object.values(project).flatMap((pipeline) => pipeline.jobs));
  assert.deepEqual([...new Set(used)].toSorted(), names.toSorted());
  for (const playbook of jobs.flatMap((job) => [job['pre-run'], job.run])) {
    const text = await readFile(join(ROOT, playbook), 'utf8');
    const [play] = load(text) as { hosts: string; tasks: object[] }[];
    assert.equal(play?.hosts, 'all', playbook);
    assert.ok(play.tasks.length > 0, playbook);
    for (const [, command = ''] of text.matchAll(/\bcmd: ([^,}]*)/g)) {
      makeTargetsExist(command);
      if (!command.startsWith('make ')) assert.ok(existsSync(join(ROOT, command)), command);
    }
  }
});
