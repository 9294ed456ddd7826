/**
 * Artifact Hub's rules for annotations, as its documentation (artifacthub.io/docs/topics/annotations/helm) and its tracker
 * (internal/tracker/source/helm, internal/pkg/metadata.go of artifacthub/hub) have them.
 */
import * as v from 'valibot';
import { load } from 'js-yaml';

const CATEGORIES = [
  'ai-machine-learning',
  'database',
  'integration-delivery',
  'monitoring-logging',
  'networking',
  'security',
  'storage',
  'streaming-messaging',
  'skip-prediction',
];
const KINDS = ['added', 'changed', 'deprecated', 'removed', 'fixed', 'security'];
/** As go-containerregistry parses it: registry, lower-case path, tag or digest. */
const REFERENCE = /^[a-z0-9.-]+(?::\d+)?(?:\/[a-z0-9._-]+)+(?::[\w.-]{1,128}|@sha256:[0-9a-f]{64})?$/;

const text = v.pipe(v.string(), v.minLength(1));
const url = v.pipe(v.string(), v.url());
const link = v.strictObject({ name: text, url });
const bool = v.picklist(['true', 'false']);
/** A YAML document in the text. */
const yaml = (schema: v.GenericSchema) =>
  v.pipe(
    v.string(),
    v.transform((document) => load(document)),
    schema,
  );

const Rules = v.strictObject({
  license: v.picklist(['Apache-2.0']),
  category: v.picklist(CATEGORIES),
  changes: v.optional(
    yaml(v.array(v.strictObject({ kind: v.picklist(KINDS), description: text, links: v.optional(v.array(link)) }))),
  ),
  containsSecurityUpdates: v.optional(bool),
  images: v.optional(
    yaml(v.array(v.strictObject({ name: v.optional(text), image: v.pipe(v.string(), v.regex(REFERENCE)) }))),
  ),
  links: v.optional(yaml(v.array(link))),
  prerelease: v.optional(bool),
  signKey: v.optional(yaml(v.strictObject({ fingerprint: v.optional(text), url }))),
});

/** What Artifact Hub would report. */
export function complaintsOf(annotations: Readonly<Record<string, string>>): string[] {
  const named = Object.fromEntries(
    Object.entries(annotations).map(([key, value]) => [key.replace('artifacthub.io/', ''), value]),
  );
  const { issues = [] } = v.safeParse(Rules, named);
  return issues.map((issue) => `${v.getDotPath(issue)}: ${issue.message}`);
}
