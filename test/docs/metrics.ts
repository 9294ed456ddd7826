import { readFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import { allFamilies } from '../../build/docs/metrics.ts';

export interface Rule {
  readonly alert: string;
  readonly expr: string;
}

export interface Rules {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

/** The rule file of k8s/monitoring, as read by Prometheus. */
export async function ruleFile(): Promise<Rules> {
  const text = await readFile(new URL('../../k8s/monitoring/prometheus-rule.yaml', import.meta.url), 'utf8');
  return (load(text) as { spec: Rules }).spec;
}

export async function rules(): Promise<Rule[]> {
  return (await ruleFile()).groups.flatMap((group) => group.rules);
}

/** The names of all metrics served by helpers. */
export function ownMetrics(): Set<string> {
  return new Set(allFamilies().map(({ name }) => name));
}
