import { readFile } from 'node:fs/promises';

const PAGE = await readFile(new URL('../../docs/how-to/releases.md', import.meta.url), 'utf8');
/** The name of the images in the commands of the page. */
export const EXAMPLE = 'registry.example.com/team/kolla-pod';

/** The block of the page that contains this text. */
export function commandOf(text: string): string {
  const block = [...PAGE.matchAll(/^```\w+\n([^]*?)^```$/gm)].find(([, body = '']) => body.includes(text))?.[1];
  if (block === undefined) throw new Error(`docs/how-to/releases.md has no block with ${text}`);
  return block;
}

/** The output that the page states for the block. */
export function printedBy(text: string): RegExp {
  const stated = PAGE.slice(PAGE.indexOf(commandOf(text))).match(/^```\n<!-- prints: (.*) -->$/m)?.[1];
  if (stated === undefined) throw new Error(`docs/how-to/releases.md does not state what ${text} prints`);
  return new RegExp(stated);
}
