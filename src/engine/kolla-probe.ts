/** cmd/kolla-probe.ts in kolla-core, which as PID 1 reaps orphans while it serves. */
import { run } from '../cli/run.ts';
import { probe } from '../probe/index.ts';
import { reapOrphans } from './child-process.ts';

export const main = async (argv: string[], env: Readonly<Record<string, string | undefined>>): Promise<number> => {
  if (argv[0] === 'serve') reapOrphans();
  return await run(probe, argv, env);
};
