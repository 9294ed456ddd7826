import * as v from 'valibot';

/**
 * A schema with what the JSON Schema of kolla-pod.yaml says about it.
 * @param more its other keywords, for rules of functions, which the converter cannot see
 */
export function documented<S extends v.GenericSchema>(schema: S, description: string, more: object = {}) {
  return v.pipe(schema, v.metadata({ description, ...more }));
}
