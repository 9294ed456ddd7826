import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/**
 * The ids of the letters in a file, none where there is no file. A line that a crash tore is no letter.
 * Rejects with the system's error.
 */
export async function lettersIn(file: string): Promise<string[]> {
  const ids: string[] = [];
  try {
    for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
      const id = idOf(line);
      if (id !== undefined) ids.push(id);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return ids;
}

function idOf(line: string): string | undefined {
  try {
    const { id } = JSON.parse(line) as { id?: unknown };
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}
