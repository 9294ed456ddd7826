import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { codeOf, messageOf } from '../../core/errors.ts';
import type { Finding, Machine } from './finding.ts';

const CONFIG_JSON = '/var/lib/kolla/config_files/config.json';
const ALL = ['kolla-init', 'kolla-db-sync', 'kolla-probe', 'kolla-log-ship'];
/** Memory that Node adds to a helper, with a margin. */
const LEAST_MEMORY_MIB = 96;

/** Reports the user, which determines how files get their owners. */
export function identity({ uid }: Machine): Promise<Finding[]> {
  const detail = uid === 0 ? 'uid 0: files get the owners in config.json' : `uid ${uid}: rootless`;
  return Promise.resolve([{ what: 'user', state: 'ok', detail, helpers: ['kolla-init'] }]);
}

/** Checks config.json, which defines what kolla-init installs. */
export function configJson({ root }: Machine): Promise<Finding[]> {
  const found = { what: 'config.json', helpers: ['kolla-init'] };
  const fix = `mount the service's ConfigMap at ${CONFIG_JSON.replace('/config.json', '')}`;
  let text: string;
  try {
    text = readFileSync(root + CONFIG_JSON, 'utf8');
  } catch (error) {
    const detail = `${CONFIG_JSON} ${codeOf(error) === 'ENOENT' ? 'is missing' : messageOf(error)}`;
    return Promise.resolve([{ ...found, state: 'note', detail, fix }]);
  }
  try {
    JSON.parse(text);
    return Promise.resolve([{ ...found, state: 'ok', detail: CONFIG_JSON }]);
  } catch {
    // The parser's message quotes the text, which may contain anything.
    return Promise.resolve([
      { ...found, state: 'lacks', detail: `${CONFIG_JSON} is not JSON`, fix: 'fix the ConfigMap' },
    ]);
  }
}

const DIRECTORIES = [
  { path: '/etc', helpers: ['kolla-init'], why: 'a writable volume at each destination of config.json, when not root' },
  { path: '/var/log/kolla', helpers: ['kolla-log-ship'], why: 'an emptyDir that service and kolla-log-ship share' },
  { path: '/run', helpers: ['kolla-init'], why: 'an emptyDir at /run/kolla' },
  { path: '/tmp', helpers: ['kolla-db-sync'], why: 'an emptyDir at /tmp, which the migration of a service may need' },
];

/** Checks that directories are writable for helpers, by access(2): nothing is written. */
export function directories({ root }: Machine): Promise<Finding[]> {
  return Promise.resolve(
    DIRECTORIES.map(({ path, helpers, why }): Finding => {
      const problem = refusal(root + path, constants.W_OK);
      if (problem === undefined) return { what: `directory ${path}`, state: 'ok', detail: 'writable', helpers };
      return { what: `directory ${path}`, state: 'note', detail: problem, fix: why, helpers };
    }),
  );
}

/** Checks the file for the last error, which `kubectl describe pod` shows. */
export function terminationLog({ root }: Machine): Promise<Finding[]> {
  const found = { what: 'termination log', helpers: ALL };
  const problem = refusal(`${root}/dev/termination-log`, constants.W_OK);
  if (problem === undefined) return Promise.resolve([{ ...found, state: 'ok', detail: 'writable' }]);
  const fix = 'the kubelet creates it; with docker run there is none, only the log';
  return Promise.resolve([{ ...found, state: 'note', detail: problem, fix }]);
}

/** Checks the variables with the Pod's name and location, for log lines. */
export function downwardApi({ env }: Machine): Promise<Finding[]> {
  const names = { POD_NAME: 'metadata.name', POD_NAMESPACE: 'metadata.namespace', NODE_NAME: 'spec.nodeName' };
  return Promise.resolve(
    Object.entries(names).map(([name, fieldPath]): Finding => {
      const helpers = name === 'NODE_NAME' ? ['kolla-log-ship', 'kolla-init'] : ALL.filter((h) => h !== 'kolla-probe');
      if (env[name]) return { what: name, state: 'ok', detail: env[name], helpers };
      const fix = `env: [{name: ${name}, valueFrom: {fieldRef: {fieldPath: ${fieldPath}}}}]`;
      return { what: name, state: 'note', detail: 'not set', fix, helpers };
    }),
  );
}

/** Checks the shell of the image, which kolla_start executes to start the service. */
export function bash({ root }: Machine): Promise<Finding[]> {
  const found = { what: 'bash', helpers: ['kolla-init'] };
  const problem = refusal(`${root}/bin/bash`, constants.X_OK);
  if (problem === undefined) return Promise.resolve([{ ...found, state: 'ok', detail: '/bin/bash' }]);
  const fix = 'use an image built by Kolla: kolla_extend_start is a bash script';
  return Promise.resolve([{ ...found, state: 'lacks', detail: `/bin/bash ${problem}`, fix }]);
}

/** Checks that the container's memory limit leaves room for a helper next to the service. */
export function memoryLimit({ root }: Machine): Promise<Finding[]> {
  const found = { what: 'memory limit', helpers: ALL };
  const bytes = limitIn(root);
  if (bytes === undefined) return Promise.resolve([{ ...found, state: 'ok', detail: 'none' }]);
  const mib = Math.floor(bytes / 2 ** 20);
  if (mib >= LEAST_MEMORY_MIB) return Promise.resolve([{ ...found, state: 'ok', detail: `${mib} MiB` }]);
  const fix = `resources.limits.memory of ${LEAST_MEMORY_MIB}Mi or more`;
  return Promise.resolve([{ ...found, state: 'lacks', detail: `${mib} MiB`, fix }]);
}

/** Compares the start time of an exec probe with the kubelet's default timeout of one second. */
export function kubeletProbes(): Promise<Finding[]> {
  const startMs = Math.round(performance.now());
  const found = { what: 'kubelet probes', helpers: ['kolla-probe'] };
  const detail = `a helper starts in ${startMs} ms here; the kubelet's timeoutSeconds is 1 unless set`;
  if (startMs < 500) return Promise.resolve([{ ...found, state: 'ok', detail }]);
  const fix = 'timeoutSeconds: 5 and --timeout 3s in exec probes, or a larger CPU limit';
  return Promise.resolve([{ ...found, state: 'note', detail, fix }]);
}

function limitIn(root: string): number | undefined {
  for (const file of ['/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes']) {
    try {
      const bytes = Number(readFileSync(root + file, 'utf8'));
      // cgroup v1 represents "no limit" as a number near 2^63, cgroup v2 as max.
      return Number.isNaN(bytes) || bytes > 2 ** 60 ? undefined : bytes;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
  return undefined;
}

function refusal(path: string, mode: number): string | undefined {
  try {
    statSync(path);
    accessSync(path, mode);
    return undefined;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return 'is missing';
    if (code === 'EACCES' || code === 'EROFS') return mode === constants.X_OK ? 'is not executable' : 'is not writable';
    return messageOf(error);
  }
}
