import type { Context } from '../../cli/command.ts';
import { table } from '../../cli/table.ts';
import { ExitCode } from '../../core/errors.ts';
import { paint, type Terminal } from '../../core/terminal.ts';
import { kubeSource, lazyKube } from '../../kube/source.ts';
import { conditionOf } from '../../operator/api/conditions.ts';
import type { OpenStack, OpenStackService } from '../../operator/api/objects.ts';
import { planOf } from '../../operator/openstack/plan.ts';
import { readCloud, type Cloud } from './read.ts';

interface Options {
  readonly output: 'table' | 'json';
  readonly namespace: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

/** One service, as it is shown. */
interface Row {
  readonly name: string;
  readonly release: string | undefined;
  readonly state: string;
  readonly workloads: string | undefined;
  /** The phase of a migration and its state: one that is not done, or the last one. */
  readonly migration: string | undefined;
  readonly revision: number | undefined;
  /** When it became ready, or stopped to be. */
  readonly since: string | undefined;
  readonly message: string;
}

export async function showStatus(
  options: Options,
  { signal, stdout, terminal, inherited }: Context,
): Promise<ExitCode> {
  using kube = lazyKube(() => kubeSource(options.kubeconfig, inherited, options), options.namespace);
  const client = await kube.get();
  const cloud = await readCloud(client, signal);
  const clouds = cloud.openstacks.map((openstack) => ({ ...summary(openstack), services: rowsOf(openstack, cloud) }));
  const owned = new Set(clouds.flatMap(({ services }) => services.map(({ name }) => name)));
  const alone = [...cloud.services.values()].filter(({ metadata }) => !owned.has(metadata.name)).map(rowOf);
  const all = { namespace: client.namespace, openstacks: clouds, services: alone };
  stdout(options.output === 'json' ? `${JSON.stringify(all, undefined, 2)}\n` : screen(all, terminal));
  const rows = [...clouds.flatMap(({ services }) => services), ...alone];
  return rows.every(({ state }) => state === 'Ready') ? ExitCode.ok : ExitCode.no;
}

function summary({ metadata, spec, status }: OpenStack) {
  const { release, phase = 'Pending', progress, message = '' } = status ?? {};
  return { name: metadata.name, release, target: spec.release, phase, progress, message };
}

/** From the services themselves: the OpenStack's own summary may be older. */
function rowsOf(openstack: OpenStack, { services }: Cloud): Row[] {
  return planOf(openstack, services).services.map(({ name, state, message = '' }) => {
    const service = services.get(name);
    return service === undefined
      ? { ...ABSENT, name, state, message }
      : { ...rowOf(service), state, message: state === 'Ready' ? (service.status?.message ?? '') : message };
  });
}

const ABSENT = {
  release: undefined,
  workloads: undefined,
  migration: undefined,
  revision: undefined,
  since: undefined,
} as const;

function rowOf({ metadata, status }: OpenStackService): Row {
  const { release, phase = 'Pending', workloads, helm, message = '', conditions, migrations = [] } = status ?? {};
  const migration = migrations.find(({ state }) => state !== 'done') ?? migrations.at(-1);
  return {
    name: metadata.name,
    release,
    state: phase,
    workloads: workloads && `${workloads.ready}/${workloads.total}`,
    migration: migration?.phase && `${migration.phase} ${migration.state}`,
    revision: helm?.revision,
    since: conditionOf(conditions, 'Ready')?.lastTransitionTime,
    message,
  };
}

const STYLE: Readonly<Record<string, Parameters<typeof paint>[1]>> = { Ready: 'green', Degraded: 'red' };
const HEAD = ['SERVICE', 'RELEASE', 'STATE', 'WORKLOADS', 'MIGRATION', 'REVISION', 'SINCE', 'MESSAGE'];

function screen(
  {
    namespace,
    openstacks,
    services,
  }: {
    readonly namespace: string;
    readonly openstacks: readonly (ReturnType<typeof summary> & { readonly services: readonly Row[] })[];
    readonly services: readonly Row[];
  },
  terminal: Terminal,
): string {
  if (openstacks.length + services.length === 0) return `no OpenStack or OpenStackService in namespace ${namespace}\n`;
  const lines = (rows: readonly Row[]) =>
    rows.map(({ name, release = '-', state, workloads = '-', migration = '-', revision, since = '-', message }) => [
      name,
      release,
      paint(terminal, STYLE[state] ?? 'yellow', state),
      workloads,
      migration,
      revision === undefined ? '-' : String(revision),
      since,
      message,
    ]);
  const parts = openstacks.map(({ name, release = '-', target, phase, progress = '-', message, services: rows }) => {
    const to = release === target ? release : `${release} -> ${target}`;
    const head = `${name}: ${to}, ${phase}, ${progress} services ready${message === '' ? '' : `: ${message}`}\n`;
    return head + table(terminal, HEAD, lines(rows));
  });
  return [...parts, ...(services.length === 0 ? [] : [table(terminal, HEAD, lines(services))])].join('\n');
}
