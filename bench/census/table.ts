import type { Answer, Row } from './row.ts';

/** The table for docs/evidence/, one row per container. */
export function censusPage(rows: readonly Row[], where: string): string {
  const seen = rows.filter(({ skipped }) => skipped === undefined);
  const right = seen.filter(isRight);
  return [
    '# Health checks: the census',
    '',
    '<!-- Made by `node bench/census/census.ts --print`. Do not edit. -->',
    '',
    'Every container for which kolla-ansible declares a health check, once well and once not:',
    `${rows.length} rows, ${right.length} as they should be, ${rows.length - seen.length} not asked. ${where}.`,
    '',
    "Each stands for its service as a process with the service's name and real sockets on the service's own ports, in a network of its own;",
    'Apache, MariaDB, memcached and RabbitMQ are the real ones. Asked are, in this order: what is declared, as Docker asks it (through sh, by our',
    'script of that name; – where it is none of Kolla’s scripts), our readiness check, our liveness check.',
    '✔ healthy, ✘ unhealthy. Liveness fails only where a restart would fix it.',
    '',
    '| | service | declared | well | | not well | | reason |',
    '|---|---|---|---|---|---|---|---|',
    ...rows.map((row, i) => `| ${i + 1} | \`${row.container}\` | \`${row.declared}\` | ${cellsOf(row)} |`),
    '',
  ].join('\n');
}

/** Healthy in the healthy state; unhealthy with a reason in the other; restarted only if that helps. */
export function isRight({ well, unwell, isDead }: Row): boolean {
  if (well === undefined || unwell === undefined) return false;
  const wellRight = well.declared?.healthy !== false && well.readiness.healthy && well.liveness.healthy;
  const unwellRight = unwell.declared?.healthy !== true && !unwell.readiness.healthy && unwell.readiness.reason !== '';
  return wellRight && unwellRight && unwell.liveness.healthy === !isDead;
}

function cellsOf({ skipped, well, unwell }: Row): string {
  if (well === undefined || unwell === undefined) return `not asked: ${skipped} | | | |`;
  const marks = ({ declared, readiness, liveness }: typeof well) => [declared, readiness, liveness].map(mark).join(' ');
  const reason = well.readiness.healthy ? unwell.readiness.reason : `WELL, BUT: ${well.readiness.reason}`;
  return `${well.state} | ${marks(well)} | ${unwell.state} | ${marks(unwell)} | ${reason.replaceAll('|', String.raw`\|`)}`;
}

function mark(answer: Answer | undefined): string {
  if (answer === undefined) return '–';
  return answer.healthy ? '✔' : '✘';
}
