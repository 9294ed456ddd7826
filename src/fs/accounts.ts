/** The lines of a text such as /etc/passwd or /etc/group, split into fields. Lines without a colon are skipped. */
export function accountLines(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line.includes(':'))
    .map((line) => line.split(':'));
}
