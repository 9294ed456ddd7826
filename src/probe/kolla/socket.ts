import { socketQuestion } from '../local/index.ts';
import { fromCheck, processOf } from './port.ts';
import { WordsError, type KollaQuestion } from './question.ts';

/**
 * healthcheck_socket PROCESS PATH: does the process listen on that Unix socket? Kolla's script cuts the name at 15
 * characters as the kernel does; here a longer one is compared whole wherever the process shows it whole.
 * @param proc `/proc`, but in tests and in the build
 */
export function kollaSocketQuestion(argv: readonly string[], env: NodeJS.ProcessEnv, proc?: string): KollaQuestion {
  const [process = '', path = ''] = argv;
  if (process.trim() === '' || path === '') throw new WordsError('a word is missing: healthcheck_socket PROCESS PATH');
  const question = fromCheck(
    'healthcheck_socket',
    env,
    socketQuestion({ process: processOf(process), path }, '', proc),
  );
  // A path leads where the asker's files lie.
  return { ...question, reach: 'files' };
}
