/**
 * cmd/kolla-probe.ts in kolla-core: checks without TLS and login, once or as the resident server. Everything else, and
 * full help, is delegated to kolla-pod, if it is installed next to us.
 */
import { run } from '../cli/run.ts';
import { CORE_CHECKS, POD_CHECKS } from '../probe/checks/core.ts';
import { probeOf } from '../probe/probe-of.ts';
import { isRefusal } from '../process/exec/find-program.ts';
import { reapOrphans } from './child-process.ts';
import { becomePod, podBeside } from './pod.ts';
import { URL } from './url.ts';

const probe = probeOf({ checks: CORE_CHECKS, elsewhere: POD_CHECKS, refusal });

export const main = async (argv: string[], env: Readonly<Record<string, string | undefined>>): Promise<number> => {
  if (!isOurs(argv)) return becomePod(probe.name, argv, env, `'${probe.name} ${argv[0]}'`);
  if (argv[0] === 'serve') reapOrphans();
  return await run(probe, argv, env);
};

function isOurs(argv: readonly string[]): boolean {
  const [word = ''] = argv;
  if (word === 'serve') return true;
  if (CORE_CHECKS.some((check) => check.word === word)) return isPlain(argv) || argv.includes('--help');
  const isHelp = word === '' || word === 'help' || word.startsWith('-');
  return isHelp && isRefusal(podBeside());
}

/** A URL in an unusual form may be https, or invalid. */
function isPlain([word, ...words]: readonly string[]): boolean {
  return word !== 'http' || words.some((one) => URL.parse(one) !== null);
}

/** The server never re-executes as kolla-pod, because its memory use would then depend on its checks. */
function refusal(words: readonly string[]): string | undefined {
  const [word = ''] = words;
  const isPods = POD_CHECKS.includes(word);
  if (!isPods && isPlain(words)) return undefined;
  const what = isPods ? `'${word}'` : "'http' with a URL that is not plain http";
  return `${what} needs kolla-pod, which runs it in kolla-sidecar, or as \`kolla-pod probe serve\`; kolla-core does not`;
}
