/**
 * The versions of RabbitMQ and MariaDB that tests run: RABBITMQ=4.0 and MARIADB=10.11 in the environment. Each comes from
 * the Debian suite that has it, on the suite's own libc; MariaDB 11.4, which no suite has, from Maven Central.
 */

/** A suite of Debian, and the version of its package that tests were last run with. */
interface SuiteVersion {
  readonly suite: string;
  readonly pin: string;
}

export const RABBITMQ_VERSIONS = {
  '4.3': { suite: 'sid', pin: '4.3.6-1' },
  '4.0': { suite: 'trixie', pin: '4.0.5-6+deb13u2' },
  '3.10': { suite: 'bookworm', pin: '3.10.8-1.1+deb12u1' },
} as const satisfies Readonly<Record<string, SuiteVersion>>;

/** With Galera. */
export const MARIADB_VERSIONS = {
  '11.8': { suite: 'trixie', pin: '1:11.8.9+ds-0+deb13u1' },
  '10.11': { suite: 'bookworm', pin: '1:10.11.18-0+deb12u1' },
} as const satisfies Readonly<Record<string, SuiteVersion>>;

/** The version that comes from Maven: a server without Galera. */
export const MAVEN_VERSION = '11.4';

export type RabbitmqVersion = keyof typeof RABBITMQ_VERSIONS;
export type GaleraVersion = keyof typeof MARIADB_VERSIONS;
export type MariadbVersion = GaleraVersion | typeof MAVEN_VERSION;

/** The suite of a version of RabbitMQ, and its packages there. */
export function rabbitmqSource(version: RabbitmqVersion = rabbitmqVersion()) {
  const { suite, pin } = RABBITMQ_VERSIONS[version];
  return { suite, packages: [`rabbitmq-server=${pin}`] };
}

/** The suite of a version of MariaDB, and its packages there: the server with Galera, and those of state transfers. */
export function mariadbSource(version: GaleraVersion) {
  const { suite, pin } = MARIADB_VERSIONS[version];
  return {
    suite,
    packages: [`mariadb-server-core=${pin}`, 'mariadb-client-core', 'galera-4'],
    /** Without its dependencies, which include all of Perl. */
    scripts: [`mariadb-server=${pin}`],
    backup: [`mariadb-backup=${pin}`, 'socat', 'findutils', 'procps', 'mawk', 'iproute2'],
  };
}

/** The selected version of RabbitMQ. */
export function rabbitmqVersion(env: NodeJS.ProcessEnv = process.env): RabbitmqVersion {
  return chosen('RABBITMQ', env, RABBITMQ_VERSIONS, '4.3');
}

/** The selected version of MariaDB. */
export function mariadbVersion(env: NodeJS.ProcessEnv = process.env): MariadbVersion {
  return chosen('MARIADB', env, { ...MARIADB_VERSIONS, [MAVEN_VERSION]: true }, '11.8');
}

/** The selected version of MariaDB, which must have Galera. */
export function galeraVersion(env: NodeJS.ProcessEnv = process.env): GaleraVersion {
  const version = mariadbVersion(env);
  if (version === MAVEN_VERSION) throw new Error(`MARIADB=${version} comes without Galera: it runs as a single server`);
  return version;
}

function chosen<T extends string>(
  variable: string,
  env: NodeJS.ProcessEnv,
  known: Readonly<Record<T, unknown>>,
  usual: NoInfer<T>,
): T {
  const wanted = env[variable];
  if (wanted === undefined || wanted === '') return usual;
  if (Object.hasOwn(known, wanted)) return wanted as T;
  throw new Error(`${variable}=${wanted}: there is ${Object.keys(known).join(', ')}`);
}
