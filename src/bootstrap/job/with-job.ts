import type { Context } from '../../cli/command.ts';
import type { ExitCode } from '../../core/errors.ts';
import type { Purpose } from '../index.ts';
import { readJob, type Job } from './job.ts';
import type { JobOptions } from './options.ts';

/** Reads a job for a command, and keeps secrets out of its errors: what a server says may quote what it was sent. */
export async function withJob(
  name: string,
  options: JobOptions,
  context: Context,
  purpose: Purpose,
  work: (job: Job) => Promise<ExitCode>,
): Promise<ExitCode> {
  using job = await readJob(name, options, context, purpose);
  try {
    return await work(job);
  } catch (error) {
    if (error instanceof Error) {
      error.message = job.redact(error.message);
      error.stack = job.redact(error.stack ?? '');
    }
    throw error;
  }
}
