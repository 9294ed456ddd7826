/**
 * cmd/kolla-init.ts in kolla-core: files, check, plan, rbac, watch, and waits. What is left to kolla-pod is delegated to it, if it is
 * installed next to us; decided before a file is read or written.
 */
import type { Command } from '../cli/command.ts';
import { run } from '../cli/run.ts';
import { initOf } from '../container/init/init-of.ts';
import { isRefusal } from '../process/exec/find-program.ts';
import { reapOrphans } from './child-process.ts';
import { becomePod, podBeside } from './pod.ts';
import { podLoginOf } from './waits.ts';

const NAME = 'kolla-init';
/** Loaded only if they run: code that is read takes memory as long as a wait lasts. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  check: async () => (await import('../container/init/check.ts')).checkCommand,
  plan: async () => (await import('../container/init/plan.ts')).planCommand,
  rbac: async () => (await import('../container/init/rbac.ts')).rbacCommand,
  watch: async () => (await import('../container/init/watch.ts')).watchCommand,
};
/** Commands that only kolla-pod has. kolla-pod.yaml may contain options for them. */
const OTHERS = ['restart'];

export const main = async (argv: string[], env: Readonly<Record<string, string | undefined>>): Promise<number> => {
  const become = (what: string) => becomePod(NAME, argv, env, what);
  const [word = ''] = argv;
  if (OTHERS.includes(word)) return become(`'${NAME} ${word}'`);
  const isHelp = word === 'help' || argv.some((one) => ['--help', '--help-all', '-h'].includes(one));
  // The table of all commands.
  if (isHelp && !isRefusal(podBeside())) return become('help');
  const [used, others] = isHelp ? [Object.keys(COMMANDS), []] : partition(word);
  const commands = await Promise.all(used.map(async (name) => [name, await COMMANDS[name]!()] as const));
  const leaveLogin = async (options: Parameters<typeof podLoginOf>[0]) => {
    const login = await podLoginOf(options, env);
    if (login !== undefined) become(login);
  };
  const init = initOf(Object.fromEntries(commands), (options) => leaveLogin(options));
  reapOrphans();
  return await run({ ...init, elsewhere: [...others, ...OTHERS] }, argv, env);
};

/** The command with this name, if it is one of ours, and the other ones. */
function partition(word: string): [used: string[], others: string[]] {
  const names = Object.keys(COMMANDS);
  return [names.filter((name) => name === word), names.filter((name) => name !== word)];
}
