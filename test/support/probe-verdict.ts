/** What kolla-probe has said: its exit code and its messages, without the time. */
export function verdict({ code, stderr }: { readonly code: number | null; readonly stderr: string }): string {
  const said = stderr
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { msg: string }).msg);
  return [String(code), ...said].join(': ');
}
