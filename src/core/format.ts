/** Written where a format is: whatever has none is of this one, which is how it was before formats were written. */
export const FORMAT = 1;

/**
 * Why something stored can't be gone by; undefined when it can. A later kolla-pod may store what this one does not know: it is
 * refused, and never guessed.
 * @param found the format as it was read; undefined or null where none was written
 */
export function formatProblem(found: unknown): string | undefined {
  const format = found ?? FORMAT;
  if (format === FORMAT || format === String(FORMAT)) return undefined;
  return `is of format ${JSON.stringify(format)}, and this kolla-pod knows ${FORMAT}: run the kolla-pod that wrote it, or a later one`;
}
