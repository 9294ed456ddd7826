import type { HelmValues } from '../api/objects.ts';

/** Shapes of errors that contain nothing of what a chart renders, but names of objects that are in the cluster anyway. */
const WITHOUT_RENDERED_TEXT = [
  /^values don't meet the specifications of the schema/,
  /^(?:pre|post)-\w+ hooks failed: (?:\d+ errors? occurred:)?\s*\*? *(?:job [-.a-z0-9]+ failed: \w+|timed out waiting for the condition|context \w+)$/,
  // Helm 4's.
  /^(?:pre|post)-\w+ hooks failed: resource Job\/[-.a-z0-9]+\/[-.a-z0-9]+ not ready\. status: \w+, message: Job (?:in progress|Failed\. failed: \d+\/\d+)(?:\s*context (?:canceled|deadline exceeded))?$/,
  // Fields of a `spec` whose names are Kubernetes' own, or those of a list's items.
  /^conflict occurred while applying object [-./a-z0-9]+ [a-z0-9]+\/v\d\w*, Kind=\w+: Apply failed with \d+ conflicts?:(?:\s+(?:- )?\.spec(?:\.[a-zA-Z]+|\[name="[-\w]+"\])+|\s+conflicts? with "[-.\w]+"(?: with subresource "\w+")?(?: using [/\w]+)?:)+$/,
  /^another operation \([\w/]+\) is in progress$/,
  /^chart requires kubeVersion: /,
];
/** Longer ones may have lost their beginning. */
const WHOLE_MAX_CHARACTERS = 2000;

/** The place in the chart, which Helm writes before the text. */
const PLACE = /^(?:execution error at \(|template: |YAML parse error on )([-\w./]+(?::\d+){0,2})/;

/** Whether values have a template, which charts render with Helm's account. */
export function hasTemplate(values: HelmValues): boolean {
  return JSON.stringify(values).includes('{{');
}

/** Without what Helm writes before an error in its record, and not on its output. */
export function withoutPrefix(error: string): string {
  return error.replace(/^(?:Upgrade|Release) "[-.a-z0-9]+" failed: /, '').trim();
}

/**
 * What may be published of Helm's error: all of it, unless values have templates. Such a template can look up any Secret and put its
 * data into `fail`, or into an object that the API server then quotes; more users may read a status or a log than a Secret.
 */
export function publicError(error: string, values: HelmValues): string {
  const own = withoutPrefix(error);
  const isShown = own.length <= WHOLE_MAX_CHARACTERS && WITHOUT_RENDERED_TEXT.some((shape) => shape.test(own));
  if (isShown || !hasTemplate(values)) return error;
  const at = PLACE.exec(own)?.[1];
  return (
    `the chart failed${at === undefined ? '' : ` at ${at}`}; Helm's text is not shown, because the values have templates, which can ` +
    'print any Secret: see it with helm upgrade --dry-run=server'
  );
}
