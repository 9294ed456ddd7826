import { basename } from 'node:path';
import { defined } from '../../core/defined.ts';
import type { Account, Accounts } from './accounts.ts';
import type { Request } from './parse.ts';

/** The caller's user and group IDs. */
interface Caller {
  readonly uid: number;
  readonly gid: number;
}

/** The decision about a request. */
type Decision =
  | { readonly to: 'run'; readonly target: Account; readonly become?: { readonly uid: number; readonly gid: number } }
  | { readonly to: 'skip'; readonly line: string }
  | { readonly to: 'refuse'; readonly line: string };

/** Steps that kolla-init performs before a container without root starts. */
const STEPS = new Set(['kolla_set_configs', 'kolla_copy_cacerts', 'kolla_install_projects']);

const FILE_TOOLS = new Set(['chown', 'chmod', 'chgrp', 'mkdir', 'install']);

/**
 * A service's rootwrap: `cinder-rootwrap CONFIG COMMAND...`. It filters by its own configuration and runs the command,
 * which mostly needs only the service's own files; a command that needs root fails and reports it itself.
 */
const ROOTWRAP = /^[a-z][a-z0-9]*-rootwrap$/;
/**
 * privsep-helper would connect, fail to set its capabilities and exit, while oslo.privsep waits for its response
 * forever.
 */
const PRIVSEP = 'privsep-helper';

/**
 * Whether the command may run. The current user is always allowed; root may become any user; no other user may become
 * another, and a rootwrap that requests root runs as the current user.
 * @param prepared whether kolla-init left a command for this container's kolla_start
 */
export function decide(
  { user: wanted = 'root', group, words }: Request,
  { uid, gid }: Caller,
  { accounts, prepared }: { accounts: Accounts; prepared: boolean },
): Decision {
  const target = accounts.user(wanted);
  if (target === undefined) return { to: 'refuse', line: `unknown user ${wanted}` };
  const targetGid = group === undefined ? target.gid : accounts.group(group);
  if (targetGid === undefined) return { to: 'refuse', line: `unknown group ${group}` };
  if (uid === 0) {
    const change = target.uid !== uid || targetGid !== gid;
    return { to: 'run', target, ...defined({ become: change ? { uid: target.uid, gid: targetGid } : undefined }) };
  }
  // A plain `-u` does not request a gid: the Pod's runAsGroup may differ from /etc/passwd.
  if (target.uid === uid && (group === undefined || targetGid === gid)) return { to: 'run', target };
  const [command, ...rest] = words;
  const own = accounts.user(uid);
  const isRootwrap = ROOTWRAP.test(basename(command)) && !asksPrivsep(words);
  if (target.uid === 0 && group === undefined && isRootwrap && own !== undefined) return { to: 'run', target: own };
  if (target.uid === 0 && prepared && rest.length === 0 && STEPS.has(basename(command)))
    return { to: 'skip', line: `${basename(command)} is not needed: kolla-init has done it for this container` };
  return { to: 'refuse', line: refusal(target, group, words, own) };
}

function refusal(
  target: Account,
  group: string | undefined,
  words: readonly [string, ...string[]],
  me: Account | undefined,
): string {
  const who = group === undefined ? target.name : `${target.name}:${group}`;
  const running = me === undefined ? 'another user' : `${me.name} (${me.uid})`;
  return (
    `a script asks for ${who} to run '${commandOf(words)}', but this container runs as ${running}, and no ` +
    `user may become another here; ${fixFor(words)}`
  );
}

/** Arguments of file tools are paths and owners; arguments of other commands may contain a password. */
function commandOf([command, ...rest]: readonly [string, ...string[]]): string {
  return FILE_TOOLS.has(basename(command)) ? [command, ...rest].join(' ') : command;
}

/** Whether the command is privsep-helper, called directly or through a rootwrap. */
function asksPrivsep([command = '', , wrapped = '']: readonly string[]): boolean {
  return [command, ROOTWRAP.test(basename(command)) ? wrapped : ''].some((word) => basename(word) === PRIVSEP);
}

function fixFor([command, ...rest]: readonly string[]): string {
  const name = basename(command ?? '');
  if (name === 'kolla_set_configs' && rest.includes('--check')) return 'kolla-init check compares without root';
  if (asksPrivsep([name, ...rest]))
    return `in the section of its privsep context set 'capabilities =' and 'helper_command = ${PRIVSEP} --config-file FILE'`;
  if (STEPS.has(name)) return 'run kolla-init in an init container, with one volume at /run/kolla in both';
  if (FILE_TOOLS.has(name))
    return "let kolla-init do it: name the path in config.json's directories or permissions, on a volume";
  return "do this in the image's build or in a separate init container, then set KOLLA_SKIP_EXTEND_START for this one";
}
