/** Resolves each argument in turn and prints its addresses or the code of the error. */
import { resolveName } from '../../../src/net/resolver/index.ts';

export async function main(names: readonly string[]): Promise<number> {
  const found: Record<string, unknown> = {};
  for (const name of names) {
    found[name] = await resolveName(name, new AbortController().signal as never).then(
      (addresses) => addresses.toSorted(),
      (error: unknown) => (error as NodeJS.ErrnoException).code,
    );
  }
  process.stdout.write(JSON.stringify(found));
  return 0;
}
