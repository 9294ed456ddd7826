import { readFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import { Lags, shippingFamilies } from '../../src/logship/serve/index.ts';
import { processFamilies } from '../../src/net/prometheus.ts';
import { probeFamilies } from '../../src/probe/serve/metrics.ts';
import { roleFamilies } from '../../src/sidecar/parts.ts';
import { destination, file } from '../logship/serve/states.ts';

export interface Rule {
  readonly alert: string;
  readonly expr: string;
}

export interface Rules {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

/** The rule file of k8s/monitoring, as Prometheus reads it. */
export async function ruleFile(): Promise<Rules> {
  const text = await readFile(new URL('../../k8s/monitoring/prometheus-rule.yaml', import.meta.url), 'utf8');
  return (load(text) as { spec: Rules }).spec;
}

export async function rules(): Promise<Rule[]> {
  return (await ruleFile()).groups.flatMap((group) => group.rules);
}

/** The names of all metrics that helpers serve. */
export function ownMetrics(): Set<string> {
  const pipelines = () => [destination({ fileStates: () => [file()] })];
  const side = () => ({ reclaimed: 1, syslog: { received: 1, lost: 0, dropped: 0 } });
  using lags = new Lags(pipelines);
  const families = [
    ...probeFamilies([], []),
    ...roleFamilies([]),
    ...shippingFamilies({ pipelines, side }, lags),
    ...processFamilies(),
  ];
  return new Set(families.map(({ name }) => name));
}
