import type { Service } from '../../catalog/index.ts';
import { UsageError } from '../../core/errors.ts';
import { suggestion } from '../../core/nearest.ts';

/** The service's data. Throws UsageError for an unknown name. */
export function serviceOf(name: string, services: readonly Service[]): Service {
  const service = services.find((known) => known.name === name);
  if (service !== undefined) return service;
  const names = services.map((known) => known.name);
  throw new UsageError(`no service '${name}'${suggestion(name, names)}`);
}
