import { nearest } from '../../core/nearest.ts';

/** The keys of config.json that Kolla reads. */
export const SECTIONS = ['command', 'config_files', 'files', 'directories', 'permissions'] as const;

/** Unknown keys of config.json that are a misspelt section: Kolla ignores them, and so all of their entries. */
export function slipsIn(document: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(document).flatMap((key) => {
    if ((SECTIONS as readonly string[]).includes(key)) return [];
    const word = key.toLowerCase().replaceAll('-', '_');
    const meant = nearest(
      word,
      SECTIONS.filter((one) => !Object.hasOwn(document, one)),
    );
    // Another word of the same length, such as `rules`, may be a note of its author.
    return meant?.[0] !== word[0] || meant === undefined
      ? []
      : [`${key}: there is no such section; did you mean '${meant}'?`];
  });
}

/** The reason why an entry without `path` is in the wrong section; undefined if it is not. */
export function whyMisplaced(entry: unknown): string | undefined {
  if (typeof entry !== 'object' || entry === null || 'path' in entry) return undefined;
  return 'source' in entry && 'dest' in entry ? 'has source and dest, so it belongs into config_files' : undefined;
}
