import { run } from '../src/cli/run.ts';
import { logShip } from '../src/sidecar/helpers/log-ship.ts';

export const main = (argv: string[], env: NodeJS.ProcessEnv): Promise<number> => run(logShip, argv, env);
