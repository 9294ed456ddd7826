import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { helmBinary } from '../../tools/helm.ts';
import { start, tailOf, tied } from '../../tools/process.ts';
import { podBinary } from '../../test/cluster/pod-binary.ts';
import { until } from '../../test/support/until.ts';

const TICKS_PER_SECOND = 100;

/** What a process has used so far. */
export interface Usage {
  readonly operatorCpu: number;
  /** Of all Helm processes that have ended. */
  readonly helmCpu: number;
  readonly residentMegabytes: number;
  /** Without pages of files, which processes share. */
  readonly anonymousMegabytes: number;
}

export interface Operator extends AsyncDisposable {
  usage(): Usage;
}

/** Starts the built kolla-operator; resolves when it leads. */
export async function startOperator(
  directory: string,
  {
    namespace,
    kubeconfig,
    charts,
  }: { readonly namespace: string; readonly kubeconfig: string; readonly charts: string },
): Promise<Operator> {
  const { directory: built } = await podBinary();
  const where = ['--namespace', namespace, '--kubeconfig', kubeconfig, '--directory', directory];
  const words = [...where, '--charts', charts, '--helm', await helmBinary(), '--log-format', 'json'];
  const logFile = join(directory, 'operator.log');
  const env = { PATH: process.env['PATH'], HOME: directory };
  const running = await start(...tied(join(built, 'bin/kolla-operator'), words), { env, logFile });
  await until('the operator to lead', async (saw) => {
    const said = tailOf(logFile);
    saw(said);
    if (running.child.exitCode !== null) throw new Error(`the operator has ended: ${said}`);
    return said.includes('"msg":"watching"') || undefined;
  });
  return { usage: () => usageOf(running.pid), [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() };
}

function usageOf(pid: number): Usage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const ticks = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number);
  const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = ticks;
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const megabytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(rollup)?.[1]) / 1024;
  return {
    operatorCpu: (user + system) / TICKS_PER_SECOND,
    helmCpu: (childrenUser + childrenSystem) / TICKS_PER_SECOND,
    residentMegabytes: megabytes('Rss'),
    anonymousMegabytes: megabytes('Anonymous'),
  };
}
