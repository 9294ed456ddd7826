import { existsSync } from 'node:fs';
import type { SetStage, Stage, Stages } from './stage.ts';

export const KOLLA: Stages = {
  kolla_start: nothingPrepared,
  'kolla_start --log-format json': nothingPrepared,
  kolla_set_configs: noConfiguration('kolla_set_configs'),
  'kolla_set_configs --check': noConfiguration('kolla_set_configs'),
  kolla_copy_cacerts: ownStore,
  'kolla_copy_cacerts --log-level debug': ownStore,
};

/** As root the example would change this machine's certificates: it runs in a mount namespace without them. */
function ownStore(): Promise<Stage> {
  const hide = ['/etc/ssl/certs', '/usr/local/share']
    .map((directory) => `mount -t tmpfs none ${directory}`)
    .join(' && ');
  const view = `unshare --mount bash -c '${hide} && exec kolla_copy_cacerts "$@"' example`;
  const isKnown = ['/etc/debian_version', '/etc/redhat-release'].some((file) => existsSync(file));
  const replace: Record<string, string> = process.geteuid?.() === 0 ? { kolla_copy_cacerts: view } : {};
  return Promise.resolve({ replace, code: isKnown ? 0 : 1 });
}

/** As root, runs in a mount namespace without configuration; otherwise there is none, and sudo may be denied. */
function nothingPrepared(): Promise<Stage> {
  const view = `unshare --mount bash -c 'mount -t tmpfs none /var/lib && exec kolla_start "$@"' example`;
  if (process.geteuid?.() === 0)
    return Promise.resolve({ replace: { kolla_start: view }, code: 1, stderr: /InvalidConfig: Could not read file/ });
  const replace = { kolla_start: 'setpriv --no-new-privs kolla_start' };
  return Promise.resolve({ replace, code: 69, stderr: /configuration is not installed/ });
}

/** Only root can hide this machine's /var/lib; other users have no configuration for Kolla either. */
function noConfiguration(name: string): SetStage {
  const view = `unshare --mount bash -c 'mount -t tmpfs none /var/lib && exec ${name} "$@"' example`;
  const replace: Record<string, string> = process.geteuid?.() === 0 ? { [name]: view } : {};
  return () => Promise.resolve({ replace, code: 1, stderr: /InvalidConfig: Could not read file/ });
}
