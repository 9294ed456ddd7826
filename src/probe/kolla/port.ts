import type { ProcessQuery } from '../../process/procfs/index.ts';
import { portQuestion, type PortQuery } from '../local/port.ts';
import type { Question } from '../ask/verdict.ts';
import { timeoutOf, WordsError, type KollaQuestion } from './curl/question.ts';
import { socketQuestion } from '../local/unix-socket.ts';

/**
 * healthcheck_port PROCESS PORT...: checks that the process has an established connection with one of the ports at
 * either end.
 * @param proc `/proc`, except in tests and in the build
 */
export function connectedQuestion(argv: readonly string[], env: NodeJS.ProcessEnv, proc?: string): KollaQuestion {
  const query = queryOf('healthcheck_port', argv);
  // Kolla's script accepts both ends; the remote end is what it is meant to check.
  return fromCheck('healthcheck_port', env, portQuestion(query, 'connected', '', proc, 'accepted'));
}

/**
 * healthcheck_listen PROCESS PORT...: checks that the process listens on one of the ports.
 * @param proc `/proc`, except in tests and in the build
 */
export function listenQuestion(argv: readonly string[], env: NodeJS.ProcessEnv, proc?: string): KollaQuestion {
  const query = queryOf('healthcheck_listen', argv);
  return fromCheck('healthcheck_listen', env, portQuestion(query, 'listen', '', proc));
}

/** Wraps one of our process checks as a script of Kolla's, which prints nothing. */
function fromCheck(label: string, env: NodeJS.ProcessEnv, question: Pick<Question, 'ask'>): KollaQuestion {
  return {
    label,
    timeoutMs: timeoutOf(env),
    ask: async (signal, tell) => ({ verdict: await question.ask(signal, tell) }),
  };
}

/** Spaces also separate ports within one argument, because Kolla's scripts join all arguments. */
function queryOf(script: string, [process = '', ...words]: readonly string[]): PortQuery {
  const ports = words.flatMap((word) => word.split(/\s+/)).filter((word) => word !== '');
  if (process.trim() === '' || ports.length === 0)
    throw new WordsError(`missing argument: ${script} PROCESS PORT [PORT...]`);
  return { process: processOf(process), ports: ports.map(portOf) };
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw new WordsError(`'${text}' is not a port`);
  return port;
}

/** Characters that no program name contains. A name with one of them is a pattern, as any is to Kolla's scripts. */
const PATTERN = /[\\^$*+?()[\]{}|/]|\S\s+\S/;

/**
 * The query for a process argument. A name is compared literally, without the spaces passed by kolla-ansible
 * (`'neutron-l3-agent '`); only a name that matches PATTERN is a regular expression for command lines.
 */
function processOf(word: string): ProcessQuery {
  const name = word.trim();
  if (!PATTERN.test(name)) return { name };
  try {
    void new RegExp(name);
    return { name, isPattern: true };
  } catch (cause) {
    throw new WordsError(`'${name}' is neither the name of a process nor a regular expression`, { cause });
  }
}

/**
 * healthcheck_socket PROCESS PATH: checks that the process listens on that Unix socket. Kolla's script truncates the
 * name to 15 characters as the kernel does; here a longer one is compared as a whole if the process shows it.
 * @param proc `/proc`, except in tests and in the build
 */
export function kollaSocketQuestion(argv: readonly string[], env: NodeJS.ProcessEnv, proc?: string): KollaQuestion {
  const [process = '', path = ''] = argv;
  if (process.trim() === '' || path === '') throw new WordsError('missing argument: healthcheck_socket PROCESS PATH');
  return fromCheck('healthcheck_socket', env, socketQuestion({ process: processOf(process), path }, '', proc));
}
