/**
 * The import files, one object per line, with `{{marks}}` for values of options. In the binary this module contains the
 * texts (build/text-modules.ts).
 */
import { readFileSync } from 'node:fs';

export const TEXTS = {
  kibana: readFileSync(new URL('kibana.ndjson', import.meta.url), 'utf8'),
  dashboards: readFileSync(new URL('dashboards.ndjson', import.meta.url), 'utf8'),
} as const;
