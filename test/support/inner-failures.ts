/** What a test file that ran as a process of its own says of its failures; if that is nothing, the end of its output. */
export function innerFailures(stdout: string): string {
  const at = stdout.indexOf('✖ failing tests:');
  return at === -1 ? stdout.slice(-LONGEST) : stdout.slice(at, at + LONGEST);
}

const LONGEST = 4000;
