import type { Step } from './timeline.ts';

/** A text in a cell of a Markdown table. */
export function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ');
}

/** The steps of a run as the lines of a Markdown table. */
export function timelineTable(steps: readonly Step[]): string[] {
  return [
    '| at | step | took | saw |',
    '|---|---|---|---|',
    ...steps.map(({ title, startSeconds, seconds, saw }) => {
      return `| ${startSeconds.toFixed(0)} s | ${title} | ${seconds.toFixed(1)} s | ${cell(saw)} |`;
    }),
  ];
}
