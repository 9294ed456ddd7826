import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../core/errors.ts';
import { sha256 } from '#digest';
import { chunksOf, readContent } from '../../fs/content.ts';

/**
 * A digest of everything at these paths: names, modes, content, and missing or unreadable entries. Links are followed,
 * so a ConfigMap's `..data` counts by its target; entries that start with `..` are the kubelet's own. Equal digests
 * mean equal content, whatever inotify reported.
 */
export function fingerprintOf(paths: readonly string[]): string {
  return sha256(partsOfAll(paths));
}

function* partsOfAll(paths: readonly string[]): Generator<string | Uint8Array> {
  for (const path of paths) yield* partsOf(path);
}

function* partsOf(path: string): Generator<string | Uint8Array> {
  try {
    const found = statSync(path);
    const mode = found.mode.toString(8);
    if (found.isDirectory()) {
      const names = readdirSync(path).filter((name) => !name.startsWith('..'));
      yield `directory\0${path}\0${mode}\0`;
      for (const name of names.toSorted()) yield* partsOf(join(path, name));
    } else if (found.isFile()) {
      const content = readContent(path);
      yield `file\0${path}\0${mode}\0${content.byteLength}\0`;
      yield* chunksOf(content);
    } else yield `other\0${path}\0${mode}\0`;
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    yield `${code}\0${path}\0`;
  }
}
