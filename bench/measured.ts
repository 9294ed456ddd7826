import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Capability } from '../tools/capability.ts';
import { privateDirectory } from '../tools/directory.ts';
import { must } from '../tools/process.ts';

const SOURCE = fileURLToPath(new URL('measured.c', import.meta.url));

/** What one run took, of the program and of all that it waited for. */
export interface Measured {
  readonly cpuMs: number;
  readonly wallMs: number;
  /** Of the largest process. */
  readonly megabytes: number;
}

/** Runs command lines that must end with 0, and says what they took. */
export type Measure = (words: readonly string[], env: NodeJS.ProcessEnv) => Promise<Measured>;

/** Compiles what measures: node can't say what a child took. */
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

/** Proven by compiling it and measuring `true`. */
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
