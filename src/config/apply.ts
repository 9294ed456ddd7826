import { chmod, chown, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigError, KollaError, NotPermittedError, UnavailableError, messageOf } from '../cli/errors.ts';
import type { Log } from '../cli/log.ts';
import { replaceFile } from '../platform/fs/replace-file.ts';
import { setPermissions } from './permissions.ts';
import type { Plan } from './plan.ts';
import type { Step } from './step.ts';

export interface Applied {
  readonly written: number;
  readonly unchanged: number;
}

/**
 * Carries a plan out: folders and files in the order of config.json, then permissions. Every file is old or new at
 * any moment; what is right already is not touched. Throws KollaError naming file, entry and fix.
 */
export async function applyPlan(
  file: string,
  plan: Plan,
  root: string,
  { signal, log }: { signal: AbortSignal; log: Log },
): Promise<Applied> {
  let written = 0;
  let unchanged = 0;
  for (const step of plan.steps) {
    signal.throwIfAborted();
    if (step.kind === 'file' && step.isRight) {
      unchanged++;
      log.debug(`${step.path} is right already`, { entry: step.entry });
      continue;
    }
    try {
      await apply(step);
    } catch (error) {
      throw explain(error, `${file}: ${step.entry}: cannot write ${step.path}`);
    }
    if (step.kind !== 'file') continue;
    written++;
    log.info(`wrote ${step.path}`, { entry: step.entry, mode: step.image.mode.toString(8).padStart(4, '0') });
  }
  for (const permission of plan.permissions) {
    signal.throwIfAborted();
    await setPermissions(permission, root, log);
  }
  return { written, unchanged };
}

async function apply(step: Step): Promise<void> {
  if (step.kind === 'file') {
    await mkdir(dirname(step.path), { recursive: true, mode: 0o755 });
    await replaceFile(step.path, step.image);
    return;
  }
  const { path, mode, owner } = step;
  await mkdir(path, { recursive: true, mode: 0o755 });
  const found = await stat(path);
  const otherOwner = (owner.uid !== -1 && found.uid !== owner.uid) || (owner.gid !== -1 && found.gid !== owner.gid);
  if (otherOwner) await chown(path, owner.uid, owner.gid);
  if ((found.mode & 0o7777) !== mode || otherOwner) await chmod(path, mode);
}

const FIXES: Record<
  string,
  { readonly error: new (message: string, options: ErrorOptions) => KollaError; readonly fix: string }
> = {
  EBUSY: {
    error: ConfigError,
    fix: 'it is itself a mount point, which cannot be replaced; mount its folder instead, or mount the file elsewhere',
  },
  EROFS: { error: NotPermittedError, fix: 'the file system is read-only; mount a volume there' },
  EACCES: { error: NotPermittedError, fix: 'this user may not write there; mount a volume that it may write' },
  EPERM: { error: NotPermittedError, fix: 'the system refuses the owner or mode; run as that user, or with CAP_CHOWN' },
  ENOSPC: { error: UnavailableError, fix: 'the volume is full; files already there are whole, run it again after' },
  EDQUOT: { error: UnavailableError, fix: 'the quota is used up; files already there are whole, run it again after' },
};

function explain(cause: unknown, what: string): unknown {
  const known = FIXES[(cause as NodeJS.ErrnoException).code ?? ''];
  if (known !== undefined) return new known.error(`${what}: ${messageOf(cause)}: ${known.fix}`, { cause });
  return new UnavailableError(`${what}: ${messageOf(cause)}`, { cause });
}
