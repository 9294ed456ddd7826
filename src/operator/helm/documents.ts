import { loadDocuments } from '../../core/yaml.ts';
import { separatorsIn } from '../../core/yaml-budget.ts';
import { yamlProblem } from '../../core/yaml-problem.ts';
import { ChartError } from './chart.ts';

/** More objects than any chart has. */
const DOCUMENTS_MAX = 10_000;
/** Of all documents together. */
const VALUES_MAX = 1_000_000;

/**
 * What `pick` takes of each document that Helm has rendered. Of equal keys the last one counts, as for Helm. One after the
 * other: together they may need a hundred times the memory of their text.
 * @throws ChartError without the lines, which may have passwords
 */
export function documentsIn<R>(yaml: string, pick: (document: unknown) => R | readonly R[]): R[] {
  if (separatorsIn(yaml) > VALUES_MAX) throw new ChartError(`the chart renders more than ${VALUES_MAX} values`);
  const parts = yaml.split(/^(?=---(?:\s|$))/m, DOCUMENTS_MAX + 1);
  if (parts.length > DOCUMENTS_MAX) throw new ChartError(`the chart renders more than ${DOCUMENTS_MAX} documents`);
  return parts.flatMap((part, i) => {
    try {
      return loadDocuments(part, { json: true }).flatMap((document) => pick(document));
    } catch (error) {
      const before = parts.slice(0, i).join('').split('\n').length - 1;
      throw new ChartError(`the chart renders no valid YAML: ${yamlProblem(error, before)}`);
    }
  });
}
