import { becomeCore } from '../src/cli/become-core.ts';
import { run } from '../src/cli/run.ts';
import { sidecarOf } from '../src/sidecar/sidecar-of.ts';

export const main = (argv: string[], env: NodeJS.ProcessEnv): Promise<number> =>
  run(
    sidecarOf(() => becomeCore('kolla-sidecar')(argv, env)),
    argv,
    env,
  );
