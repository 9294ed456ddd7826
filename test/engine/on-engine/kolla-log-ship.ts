/** `kolla-log-ship setup` on kolla-core. */
import { run } from '../../../src/cli/run.ts';
import { setup } from '../../../src/logship/setup/index.ts';

const helper = { name: 'kolla-log-ship', summary: 'Ships logs.', commands: { setup } };

export const main = (argv: string[], env: NodeJS.ProcessEnv): Promise<number> => run(helper, argv, env);
