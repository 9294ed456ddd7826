import { createLines, parseCommandLine, setConfigs } from '../src/config/set-configs/index.ts';

/** Raised by sudo for whoever may call it, so KOLLA_CONFIG_STRATEGY is all that it takes from the environment. */
export async function main(argv: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const asked = parseCommandLine(argv);
  if ('exitCode' in asked) {
    if (asked.stdout !== undefined) process.stdout.write(asked.stdout);
    if (asked.stderr !== undefined) process.stderr.write(asked.stderr);
    return asked.exitCode;
  }
  const maker = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0, umask: process.umask() };
  const lines = createLines((text) => void process.stderr.write(text));
  return await setConfigs({ root: '/', check: asked.check, strategy: env['KOLLA_CONFIG_STRATEGY'], maker }, lines);
}
