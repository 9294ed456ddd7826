import { toJsonSchema, type JsonSchema } from '@valibot/to-json-schema';
import { DONE_FORMS } from '../catalog/own-tool.ts';
import { ServicesSection } from '../catalog/own.ts';
import { OverlaysSection } from '../config/overlays/schema.ts';

/**
 * JSON Schema of the sections of kolla-pod.yaml that valibot validates. The build puts this file's values in its place,
 * so that the binary has neither the converter nor the code of the sections.
 */
export const SECTION_SCHEMAS = { overlays: schemaOf(OverlaysSection), services: schemaOf(ServicesSection) };

function schemaOf(section: Parameters<typeof toJsonSchema>[0]): JsonSchema {
  const schema = toJsonSchema(section, {
    target: 'draft-2020-12',
    // Of a pipe from a mapping to its typed form, the last one says which keys there are.
    typeMode: 'output',
    // Their rules are in the metadata, as far as JSON Schema has words for them.
    ignoreActions: ['check', 'transform'],
    overrideSchema: ({ valibotSchema }) =>
      valibotSchema.type === 'lazy' ? { oneOf: DONE_FORMS.map((form) => schemaOf(form)) } : undefined,
  });
  // Of the whole file; and of the variant that the converter takes a lazy schema for.
  delete schema.$schema;
  delete schema.$defs;
  return schema;
}
