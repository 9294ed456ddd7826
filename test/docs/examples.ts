/** A page's shell block with the output that the page states in `<!-- prints: PATTERN -->` behind it. */
export interface Example {
  readonly script: string;
  /** The output that is expected. */
  readonly prints: RegExp | undefined;
}

/** The shell blocks of a page's text, in order. */
export function examplesOf(page: string): Example[] {
  return [...page.matchAll(/^```sh\n([^]*?)^```\n(?:<!-- prints: (.*) -->)?/gm)].map(([, script = '', prints]) => ({
    script,
    prints: prints === undefined ? undefined : new RegExp(prints, 'm'),
  }));
}
