import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Option } from '../../cli/option.ts';
import { ConfigError, messageOf, UsageError } from '../../core/errors.ts';
import { didYouMean } from '../../core/nearest.ts';
import { FORMATS, type FormatName, type FormatRule } from './index.ts';

/** Options for documents and the Pod's metadata. */
export const PARSE_OPTIONS = [
  {
    flag: 'schema',
    type: 'choice',
    values: ['kolla', 'ecs', 'raw'],
    env: 'KOLLA_LOG_SHIP_SCHEMA',
    default: 'kolla',
    help: "field names: Kolla's fluentd, ECS 8, or unparsed lines",
    example: 'ecs',
  },
  {
    flag: 'format',
    type: 'string',
    repeat: true,
    env: 'KOLLA_LOG_SHIP_FORMAT',
    help: 'GLOB=FORMAT for files not written by Kolla services',
    details: 'Relative globs are relative to --root.',
    example: '*/app.log=oslo',
  },
  {
    flag: 'formats',
    type: 'path',
    env: 'KOLLA_LOG_SHIP_FORMATS',
    help: "YAML file with this site's own formats",
    example: '/etc/kolla-pod/formats.yaml',
  },
  {
    flag: 'multiline-timeout',
    type: 'duration',
    env: 'KOLLA_LOG_SHIP_MULTILINE_TIMEOUT',
    default: '1s',
    help: 'maximum time an event waits for its next line',
    example: '5s',
  },
  {
    flag: 'container',
    type: 'string',
    env: 'KOLLA_LOG_SHIP_CONTAINER',
    help: 'container name in documents',
    example: 'keystone-api',
  },
  {
    flag: 'label',
    type: 'string',
    repeat: true,
    env: 'KOLLA_LOG_SHIP_LABEL',
    help: 'NAME=VALUE label in documents',
    example: 'region=RegionOne',
  },
  {
    flag: 'labels-file',
    type: 'path',
    env: 'KOLLA_LOG_SHIP_LABELS_FILE',
    help: "file with the Pod's labels, from the downward API",
    example: '/etc/podinfo/labels',
  },
] as const satisfies readonly Option[];

type Labels = Readonly<Record<string, string>>;

/** Parses the rules of `--format GLOB=NAME`. Throws UsageError for an unknown name. */
export function formatRules(words: readonly string[], root: string): FormatRule[] {
  return words.map((word) => {
    const [glob, name] = divided('--format', word, word.lastIndexOf('='), '*/app.log=oslo');
    if (!isFormat(name)) {
      const names = Object.keys(FORMATS);
      throw new UsageError(`--format: '${name}' is not one of ${names.join(', ')}${didYouMean(name, names)}`);
    }
    return { glob: glob.startsWith('/') ? glob : join(root, glob), format: name };
  });
}

/**
 * The labels of `--labels-file` and of `--label NAME=VALUE`, which takes precedence. Undefined if there are none.
 * @throws UsageError for a malformed label, ConfigError if the file is unreadable or not in the downward API's format
 */
export function labelsOf(words: readonly string[], file: string | undefined): Labels | undefined {
  const labels: Record<string, string> = { ...(file !== undefined && labelsIn(file)) };
  for (const word of words) {
    const [name, value] = divided('--label', word, word.indexOf('='), 'region=RegionOne');
    labels[name] = value;
  }
  return Object.keys(labels).length === 0 ? undefined : labels;
}

function labelsIn(file: string): Labels {
  const lines = textOf(file)
    .split('\n')
    .filter((line) => line !== '');
  return Object.fromEntries(
    lines.map((line, at) => {
      const [, name = '', quoted = ''] = /^([^=]+)=(".*")$/.exec(line) ?? [];
      try {
        // A label's value contains no character that Go and JSON escape differently.
        return [name, JSON.parse(quoted) as string];
      } catch (cause) {
        throw new ConfigError(`--labels-file: ${file}: line ${at + 1} is not NAME="VALUE"`, { cause });
      }
    }),
  );
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ConfigError(`--labels-file: ${messageOf(cause)}`, { cause });
  }
}

function divided(flag: string, word: string, at: number, example: string): readonly [string, string] {
  if (at < 1 || at === word.length - 1) throw new UsageError(`${flag} '${word}': write it as ${example}`);
  return [word.slice(0, at), word.slice(at + 1)];
}

function isFormat(name: string): name is FormatName {
  return Object.hasOwn(FORMATS, name);
}
