import { codeOf, messageOf } from '../../core/errors.ts';
import type { TryAccess } from '../../fs/write-file.ts';
import { unexpected } from '../failure/failure.ts';
import { octal } from '../tree/access.ts';
import type { Entry } from '../tree/entry.ts';
import type { Lines } from './lines.ts';

const SQUASHED = 'or the volume does not accept root (NFS with root_squash)';
const NO_OWNERS = 'the file system has no owners and modes';
/** What the system's codes mean for chown and chmod. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'the volume does not accept root',
  EINVAL: 'the user namespace of this container has no such ID',
  EROFS: 'the file system is read-only',
  ENOSYS: NO_OWNERS,
  EOPNOTSUPP: NO_OWNERS,
  ENOTSUP: NO_OWNERS,
};
/** The capability that is missing. */
const CAPABILITY = { owner: 'CAP_CHOWN', mode: 'CAP_FOWNER' } as const;

function reasonOf(what: 'owner' | 'mode', error: unknown): string {
  const code = codeOf(error) ?? '';
  if (code === 'EPERM') return `not permitted: this process has no ${CAPABILITY[what]}, ${SQUASHED}`;
  return REASONS[code] ?? messageOf(error);
}

/**
 * Logs each refused change of an object, as in Kolla, and keeps the object: a service may well start without it. Throws
 * exit code 2 where Kolla's tool does: for the properties of a source (preserve_properties).
 */
export function reportingRefusals(lines: Lines, path: string, { uid, gid, mode, isPreserved }: Entry): TryAccess {
  return (what, change) => {
    try {
      change();
    } catch (cause) {
      const failed =
        what === 'owner'
          ? `Failed to change ownership of ${path} to ${uid}:${gid}`
          : // Kolla's tool names it in decimal.
            `Failed to set permission of ${path} to ${mode} (${octal(mode)})`;
      const message = `${failed}: ${reasonOf(what, cause)}`;
      if (isPreserved) throw unexpected(`${message}; preserve_properties needs it`, { cause });
      lines.error(message);
    }
  };
}
