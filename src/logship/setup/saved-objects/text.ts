/**
 * What each importer is given, a line an object, with `{{marks}}` for what options change. In the binary this module is
 * these texts (build/text-modules.ts).
 */
import { readFileSync } from 'node:fs';

export const TEXTS = {
  kibana: readFileSync(new URL('kibana.ndjson', import.meta.url), 'utf8'),
  dashboards: readFileSync(new URL('dashboards.ndjson', import.meta.url), 'utf8'),
} as const;
