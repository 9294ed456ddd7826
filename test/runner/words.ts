/** Reports wordings that the project does not use, by file and line, with the term to use: one of the static checks. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { must } from '../../tools/process.ts';
import { EXCEPTIONS, INCLUDES_MARKDOWN, WORDS } from './word-list.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PLACES = ['Makefile', 'bench', 'build', 'cmd', 'demo', 'docs', 'images', 'k8s', 'native', 'src', 'test', 'tools'];
/** Recordings of other programs, output of runs, and the list itself are not checked. */
const NOT_OURS = /\/fixtures\/|^docs\/evidence\/|^test\/runner\/word|\.(?:png|svg|gz)$/;
const MOST_EXCEPTIONS = 30;

/** The problems in a text, one per line. @param used collects the exceptions that applied */
export function problemsIn(
  file: string,
  text: string,
  exceptions: readonly string[] = EXCEPTIONS,
  used: Set<string> = new Set(),
): string[] {
  return text.split('\n').flatMap((line, i) => {
    const found = WORDS.filter(({ pattern }) => pattern.test(line));
    if (found.length === 0) return [];
    const key = `${file}: ${line.trim()}`;
    if (!exceptions.includes(key))
      return found.map(({ pattern, write }) => `${file}:${i + 1}: '${pattern.exec(line)![0]}': write ${write}`);
    used.add(key);
    return [];
  });
}

/** Problems in all files known to git and in their names; unused exceptions are problems too. */
export async function problems(): Promise<string[]> {
  const listed = await must('git', ['-C', ROOT, 'ls-files', '-z', ...PLACES]);
  const files = listed.split('\0').filter((file) => file !== '' && !NOT_OURS.test(file));
  const used = new Set<string>();
  const found: string[] = [];
  for (const file of files.filter((each) => INCLUDES_MARKDOWN || !each.endsWith('.md'))) {
    const text = await readFile(`${ROOT}/${file}`, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'EISDIR') return '';
      throw error;
    });
    found.push(...problemsIn(file, `${file}\n`).map((problem) => `${problem} (its name)`));
    found.push(...problemsIn(file, text, EXCEPTIONS, used));
  }
  const unused = EXCEPTIONS.filter((exception) => !used.has(exception));
  const tooMany = EXCEPTIONS.length > MOST_EXCEPTIONS ? [`more than ${MOST_EXCEPTIONS} exceptions`] : [];
  return [...found, ...unused.map((exception) => `no line needs the exception '${exception}'`), ...tooMany];
}
