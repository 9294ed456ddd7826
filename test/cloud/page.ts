import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../build/bundle.ts';

/** Writes a page of evidence. @param name `cloud` for docs/evidence/cloud.md */
export async function writePage(name: string, text: string): Promise<void> {
  await writeFile(join(ROOT, `docs/evidence/${name}.md`), text);
}
