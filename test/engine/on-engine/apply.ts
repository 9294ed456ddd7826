/**
 * Installs everything in config.json, for test/config/support.ts: prints the result as JSON, or the error and its
 * code.
 */
import { putInPlace, type ConfigOptions } from '../../../src/config/index.ts';
import { KollaError } from '../../../src/core/errors.ts';
import { stderrLog } from '../../support/stderr-log.ts';

export async function main([options = '{}']: readonly string[]): Promise<number> {
  const log = stderrLog();
  try {
    const { signal } = new AbortController();
    process.stdout.write(
      JSON.stringify((await putInPlace(JSON.parse(options) as ConfigOptions, { signal, log })) ?? null),
    );
    return 0;
  } catch (error) {
    if (!(error instanceof KollaError)) throw error;
    process.stdout.write(error.message);
    return error.exitCode;
  }
}
