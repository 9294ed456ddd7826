import { statSync } from 'node:fs';
import { codeOf, messageOf } from '../../core/errors.ts';
import { healthyAs, unhealthy, unseen } from '../ask/verdict.ts';
import { WordsError, type KollaAnswer, type KollaQuestion } from './curl/question.ts';

const TIMEOUT_MS = 5000;

/** healthcheck_filemod FILE SECONDS: checks that the file was modified within that time. */
export function filemodQuestion([file = '', seconds = '']: readonly string[]): KollaQuestion {
  if (file === '' || seconds === '') throw new WordsError('missing argument: healthcheck_filemod FILE SECONDS');
  if (!/^\d{1,10}$/.test(seconds)) throw new WordsError(`'${seconds}' is not a number of seconds`);
  return {
    label: 'healthcheck_filemod',
    timeoutMs: TIMEOUT_MS,
    ask: () => Promise.resolve(answerOf(file, Number(seconds))),
  };
}

function answerOf(file: string, most: number): KollaAnswer {
  try {
    const found = statSync(file);
    if (!found.isFile()) return missing(file, 'it is not a regular file');
    // In whole seconds, as date and stat print it.
    const age = Math.floor(Date.now() / 1000) - Math.floor(found.mtimeMs / 1000);
    const text = `${file} was last written ${age} s ago`;
    return { verdict: age <= most ? healthyAs(text) : unhealthy(`${text}, more than ${most} s`) };
  } catch (error) {
    const code = codeOf(error);
    const answer = missing(file, messageOf(error));
    // The file may be readable for another user.
    return code === 'EACCES' ? { ...answer, verdict: unseen(messageOf(error)) } : answer;
  }
}

function missing(file: string, why: string): KollaAnswer {
  return { verdict: unhealthy(why), stdout: `${file} does not exist for file modification check\n` };
}
