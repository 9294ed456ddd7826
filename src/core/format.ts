/** Version of stored data. Data without a version was written before versions existed and counts as this version. */
export const FORMAT = 1;

/**
 * Why stored data cannot be used; undefined if it can. Data of a later version is rejected.
 * @param found the stored version; undefined or null if there is none
 */
export function formatProblem(found: unknown): string | undefined {
  const format = found ?? FORMAT;
  if (format === FORMAT || format === String(FORMAT)) return undefined;
  return `is of format ${JSON.stringify(format)}, and this kolla-pod knows ${FORMAT}: run the kolla-pod that wrote it, or a later one`;
}
