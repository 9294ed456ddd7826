/** A check of oslo.upgradecheck that was not successful. */
export interface Finding {
  readonly check: string;
  /** `Placement API: Failure: Placement API endpoint not found.` */
  readonly text: string;
}

/**
 * The checks that were not successful. Not from `--json`, which nova-status does not have.
 * @param lines of the table that oslo.upgradecheck prints, a block of three fields for each check
 */
export function findingsIn(lines: readonly string[]): Finding[] {
  const blocks = lines.map((line) => (line.startsWith('+') ? '+' : line.replace(/^\| ?(.*?) *\|$/, '$1'))).join('\n');
  return blocks.split(/^\+$/m).flatMap((block) => {
    const [, check, result, details = ''] = /^Check: (.*)\nResult: (.*)\nDetails: ([^]*)$/m.exec(block.trim()) ?? [];
    if (check === undefined || result === 'Success') return [];
    const text = `${check}: ${result}${details === 'None' ? '' : `: ${details.replaceAll(/\s+/g, ' ').trim()}`}`;
    return [{ check, text }];
  });
}
