/**
 * cmd/kolla-init.ts in kolla-core: files, check, plan, and waits for servers and paths. Anything that needs TLS, the
 * API server or another client is delegated to kolla-pod, if it is installed next to us; decided by the waits before a
 * file is read or written.
 */
import { run } from '../cli/run.ts';
import { checkCommand } from '../container/init/check.ts';
import { initOf } from '../container/init/init-of.ts';
import { planCommand } from '../container/init/plan.ts';
import { isRefusal } from '../process/exec/find-program.ts';
import { reapOrphans } from './child-process.ts';
import { becomePod, podBeside } from './pod.ts';
import { URL } from './url.ts';

const NAME = 'kolla-init';
const COMMANDS = { check: checkCommand, plan: planCommand };
/** Commands that only kolla-pod has. kolla-pod.yaml may contain options for them. */
const OTHERS = ['rbac', 'restart', 'watch'];

export const main = async (argv: string[], env: Readonly<Record<string, string | undefined>>): Promise<number> => {
  const become = (what: string) => becomePod(NAME, argv, env, what);
  const [word = ''] = argv;
  if (OTHERS.includes(word)) return become(`'${NAME} ${word}'`);
  // The table of all commands, for help.
  if (argv.some((one) => ['--help', '--help-all', '-h'].includes(one)) && !isRefusal(podBeside()))
    return become('help');
  const init = initOf(COMMANDS, (waits) => {
    const others = waits.find((text) => !isOurs(text));
    if (others !== undefined) become(`wait '${others}', which is for none of tcp:, http:, file: and socket:,`);
  });
  reapOrphans();
  return await run({ ...init, elsewhere: OTHERS }, argv, env);
};

/** Whether the kind is in src/engine/wait-kinds.ts. */
function isOurs(text: string): boolean {
  const [, word, rest] = /^!?(tcp|http|file|socket|unix):([^#]*)/.exec(text) ?? [];
  // URLs in an unusual form are left to kolla-pod.
  return word === 'http' ? URL.parse(`http:${rest}`) !== null : word !== undefined;
}
