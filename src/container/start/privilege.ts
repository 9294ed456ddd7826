import { accessSync, constants, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf, NotPermittedError, UnavailableError } from '../../core/errors.ts';
import { findProgram, isRefusal } from '../../process/exec/index.ts';

/** The command file written by kolla_set_configs as root. */
export const RUN_COMMAND = '/run_command';
/** The command file that kolla-init writes for a container that cannot install its configuration itself. */
export const ROOTLESS_RUN_COMMAND = '/run/kolla/run_command';

/** How the configuration is installed: by kolla_start itself, through sudo, or beforehand by kolla-init. */
export type Privilege =
  | { readonly by: 'root' | 'sudo'; readonly runCommand: typeof RUN_COMMAND }
  | { readonly by: 'nobody'; readonly runCommand: typeof ROOTLESS_RUN_COMMAND };

/** Facts on which the decision depends. */
interface StartFacts {
  readonly uid: number;
  readonly path: string;
  /** Whether kolla-init has run. `read-only`: on a mount that this container cannot write to. */
  readonly prepared: () => 'ready' | 'read-only' | 'absent' | 'unreadable';
  /** Whether the kernel allows sudo to become root. */
  readonly mayGain: () => boolean;
}

/**
 * As root, kolla_start installs the configuration, unless the Pod's kolla-init did and left the command on a read-only
 * mount: a command that others can change must not run as root. Otherwise kolla-init has installed it, or sudo can, because Kolla's
 * sudoers allows the group kolla to do so.
 * @throws NotPermittedError if kolla-init did it for another user; UnavailableError if neither applies, since the
 * service would start without its configuration
 */
export function privilegeOf({ uid, path, prepared, mayGain }: StartFacts): Privilege {
  const found = prepared();
  if (uid === 0 && found !== 'read-only') return { by: 'root', runCommand: RUN_COMMAND };
  if (found === 'ready' || found === 'read-only') return { by: 'nobody', runCommand: ROOTLESS_RUN_COMMAND };
  if (found === 'unreadable')
    throw new NotPermittedError(
      `uid ${uid} may not read ${ROOTLESS_RUN_COMMAND}; give kolla-init and this container the same runAsUser, or the pod an fsGroup`,
    );
  const fix = `run kolla-init in an init container, with one volume at ${dirname(ROOTLESS_RUN_COMMAND)} in both`;
  const lacks = `this runs as uid ${uid}, and ${ROOTLESS_RUN_COMMAND} does not exist`;
  if (!mayGain())
    throw new UnavailableError(
      `the configuration is not installed: ${lacks}; sudo can't help, because the kernel gives no privileges here ` +
        `(allowPrivilegeEscalation: false); ${fix}`,
    );
  const sudo = findProgram('sudo', path);
  if (isRefusal(sudo))
    throw new UnavailableError(`the configuration is not installed: ${lacks}, nor is sudo (${sudo.reason}); ${fix}`);
  return { by: 'sudo', runCommand: RUN_COMMAND };
}

/** Reads the facts of this process. */
export function startFacts(path: string): StartFacts {
  return {
    uid: process.geteuid?.() ?? 0,
    path,
    prepared() {
      try {
        accessSync(ROOTLESS_RUN_COMMAND, constants.R_OK);
      } catch (error) {
        return codeOf(error) === 'EACCES' ? 'unreadable' : 'absent';
      }
      try {
        accessSync(ROOTLESS_RUN_COMMAND, constants.W_OK);
        return 'ready';
      } catch (error) {
        return codeOf(error) === 'EROFS' ? 'read-only' : 'ready';
      }
    },
    mayGain: () => {
      try {
        return !/^NoNewPrivs:\t1$/m.test(readFileSync('/proc/self/status', 'utf8'));
      } catch {
        return true; // no /proc: sudo itself will report it
      }
    },
  };
}
