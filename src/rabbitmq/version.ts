import { readdirSync } from 'node:fs';
import { ConfigError, reasonOf } from '../core/errors.ts';

/** A version of RabbitMQ, such as 4.0.5. */
export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly text: string;
}

/** Where RabbitMQ's own packages for Debian, Ubuntu and Rocky put `rabbitmq_server-VERSION`. */
export const IMAGE_DIRECTORY = '/usr/lib/rabbitmq/lib';

/** @returns undefined if the text is no version */
export function parseVersion(text: string): Version | undefined {
  const [whole, major, minor] = /^(\d{1,4})\.(\d{1,4})(?:\.[\w.+-]{1,40})?$/.exec(text) ?? [];
  return whole === undefined ? undefined : { major: Number(major), minor: Number(minor), text: whole };
}

/** The unit of an upgrade: `4.0`. */
export function seriesOf({ major, minor }: Pick<Version, 'major' | 'minor'>): string {
  return `${major}.${minor}`;
}

/** Negative if the series of `a` is older than that of `b`. */
export function compareSeries(a: Version, b: Version): number {
  return a.major - b.major || a.minor - b.minor;
}

/**
 * The version in this image, without starting Erlang.
 * @throws ConfigError if there is none, or more than one
 */
export function imageVersion(directory: string): Version {
  const names = namesIn(directory);
  const versions = names.flatMap((name) => {
    const version = name.startsWith('rabbitmq_server-') && parseVersion(name.slice('rabbitmq_server-'.length));
    return version ? [version] : [];
  });
  const [version, ...others] = versions;
  if (version === undefined || others.length > 0)
    throw new ConfigError(
      `${directory} has ${versions.length} directories named rabbitmq_server-VERSION instead of one: the version of ` +
        'this image is unknown',
    );
  return version;
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (cause) {
    throw new ConfigError(`no RabbitMQ in ${directory}: ${reasonOf(cause)}; run this in RabbitMQ's image`, { cause });
  }
}
