import { lstatSync } from 'node:fs';
import { sha256 } from '#digest';
import { chunksOf } from '../../fs/content.ts';
import type { InPlace, Planned } from '../index.ts';

/**
 * A digest of everything that a plan installs, whatever is on disk: config.json, the files with their owners, and this
 * Pod's values in them. With an equal digest there is no new version, even if a service has rewritten a file.
 */
export function digestOf(planned: Planned): string {
  return sha256(partsOf(planned));
}

function* partsOf({ loaded, plan: { steps } }: Planned): Generator<string | Uint8Array> {
  yield JSON.stringify(loaded.document);
  for (const step of steps) {
    const { kind, dest } = step;
    if (kind === 'link') yield JSON.stringify([kind, dest, step.target]);
    // A directory without `perm` keeps its mode, so the plan's depends on the disk.
    else if (kind === 'directory') yield JSON.stringify([kind, dest, step.uid, step.gid]);
    else {
      const { content, mode, uid, gid, times } = step.image;
      yield JSON.stringify([kind, dest, mode, uid, gid, times?.mtime, content.byteLength]);
      yield* chunksOf(content);
    }
  }
}

/** Whether no file is missing: a new volume has none of what was installed in the former one. */
export function isComplete({ plan: { steps } }: Planned): boolean {
  return steps.every(({ path, isRight }) => isRight || lstatSync(path, { throwIfNoEntry: false }) !== undefined);
}

const NAMED = 3;

/** The installed files that differ from the plan, the first few by name; undefined if there are none. */
export function changedNames({ plan: { steps } }: Planned): string | undefined {
  const names = steps.filter(({ isRight }) => !isRight).map(({ dest }) => dest);
  if (names.length === 0) return undefined;
  return names.slice(0, NAMED).join(', ') + (names.length > NAMED ? ` and ${names.length - NAMED} more` : '');
}

/** The result of a plan that is not applied, because an earlier watch has installed the same. */
export function withoutApplying({ loaded: { document }, plan: { steps } }: Planned): InPlace {
  const sources = document.config_files.map(({ source }) => source);
  return { written: 0, unchanged: steps.length, command: document.command, sources };
}
