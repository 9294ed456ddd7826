import { ChartError } from '../helm/chart.ts';
import { RecordError } from '../helm/release.ts';
import { ValuesError } from '../helm/values.ts';
import { ForeignReleaseError } from './foreign.ts';

/** The reason of the condition for an error that a change of the cluster's objects fixes; undefined for any other. */
export function reasonOf(error: unknown): string | undefined {
  if (error instanceof ChartError) return 'ChartNotFound';
  if (error instanceof RecordError) return 'InvalidRecord';
  if (error instanceof ValuesError) return 'InvalidValues';
  return error instanceof ForeignReleaseError ? 'ForeignRelease' : undefined;
}
