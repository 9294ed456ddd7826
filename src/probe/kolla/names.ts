import { curlQuestion } from './curl/index.ts';
import { filemodQuestion } from './filemod.ts';
import { mariadbQuestion } from './mariadb.ts';
import { listenQuestion, connectedQuestion, kollaSocketQuestion } from './port.ts';
import type { KollaQuestion } from './curl/question.ts';
import { rabbitmqQuestion } from './rabbitmq.ts';
import type { KollaName } from './variables.ts';

/** Maps a script's arguments and variables to its check. */
export type Understand = (argv: readonly string[], env: NodeJS.ProcessEnv) => KollaQuestion;

const SCRIPTS: Readonly<Record<KollaName, Understand>> = {
  healthcheck_curl: curlQuestion,
  healthcheck_port: connectedQuestion,
  healthcheck_listen: listenQuestion,
  healthcheck_socket: kollaSocketQuestion,
  healthcheck_filemod: filemodQuestion,
  healthcheck_mariadb: mariadbQuestion,
  healthcheck_rabbitmq: rabbitmqQuestion,
};

export function isKollaName(name: string): name is KollaName {
  return Object.hasOwn(SCRIPTS, name);
}

/**
 * Parses a call of one of Kolla's scripts into its check.
 * @throws WordsError
 */
export function questionFor(name: KollaName, argv: readonly string[], env: NodeJS.ProcessEnv): KollaQuestion {
  return SCRIPTS[name](argv, env);
}
