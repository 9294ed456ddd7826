import { loadAll } from 'js-yaml';
import { yamlProblem } from '../../core/yaml-problem.ts';
import { ChartError } from './chart.ts';

/**
 * What Helm has rendered. Of equal keys the last one counts, as for Helm.
 * @throws ChartError without the lines, which may have passwords
 */
export function documentsIn(yaml: string): unknown[] {
  try {
    return loadAll(yaml, null, { json: true });
  } catch (error) {
    throw new ChartError(`the chart renders no valid YAML: ${yamlProblem(error)}`);
  }
}
