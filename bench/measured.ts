import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Capability } from '../tools/capability.ts';
import { privateDirectory } from '../tools/directory.ts';
import { must } from '../tools/process.ts';

const SOURCE = fileURLToPath(new URL('measured.c', import.meta.url));

/** Usage of one run, including reaped descendants. */
export interface Measured {
  readonly cpuMs: number;
  readonly wallMs: number;
  /** Peak of the largest process. */
  readonly megabytes: number;
}

/** Runs command lines that must succeed, and returns their usage. */
export type Measure = (words: readonly string[], env: NodeJS.ProcessEnv) => Promise<Measured>;

/** Compiles the measuring program: Node cannot report a child's usage. */
export async function measuring(directory: string): Promise<Measure> {
  const program = join(directory, 'measured');
  await must('cc', ['-O2', '-o', program, SOURCE]);
  return async (words, env) => {
    const line = await must(program, words, { env });
    const [cpu = NaN, wall = NaN, kilobytes = NaN, code = NaN] = line.split(' ').map(Number);
    if (code !== 0) throw new Error(`'${words.join(' ')}' ended with ${code}`);
    return { cpuMs: cpu / 1000, wallMs: wall / 1000, megabytes: kilobytes / 1024 };
  };
}

/** Probed by compiling it and measuring `true`. */
export const canMeasure: Capability = async () => {
  try {
    await using directory = await privateDirectory('measured');
    await (
      await measuring(directory.path)
    )(['true'], process.env);
    return undefined;
  } catch (error) {
    return `no C compiler for what measures: ${String(error).slice(0, 200)}`;
  }
};
