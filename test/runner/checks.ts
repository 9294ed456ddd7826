import { run } from '../../tools/process.ts';
import { NO_COUNTS, type Result } from './result.ts';

/** Types, lint, format, and what kolla-core may use: each counts as one test. */
export const CHECKS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  types: ['tsc', '--project', '.'],
  "types of the status page's client": ['tsc', '--project', 'src/sidecar/page'],
  lint: ['oxlint', '--type-aware'],
  format: ['oxfmt', '--check', '.'],
  "kolla-core's imports and globals": ['node', 'build/core/check.ts'],
  "the field's words": ['node', 'test/runner/check-words.ts'],
};

/** @param name one of CHECKS */
export async function runCheck(name: string, signal: AbortSignal): Promise<Result> {
  const [tool = '', ...args] = CHECKS[name] ?? [];
  const began = performance.now();
  const { code, stdout, stderr } = await run(`node_modules/.bin/${tool}`, args, { signal }).catch((error: unknown) => {
    if (signal.aborted) return { code: -1, stdout: '', stderr: '' };
    throw error;
  });
  const passed = code === 0;
  return {
    counts: { ...NO_COUNTS, tests: 1, passed: Number(passed), failed: Number(!passed) },
    outcomes: [{ file: 'check', name, result: passed ? 'passed' : 'failed' }],
    text: `${stdout}${stderr}`,
    seconds: (performance.now() - began) / 1000,
    isCut: signal.aborted,
  };
}
