/**
 * What `kolla-db-sync --report-stages` tells the program that runs it, one line of JSON each on stdout:
 *
 *   { "stage": "migrating" }  at the start of each stage
 *   { "error": ... }          at the end, if there is one; then it is not logged, because that program does
 */
import { explainFile } from '../cli/named-file.ts';
import type { Values } from '../cli/option.ts';
import { ChildError, ConfigError, ExitCode, KollaError, messageOf, UsageError } from '../core/errors.ts';
import { SYNC_OPTIONS } from './options/options.ts';
import type { OnStage, Stage } from './plan/stage.ts';

interface ReportedError {
  readonly exitCode: ExitCode;
  readonly message: string;
  /** Only of a ChildError. */
  readonly lastLine?: string | undefined;
  /** Only of a bug. */
  readonly stack?: string | undefined;
}

type Report = { readonly stage: Stage } | { readonly error: ReportedError };

/** The reader splits lines of more than 16 KiB (process/lines.ts). */
const TEXT_CHARACTERS = 4096;

/** Runs a migration and reports it. The exit code is that of its error, too. */
export async function reporting(
  run: (onStage: OnStage) => Promise<ExitCode>,
  options: Values<typeof SYNC_OPTIONS>,
  { stdout, signal }: { readonly stdout: (text: string) => void; readonly signal: AbortSignal },
): Promise<ExitCode> {
  const report = (one: Report) => stdout(`${JSON.stringify(one)}\n`);
  try {
    return await run((stage) => report({ stage }));
  } catch (error) {
    const told = toldOf(explainFile(error, SYNC_OPTIONS, options));
    // Whoever runs us has sent the signal.
    if (error !== signal.reason) report({ error: told });
    return told.exitCode;
  }
}

function toldOf(error: unknown): ReportedError {
  const message = messageOf(error).slice(0, TEXT_CHARACTERS);
  if (error instanceof ChildError)
    return { exitCode: error.exitCode, message, lastLine: error.lastLine.slice(-TEXT_CHARACTERS) };
  if (error instanceof KollaError) return { exitCode: error.exitCode, message };
  const stack = error instanceof Error ? error.stack : undefined;
  return { exitCode: ExitCode.bug, message, stack: (stack ?? '').slice(0, TEXT_CHARACTERS) };
}

/** A line of a report. Undefined for any other text. */
export function reportIn(line: string): { readonly stage: Stage } | { readonly error: Error } | undefined {
  let report: Report;
  try {
    report = JSON.parse(line) as Report;
  } catch {
    return undefined;
  }
  return 'error' in report ? { error: errorOf(report.error) } : report;
}

/** The error as it would be here: an expected one of the same exit code, or a bug. */
function errorOf({ exitCode, message, lastLine, stack }: ReportedError): Error {
  if (stack !== undefined) return Object.assign(new Error(message), { stack });
  if (lastLine !== undefined) return new ChildError(exitCode, message, lastLine);
  if (exitCode === ExitCode.usage) return new UsageError(message);
  return exitCode === ExitCode.badConfig ? new ConfigError(message) : new KollaError(exitCode, message);
}
