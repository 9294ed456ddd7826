import type { Format, Schema } from './format.ts';
import { kollaSchema } from './kolla.ts';
import { ecsSchema } from './ecs.ts';
import type { FileOrigin } from './origin.ts';
import { rawSchema } from './raw.ts';

export const SCHEMAS = {
  kolla: kollaSchema,
  ecs: ecsSchema,
  raw: rawSchema,
} as const satisfies Record<string, (format: Format, file: FileOrigin) => Schema>;
export type SchemaName = keyof typeof SCHEMAS;
