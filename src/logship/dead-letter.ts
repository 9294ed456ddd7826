import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Document } from './document.ts';

/** Documents that the server will never take, one JSON line each with the reason, for a person to look at. */
export class DeadLetters {
  readonly file: string;
  readonly #now: () => Date;

  constructor(folder: string, now: () => Date) {
    this.file = join(folder, 'dead-letter.jsonl');
    this.#now = now;
  }

  /** Resolves when it is on disk: only then may the line count as settled. Rejects with the system's error. */
  async write(document: Document, reason: string): Promise<void> {
    const { index, id, source } = document;
    const line = { time: this.#now().toISOString(), reason, index, id, document: JSON.parse(source) as unknown };
    const file = await open(this.file, 'a', 0o600);
    try {
      await file.appendFile(`${JSON.stringify(line)}\n`);
      await file.datasync();
    } finally {
      await file.close();
    }
  }
}
