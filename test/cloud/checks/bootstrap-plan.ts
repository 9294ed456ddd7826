import assert from 'node:assert/strict';
import { until } from '../../support/until.ts';
import type { Stage } from '../stage.ts';

const CANNOT_REPORT = 'its tool cannot report whether it is up to date';

interface Container {
  readonly name: string;
  readonly command: readonly string[];
}

interface PodSpec {
  readonly containers: readonly Container[];
}

interface Job {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly template: { readonly spec: PodSpec } };
  readonly status?: { readonly succeeded?: number; readonly failed?: number };
}

/**
 * `kolla-bootstrap plan` with each bootstrap Job's own configuration, accounts and options: after the installation it finds
 * nothing to create or change.
 */
export async function assertBootstrapPlansEmpty(stage: Stage): Promise<string> {
  const { items } = JSON.parse(await stage.kubectl(['get', 'jobs', '--output=json'])) as { items: Job[] };
  const jobs = items.filter(({ spec }) => serviceOf(spec.template.spec.containers) !== undefined);
  assert.ok(jobs.length > 0);
  const planName = ({ metadata }: Job) => `plan-${metadata.name.replace(/-[0-9a-f]+$/, '')}`;
  const names = jobs.map((job) => `job/${planName(job)}`);
  const plans = jobs.map((job) => planOf(planName(job), job.spec.template.spec));
  await stage.kubectl(['apply', '--filename=-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: plans }));
  await using stack = new AsyncDisposableStack();
  stack.defer(async () => void (await stage.kubectl(['delete', ...names, '--wait=false'])));
  let unknown = 0;
  for (const name of names) {
    const ended = await until(`${name} to end`, async () => {
      const { status = {} } = JSON.parse(await stage.kubectl(['get', name, '--output=json'])) as Job;
      return (status.succeeded ?? 0) + (status.failed ?? 0) > 0 ? status : undefined;
    });
    const text = await stage.kubectl(['logs', name]);
    const changes = text.split('\n').filter((line) => /^[+~-] /.test(line));
    // Placement, Nova, Neutron, Cinder and Heat have no command that reports whether the schema is up to date.
    const isUnknown = (line: string) => line.startsWith('~ schema ') && text.includes(CANNOT_REPORT);
    unknown += changes.filter((line) => isUnknown(line)).length;
    // A plan without changes exits with 0. A plan that failed prints no changes either, but exits with another code.
    assert.ok(changes.length > 0 || ended.succeeded === 1, `${name}: ${text.slice(-2000)}`);
    assert.deepEqual(
      changes.filter((line) => !isUnknown(line)),
      [],
      `${name}: ${text.slice(-2000)}`,
    );
  }
  return `${names.length} plans without a change; of ${unknown} schemas the tool cannot report whether they are up to date`;
}

function serviceOf([container]: readonly Container[]): string | undefined {
  const [program, service] = container?.command ?? [];
  return program === 'kolla-bootstrap' && service !== 'keys' ? service : undefined;
}

function planOf(name: string, { containers, ...pod }: PodSpec): object {
  const own = containers.map(({ command: [program = '', ...args], ...container }) => {
    return { ...container, command: [program, 'plan', ...args] };
  });
  const spec = { ...pod, containers: own, restartPolicy: 'Never' };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec: { backoffLimit: 0, template: { spec } } };
}
