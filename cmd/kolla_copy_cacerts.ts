import { trusted } from '../src/cli/raised.ts';
import { run } from '../src/cli/run.ts';
import { copyCacerts } from '../src/container/ca/copy-cacerts.ts';

export function main(argv: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const given = trusted(argv, env);
  return run(copyCacerts, given.argv, given.env);
}
