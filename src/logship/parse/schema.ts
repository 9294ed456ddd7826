import type { Format } from './format.ts';
import { kollaSchema } from './kolla.ts';
import { ecsSchema } from './ecs.ts';
import type { FileOrigin } from './origin.ts';
import { rawSchema } from './raw.ts';

/** An event, read. */
export interface Reading {
  readonly text: string;
  /** It has a time of its own. */
  readonly isDated: boolean;
}

/** How documents look. */
export interface Schema {
  /** The format as events are made with it. */
  readonly format: Format;
  /** The JSON of a document. @param time its `@timestamp` */
  document(event: Reading, time: string): string;
}

export const SCHEMAS = {
  kolla: kollaSchema,
  ecs: ecsSchema,
  raw: rawSchema,
} as const satisfies Record<string, (format: Format, file: FileOrigin) => Schema>;
export type SchemaName = keyof typeof SCHEMAS;
