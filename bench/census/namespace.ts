import { basename } from 'node:path';
import type { Capability } from '../../tools/capability.ts';
import { run } from '../../tools/process.ts';

/** Private ports, processes and /run: the services' real ports are free, and other processes are invisible. */
const NAMESPACES = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
const ENTER = 'mount -t tmpfs none /run && ip link set lo up && exec "$@"';

function words(command: readonly string[]): string[] {
  return [...(isRoot() ? [] : ['--user', '--map-root-user']), ...NAMESPACES, 'sh', '-ec', ENTER, 'sh', ...command];
}

/** Probes namespaces, and python3 for the stand-ins. */
export const canHoldCensus: Capability = async () => {
  const tried = await run('unshare', words(['python3', '-c', 'print(1)'])).catch((error: unknown) => error);
  if (tried instanceof Error) return `cannot create namespaces: ${tried.message}`;
  const { code, stderr } = tried as { code: number; stderr: string };
  return code === 0 ? undefined : `cannot create namespaces, or ip or python3 is missing: ${stderr.trim()}`;
};

/**
 * Runs one of our files in the namespaces and returns its output.
 * @throws Error with the end of its output if it fails
 */
export async function inNamespaces(file: string): Promise<string> {
  const { code, stdout, stderr } = await run('unshare', words([process.execPath, file]));
  if (code === 0) return stdout;
  throw new Error(`${basename(file)} ended with ${code}: ${stderr.slice(-2000)}`);
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
