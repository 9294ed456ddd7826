import { readFile } from 'node:fs/promises';

/** The pages whose examples are all run or validated. */
export const PAGES = [
  'how-to/configmaps',
  'how-to/operations',
  'concepts/security',
  'concepts/scope',
  'how-to/multinode',
  'how-to/advanced',
  'how-to/helm',
  'how-to/releases',
  'start/quickstart',
  'start/aio',
  'start/kind',
  'how-to/developing',
] as const;

export interface Page {
  /** The name with its directory, without `.md`. */
  readonly name: string;
  readonly text: string;
}

/** A fenced block and its first line. */
export interface Block {
  readonly language: string;
  readonly text: string;
  readonly line: number;
}

export async function readPages(): Promise<Page[]> {
  return await Promise.all(
    PAGES.map(async (name) => ({
      name,
      text: await readFile(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8'),
    })),
  );
}

/** Every fenced block of a page, without the indentation of a surrounding list. */
export function blocksOf({ text }: Page): Block[] {
  return [...text.matchAll(/^( *)```(\w*)\n([^]*?)^\1```$/gm)].map(
    ({ 1: indent = '', 2: language = '', 3: body = '', index }) => ({
      language,
      text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      line: text.slice(0, index).split('\n').length + 1,
    }),
  );
}

/** The blocks below a heading of a page, without what surrounds them; with a language only its own. */
export async function blocksUnder(name: string, heading: string, only?: string): Promise<string[]> {
  const text = await readFile(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');
  const section = text.split(/^## /m).find((each) => each.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`docs/${name}.md has no section '${heading}'`);
  const blocks = blocksOf({ name, text: section });
  return blocks.filter(({ language }) => only === undefined || language === only).map((block) => block.text);
}

/** The arguments of one program, split as by a shell, without redirections, variable assignments and comments. */
export interface Command {
  readonly words: readonly string[];
  readonly line: string;
}

/**
 * The commands of a shell block, separated by pipes, `&&`, `;` and line ends, including those in loops and in
 * groups. Commands in `$( )` and lines of here-documents are ignored.
 */
export function commandsOf(shell: string): Command[] {
  const joined = shell
    .replaceAll(/(<<'?(\w+)'?[^\n]*)\n[^]*?^\2$/gm, '$1')
    .replaceAll(/\\\n\s*/g, ' ')
    .replaceAll(SUBSTITUTION, '_');
  return joined
    .split('\n')
    .flatMap((line) =>
      split(line).map((words) => {
        const start = words[0] === 'for' ? -1 : words.findIndex((word) => !/^(?:\w+=.*|do|done|\{|\})$/.test(word));
        return { words: start === -1 ? [] : words.slice(start), line: line.trim() };
      }),
    )
    .filter(({ words }) => words.length > 0);
}

/** `$( )`, with parentheses in it to a depth of two. */
const SUBSTITUTION = /\$\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/g;

function split(line: string): string[][] {
  const commands: string[][] = [[]];
  for (const [token] of line.matchAll(
    /(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\|&;#<>]|(?<=\S)#)+|\|\|?|&&?|;|#.*|\d*[<>]+&?\s*\S*/g,
  )) {
    if (token.startsWith('#')) break;
    if (/^(?:\|\|?|&&?|;)$/.test(token)) commands.push([]);
    else if (!/^\d*[<>]/.test(token))
      commands
        .at(-1)!
        .push(
          token.replaceAll(/'([^']*)'|"([^"]*)"|\\(.)/g, (_, a?: string, b?: string, c?: string) => a ?? b ?? c ?? ''),
        );
  }
  return commands;
}
