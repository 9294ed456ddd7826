import { readFile } from 'node:fs/promises';

const PAGES = await Promise.all(
  ['releases', 'operator'].map((name) => readFile(new URL(`../../docs/how-to/${name}.md`, import.meta.url), 'utf8')),
);
const TEXT = PAGES.join('\n');
/** The name of the images in the commands of the page. */
export const EXAMPLE = 'registry.example.com/team/kolla-pod';

/** The block of the pages on releases and the operator that contains this text. */
export function commandOf(text: string): string {
  const block = [...TEXT.matchAll(/^```\w+\n([^]*?)^```$/gm)].find(([, body = '']) => body.includes(text))?.[1];
  if (block === undefined) throw new Error(`docs/how-to/{releases,operator}.md have no block with ${text}`);
  return block;
}

/** The output that the page states for the block. */
export function printedBy(text: string): RegExp {
  const stated = TEXT.slice(TEXT.indexOf(commandOf(text))).match(/^```\n<!-- prints: (.*) -->$/m)?.[1];
  if (stated === undefined) throw new Error(`docs/how-to/{releases,operator}.md do not state what ${text} prints`);
  return new RegExp(stated);
}
