/**
 * cmd/kolla-probe.ts in kolla-core: asks what needs neither TLS nor a login. Whatever else is said to it, and help for all of it,
 * is kolla-pod's, if that is beside us.
 */
import { run } from '../cli/run.ts';
import { CORE_CHECKS } from '../probe/checks/core.ts';
import { probeOf } from '../probe/probe-of.ts';
import { isRefusal } from '../process/exec/find-program.ts';
import { becomePod, podBeside } from './pod.ts';
import { URL } from './url.ts';

const probe = probeOf(CORE_CHECKS);

export const main = async (argv: string[], env: Readonly<Record<string, string | undefined>>): Promise<number> =>
  isOurs(argv) ? await run(probe, argv, env) : becomePod(probe.name, argv, env, `'${probe.name} ${argv[0]}'`);

function isOurs(argv: readonly string[]): boolean {
  const [word = ''] = argv;
  if (CORE_CHECKS.some((check) => check.word === word))
    // A URL that is not plain may be https, or wrong.
    return word !== 'http' || argv.some((one) => URL.parse(one) !== null || one === '--help');
  const isHelp = word === '' || word === 'help' || word.startsWith('-');
  return isHelp && isRefusal(podBeside());
}
