import { readFile } from 'node:fs/promises';

/** Everything that something is mounted at, as this process sees it. Empty where there is no /proc. */
export async function mountPoints(file = '/proc/self/mountinfo'): Promise<ReadonlySet<string>> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return mountPointsIn(text);
}

/** The same of a text in that format. */
export function mountPointsIn(mountinfo: string): ReadonlySet<string> {
  const lines = mountinfo.split('\n').filter((line) => line !== '');
  return new Set(lines.map((line) => unescaped(line.split(' ')[4] ?? '')));
}

/** The kernel writes blanks and their like as octal digits. */
function unescaped(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
