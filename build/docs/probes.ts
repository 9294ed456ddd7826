/** The table in docs/reference/kolla-probe.md, from the services' data. */
import { allProbes } from '../../src/catalog/index.ts';

const OPEN = '<!-- probes: made by `make docs` from src/catalog/ -->';
const CLOSE = '<!-- end probes -->';

/** The page with its table updated from the data. Error if the page lacks the two markers. */
export function withProbes(page: string): string {
  const [start, end] = [page.indexOf(OPEN), page.indexOf(CLOSE)];
  if (start < 0 || end < start) throw new Error(`the page lacks the table's markers: ${OPEN} and ${CLOSE}`);
  return `${page.slice(0, start + OPEN.length)}\n\n${table().join('\n')}\n\n${page.slice(end)}`;
}

function table(): string[] {
  return [
    "| service | container | Kolla's check | readiness | liveness and startup |",
    '|---|---|---|---|---|',
    ...allProbes().map(({ service, container, declared, disabledSince, readiness, liveness, notes }) => {
      const off = disabledSince === undefined ? '' : `<br>Disabled by default since kolla-ansible ${disabledSince}.`;
      const more = notes === undefined ? '' : `<br>${notes}`;
      return `| ${service} | \`${container}\` | ${code(declared)}${off} | ${code(readiness)}${more} | ${code(liveness)} |`;
    }),
  ];
}

function code(text: string | undefined): string {
  return text === undefined ? '' : `\`${text}\``;
}
