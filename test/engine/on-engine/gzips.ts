/** The start of each gzip file of a JSON file with base64, then those files' own bytes packed and the start of that. */
import { readFileSync } from 'node:fs';
import { gunzipStart, gzip } from '#gzip';

/** For both engines. */
export function unpacked(files: readonly string[], mostBytes: number): string[] {
  return files.map((file) => {
    try {
      return gunzipStart(Buffer.from(file, 'base64'), mostBytes).toString('base64');
    } catch {
      return 'refused';
    }
  });
}

export const main = async ([file = '', most = '']: string[]): Promise<number> => {
  const files = JSON.parse(readFileSync(file, 'utf8')) as string[];
  const packed = files.map((text) => gzip(Buffer.from(text, 'base64')).toString('base64'));
  process.stdout.write(JSON.stringify({ unpacked: unpacked(files, Number(most)), packed }));
  return Promise.resolve(0);
};
