/** The lines of a text such as /etc/passwd or /etc/group, each in its fields. What has no colon is no line of it. */
export function accountLines(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line.includes(':'))
    .map((line) => line.split(':'));
}
