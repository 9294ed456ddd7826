import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { check } from '../ask/check.ts';
import { formatDuration } from '../../core/duration.ts';
import { reasonOf } from '../../core/errors.ts';
import { configMapVersion, configRecordFile, readConfigRecord, type ConfigRecord } from '../../fs/config-record.ts';
import { healthyAs, unhealthy, type CheckResult, type Question } from '../ask/verdict.ts';

/**
 * Checks that the installed configuration is the ConfigMap's newest version, according to the record of kolla-init
 * watch.
 */
export const config = check({
  word: 'config',
  summary: 'Checks that the newest version of the ConfigMap is installed.',
  description:
    'Reads the record that kolla-init watch (or the sidecar) keeps below /run/kolla, on a volume shared ' +
    'by both containers. Unhealthy, with the reason, if a version was rejected or could not be ' +
    "installed, or if the ConfigMap's volume has contained a newer version for longer than --within " +
    'without being picked up, for example because the watch has died.',
  operands: [],
  options: [
    {
      flag: 'within',
      type: 'duration',
      env: 'KOLLA_PROBE_WITHIN',
      default: '3m',
      help: 'maximum time to install a new version',
      example: '90s',
    },
    {
      flag: 'config-dir',
      type: 'path',
      env: 'KOLLA_PROBE_CONFIG_DIR',
      default: '/var/lib/kolla/config_files',
      help: 'directory of the ConfigMap',
      details: 'If it is not mounted, only the record of kolla-init watch is checked.',
      example: '/config',
    },
    {
      flag: 'root',
      type: 'path',
      env: 'KOLLA_PROBE_ROOT',
      default: '/',
      help: '--root of kolla-init watch',
      example: '/target',
    },
  ],
  examples: [
    { line: 'kolla-probe config', does: 'healthy while the newest version is installed' },
    { line: 'kolla-probe config --root ./tree --config-dir ./config', does: "on a developer's machine" },
  ],
  prepare({ options: { within: withinMs, configDir, root } }) {
    return configQuestion({ root, configDir, withinMs });
  },
});

export interface ConfigQuery {
  readonly root: string;
  readonly configDir: string;
  /** How long the kubelet's version may be newer than the one that kolla-init watch has examined. */
  readonly withinMs: number;
}

/** Checks that the newest version of the configuration is installed. */
export function configQuestion(query: ConfigQuery): Question {
  return { subject: 'config', hosts: [], ask: () => Promise.resolve(look(query)) };
}

function look(query: ConfigQuery): CheckResult {
  const file = configRecordFile(query.root);
  try {
    const record = readConfigRecord(query.root);
    if (record !== undefined) return verdictOf(record, query);
    return unhealthy(
      `there is no ${file}: does kolla-init watch run, with a volume there that this container has too?`,
    );
  } catch (error) {
    return unhealthy(`cannot read ${file}: ${reasonOf(error)}`);
  }
}

function verdictOf(record: ConfigRecord, { configDir, withinMs }: ConfigQuery): CheckResult {
  const { state, version, looked, problem = '' } = record;
  const stays = version === undefined ? 'nothing is installed' : `${version} stays installed`;
  const late = newerVersion(record, configDir, withinMs);
  if (state === 'absent') return unhealthy(problem);
  if (state === 'refused') return unhealthy(`version ${looked} rejected, ${stays}: ${problem}`);
  if (state === 'failed') return unhealthy(`version ${looked} could not be installed: ${problem}`);
  return late === undefined ? healthyAs(`version ${version}`) : unhealthy(`${late}; ${stays}`);
}

/** The problem if kolla-init watch has not examined the kubelet's version within `withinMs`; otherwise undefined. */
function newerVersion({ configMap }: ConfigRecord, configDir: string, withinMs: number): string | undefined {
  const current = configMapVersion(configDir);
  if (current === undefined || current === configMap) return undefined;
  // The time of the link itself, because the kubelet creates a link per version. A time in the future predates a change
  // of the clock.
  const sinceMs = Math.abs(Date.now() - lstatSync(join(configDir, '..data')).mtimeMs);
  if (sinceMs <= withinMs) return undefined;
  return `the ConfigMap's version ${current} is there for ${formatDuration(sinceMs)}, and was not read: does kolla-init watch run?`;
}
