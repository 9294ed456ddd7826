import { messageOf } from './errors.ts';

/**
 * Why a text is not YAML, by an error of js-yaml: `unidentified alias (3:12)`, with line and column. Without what the parser quotes
 * and the lines that it shows, since both may be part of a password.
 */
export function yamlProblem(error: unknown): string {
  const { reason, mark } = error as { reason?: string; mark?: { line: number; column: number } };
  if (reason === undefined) return messageOf(error).split('\n', 1)[0]!;
  const words = reason
    .replaceAll("':'", 'a colon')
    .replaceAll("','", 'a comma')
    .split(/\s*["'`<!:]/, 1)[0]!;
  return mark === undefined ? words : `${words} (${mark.line + 1}:${mark.column + 1})`;
}
