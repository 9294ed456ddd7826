import { basename, dirname } from 'node:path';
import { codeOf, ConfigError, KollaError, messageOf, NotPermittedError, UnavailableError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { nextTurn } from '../core/next-turn.ts';
import { unlessAbsent } from '../fs/absent.ts';
import { lookAt } from '../fs/access.ts';
import { fileHolds } from '../fs/content.ts';
import { Replacer } from '../fs/replacer.ts';
import { Directory } from '../fs/tree.ts';
import { writeInPlace } from '../fs/write-in-place.ts';
import { giveAccess, hasAccess, octal } from './tree/access.ts';
import { setPermissions } from './permissions.ts';
import { under } from './place.ts';
import { MOUNT_POINT, type Plan } from './plan.ts';
import { PARENT_MODE, plant } from './seed.ts';
import { STATE_DIRECTORY, STATE_DIRECTORY_MODE, stateFile, stateImage } from './state.ts';
import type { State } from './stored-state.ts';
import type { DirectoryStep, Step } from './model.ts';
import type { Removal } from './tracking.ts';

export interface Applied {
  readonly written: number;
  readonly unchanged: number;
}

interface RunContext {
  /** The name of config.json in messages. */
  readonly file: string;
  readonly signal: AbortSignal;
  readonly log: Log;
}

interface Doing extends RunContext {
  readonly root: string;
  readonly replacer: Replacer;
}

/**
 * Applies a plan. The image's own files are saved before they are replaced, and deletions come last, so that a kill in
 * between loses nothing. Every file is old or new at any moment; files that are up to date are not touched. Throws
 * KollaError naming file, entry and fix.
 */
export async function applyPlan(plan: Plan, context: RunContext): Promise<Applied> {
  const { root } = plan;
  using replacer = new Replacer(root, PARENT_MODE);
  const doing: Doing = { ...context, root, replacer };
  const synced = () => explained(`${doing.file}: cannot finish`, () => doing.replacer.sync());
  for (const step of plan.kept) await carryOut(step, doing);
  if (plan.state !== undefined) remember(plan.state.during, doing);
  // The saved files must survive a power loss before the originals are replaced.
  synced();
  await seed(plan, doing);
  setPermissions(plan, true, doing.log);
  let written = 0;
  let unchanged = 0;
  for (const step of [...plan.steps, ...plan.restored]) {
    const isDone = await carryOut(step, doing);
    if (step.kind === 'directory') continue;
    if (isDone) written++;
    else unchanged++;
  }
  for (const removal of plan.removals) remove(removal, doing);
  synced();
  if (plan.state !== undefined) remember(plan.state.after, doing);
  synced();
  setPermissions(plan, false, doing.log);
  return { written, unchanged };
}

/** Returns whether a change was needed. */
async function carryOut(step: Step, doing: Doing): Promise<boolean> {
  const { file, signal, log } = doing;
  signal.throwIfAborted();
  const { entry, path } = step;
  if (step.isRight) {
    if (step.kind !== 'directory') log.debug(`${path} is unchanged`, { entry });
    return false;
  }
  explained(`${file}: ${entry}: cannot write ${path}`, () => put(step, doing));
  // Each file is replaced atomically; SIGTERM is handled between files.
  await nextTurn();
  if (step.kind === 'file') log.info(`wrote ${path}`, { entry, mode: octal(step.image.mode) });
  else if (step.kind === 'link') log.info(`linked ${path} to ${step.target}`, { entry });
  return true;
}

function put(step: Step, { root, replacer }: Doing): void {
  if (step.kind === 'directory') return putDirectory(step, root);
  if (step.kind === 'link') replacer.link(step.path, step.target);
  else if (step.inPlace && lookAt(step.path)?.isFile()) {
    using directory = Directory.inside(root, dirname(step.path));
    writeInPlace(directory, basename(step.path), step.image);
  } else replacer.replace(step.path, step.image);
}

function putDirectory({ path, mode, uid, gid }: DirectoryStep, root: string): void {
  using parent = Directory.inside(root, dirname(path), PARENT_MODE);
  const name = basename(path);
  parent.make(name, mode & 0o755);
  using made = parent.hold(name);
  if (made !== undefined) giveAccess(made, made.stat(), { mode, uid, gid });
}

async function seed({ seeds }: Plan, { root, file, signal, log, replacer }: Doing): Promise<void> {
  for (const reason of seeds.unreadable)
    log.warn(`not copied from the image to its volume, because this user may not read it: ${reason}`);
  for (const step of seeds.steps) {
    signal.throwIfAborted();
    explained(`${file}: cannot copy ${step.source ?? 'nothing'} to ${step.path}`, () => plant(step, root, replacer));
    log.debug(`seeded ${step.path}`);
    await nextTurn();
  }
  const files = seeds.steps.filter(({ kind }) => kind !== 'directory').length;
  if (files > 0) log.info(`seeded the volumes with ${files} of the image's own files`);
}

function remove({ path, kind }: Removal, { root, file, signal, log }: Doing): void {
  signal.throwIfAborted();
  explained(`${file}: cannot remove ${path}, which is no longer in it`, () => {
    if (kind === 'file') unlink(root, path);
    else if (!isEmptied(root, path)) return;
    log.info(`removed ${path}`);
  });
}

/** A missing file counts as deleted. */
function unlink(root: string, path: string): void {
  unlessAbsent(() => {
    using directory = Directory.inside(root, dirname(path));
    directory.unlink(basename(path));
  });
}

/** A directory in use by a service is kept. */
function isEmptied(root: string, path: string): boolean {
  try {
    using directory = Directory.inside(root, dirname(path));
    directory.rmdir(basename(path));
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOTEMPTY' || code === 'EBUSY' || code === 'ENOENT') return false;
    throw error;
  }
}

function remember(tracked: State, { root, file, replacer }: Doing): void {
  const path = stateFile(root);
  const image = stateImage(tracked);
  explained(`${file}: cannot write ${path}`, () => {
    const directory = under(root, STATE_DIRECTORY);
    if (lookAt(directory) === undefined) {
      using parent = Directory.inside(root, dirname(directory), PARENT_MODE);
      parent.make(basename(directory), PARENT_MODE);
      parent.setMode(basename(directory), STATE_DIRECTORY_MODE);
    }
    const found = lookAt(path);
    if (found?.isFile() && hasAccess(found, image) && fileHolds(path, image.content)) return;
    replacer.replace(path, image);
  });
}

const FIXES: Record<
  string,
  { readonly error: new (message: string, options: ErrorOptions) => KollaError; readonly fix: string }
> = {
  EBUSY: { error: ConfigError, fix: MOUNT_POINT },
  EROFS: { error: NotPermittedError, fix: 'the file system is read-only; mount a volume there' },
  EACCES: { error: NotPermittedError, fix: 'this user may not write there; mount a volume that it may write' },
  EPERM: { error: NotPermittedError, fix: 'the system refuses the owner or mode; run as that user, or with CAP_CHOWN' },
  ENOSPC: { error: UnavailableError, fix: 'the volume is full; files already there are whole, run it again after' },
  EDQUOT: { error: UnavailableError, fix: 'the quota is used up; files already there are whole, run it again after' },
};

function explained(what: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    const known = FIXES[codeOf(cause) ?? ''];
    const message = `${what}: ${messageOf(cause)}`;
    throw known === undefined
      ? new UnavailableError(message, { cause })
      : new known.error(`${message}: ${known.fix}`, { cause });
  }
}
