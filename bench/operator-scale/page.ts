import { availableParallelism, loadavg } from 'node:os';
import { sumOf } from './audit.ts';
import type { Cost, Scale } from './phases.ts';

/** The page as Markdown. */
export function pageOf(scales: readonly Scale[], { commit, minutes }: { commit: string; minutes: number }): string {
  const row = (what: string, cell: (scale: Scale) => string) => `| ${what} | ${scales.map(cell).join(' | ')} |`;
  const perService = (cost: Cost, services: number) => fixed(sumOf(cost.requests) / services, 1);
  const last = scales.at(-1);
  const lines = [
    '# kolla-operator with many services',
    '',
    'Printed by `node bench/operator-scale/index.ts --print` at commit',
    `${commit}, on ${availableParallelism()} CPUs shared with other work: a load of ${fixed(loadavg()[0] ?? 0, 1)} at the end, so CPU`,
    'times and requests say more than seconds. `OpenStackService` objects of one small chart, a Deployment, whose Pods kwok',
    'runs. The operator is the built binary, with the permissions that it prints and the default `--max-concurrent-reconciles 4`; its requests',
    "and Helm's are those of an API server's audit log. Memory is its own: a Helm has about 60 MB while it runs.",
    '',
    row('services', ({ services }) => String(services)),
    `|---|${scales.map(() => '---|').join('')}`,
    row('created at once', ({ created }) => String(created)),
    row('until all are ready, s', ({ creation }) => fixed(creation.seconds, 1)),
    row('per created service: CPU of the operator, s', ({ creation, created }) =>
      fixed(creation.operatorCpu / created, 3),
    ),
    row('per created service: CPU of Helm, s', ({ creation, created }) => fixed(creation.helmCpu / created, 3)),
    row('per created service: requests', ({ creation, created }) => perService(creation, created)),
    row(`at rest for ${minutes} min: requests a minute`, ({ rest }) => fixed(sumOf(rest.requests) / minutes, 1)),
    row('at rest: requests a minute and service', ({ rest, services }) =>
      fixed(sumOf(rest.requests) / minutes / services, 2),
    ),
    row('at rest: CPU of the operator, s a minute', ({ rest }) => fixed(rest.operatorCpu / minutes, 2)),
    row('at rest: memory, MB resident (anonymous)', ({ memory }) => memoryOf(memory[0])),
    row(
      'one changed: until ready, median (maximum), s',
      ({ single }) => `${fixed(single[Math.floor(single.length / 2)] ?? 0, 1)} (${fixed(single.at(-1) ?? 0, 1)})`,
    ),
    row('all changed: until all are ready, s, each round', ({ rounds }) =>
      each(rounds, ({ seconds }) => fixed(seconds, 0)),
    ),
    row('per changed service: CPU of the operator, s', ({ rounds, services }) =>
      each(rounds, ({ operatorCpu }) => fixed(operatorCpu / services, 3)),
    ),
    row('per changed service: CPU of Helm, s', ({ rounds, services }) =>
      each(rounds, ({ helmCpu }) => fixed(helmCpu / services, 3)),
    ),
    row('per changed service: requests', ({ rounds, services }) => each(rounds, (cost) => perService(cost, services))),
    row('after each round: memory, MB resident (anonymous)', ({ memory }) => each(memory.slice(1), memoryOf)),
    '',
    `Requests of the last of these rounds, by client, for ${last?.services} services:`,
    '',
    ...requestTable(last?.rounds.at(-1)),
    '',
    `At rest, in ${minutes} minutes:`,
    '',
    ...requestTable(last?.rest),
    '',
  ];
  return lines.join('\n');
}

function requestTable(cost: Cost | undefined): string[] {
  const counts = [...(cost?.requests ?? [])].toSorted(([, one], [, other]) => other - one);
  return ['| requests | number |', '|---|---|', ...counts.map(([text, count]) => `| ${text} | ${count} |`)];
}

function memoryOf(usage: Scale['memory'][number] | undefined): string {
  return usage === undefined ? '-' : `${fixed(usage.residentMegabytes, 0)} (${fixed(usage.anonymousMegabytes, 0)})`;
}

function each<T>(items: readonly T[], text: (item: T) => string): string {
  return items.map(text).join(', ');
}

function fixed(value: number, digits: number): string {
  return value.toFixed(digits);
}
