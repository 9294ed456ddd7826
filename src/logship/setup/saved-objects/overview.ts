import type { FieldNames } from './fields.ts';
import { searchSource, sourceReference, type Flavor, type Reference, type SavedObject } from './object.ts';
import { byValue, note, overTime, topValues } from './visualization.ts';

export interface OverviewOptions {
  /** `flog-*` */
  readonly pattern: string;
  readonly fields: FieldNames;
  readonly flavor: Flavor;
}

/** A panel's place on a grid that is 48 wide. */
interface Panel {
  readonly object: SavedObject;
  readonly at: readonly [x: number, y: number, width: number, height: number];
}

/** Every object of the overview, what is referred to before what refers to it. */
export function overview({ pattern, fields, flavor }: OverviewOptions): SavedObject[] {
  const prefix = `kolla-log-ship-${pattern.replaceAll(/[^\w.-]+/g, '')}`.replace(/-$/, '');
  const index = `${prefix}-index`;
  const { level, service, host, wholeMessage, request, errors } = fields;
  const id = (name: string, title: string, query?: string) => ({
    id: `${prefix}-${name}`,
    title: `[OpenStack] ${title}`,
    ...(query === undefined ? {} : { query }),
  });
  const found = search(index, id('errors', 'Errors', errors), fields, 'desc');
  const one = search(index, id('request', 'One request, in order', `${request}: *`), fields, 'asc');
  const panels: Panel[] = [
    { object: overTime(index, id('services', 'Lines by service'), service), at: [0, 0, 24, 12] },
    { object: overTime(index, id('levels', 'Lines by level'), level), at: [24, 0, 24, 12] },
    { object: overTime(index, id('errors-over-time', 'Errors by service', errors), service), at: [0, 12, 24, 12] },
    { object: byValue(index, id('hosts', 'Lines by host'), host, level), at: [24, 12, 24, 12] },
    {
      object: topValues(index, id('top', 'Most frequent errors', errors), [wholeMessage, service]),
      at: [0, 24, 28, 15],
    },
    { object: topValues(index, id('requests', 'Requests with errors', errors), [request]), at: [28, 24, 20, 10] },
    { object: note(id('help', 'A request through all services'), helpText(fields)), at: [28, 34, 20, 5] },
    { object: found, at: [0, 39, 48, 18] },
  ];
  const objects = panels.map(({ object }) => object);
  return [indexPattern(index, pattern), one, ...objects, dashboard(`${prefix}-overview`, panels, flavor)];
}

function indexPattern(id: string, title: string): SavedObject {
  return {
    id,
    type: 'index-pattern',
    attributes: { title, timeFieldName: '@timestamp', fields: '[]' },
    references: [],
  };
}

function search(
  index: string,
  { id, title, query = '' }: { id: string; title: string; query?: string },
  { columns }: FieldNames,
  order: 'asc' | 'desc',
): SavedObject {
  return {
    id,
    type: 'search',
    attributes: {
      title,
      description: '',
      hits: 0,
      version: 1,
      columns: [...columns],
      sort: [['@timestamp', order]],
      kibanaSavedObjectMeta: searchSource(query),
    },
    references: [sourceReference(index)],
  };
}

function dashboard(id: string, panels: readonly Panel[], flavor: Flavor): SavedObject {
  const references: Reference[] = panels.map(({ object }, i) => {
    // Kibana looks for a panel's reference under the panel's own name.
    return { name: flavor === 'kibana' ? `${i}:panel_${i}` : `panel_${i}`, type: object.type, id: object.id };
  });
  const panelsJSON = panels.map(({ object, at: [x, y, w, h] }, i) => ({
    version: flavor === 'kibana' ? '8.8.0' : '2.11.0',
    ...(flavor === 'kibana' && { type: object.type }),
    gridData: { x, y, w, h, i: String(i) },
    panelIndex: String(i),
    embeddableConfig: {},
    panelRefName: `panel_${i}`,
  }));
  return {
    id,
    type: 'dashboard',
    attributes: {
      title: '[OpenStack] Overview',
      description: 'What the services log: how much, how bad, where, and for which request.',
      hits: 0,
      version: 1,
      timeRestore: true,
      timeFrom: 'now-24h',
      timeTo: 'now',
      refreshInterval: { pause: true, value: 60_000 },
      optionsJSON: JSON.stringify({ useMargins: true, hidePanelTitles: false }),
      panelsJSON: JSON.stringify(panelsJSON),
      kibanaSavedObjectMeta: {
        searchSourceJSON: JSON.stringify({ query: { query: '', language: 'kuery' }, filter: [] }),
      },
    },
    references,
  };
}

function helpText({ request }: FieldNames): string {
  return (
    `Write \`${request}: "ID"\` into the search bar, or click the plus beside an ID above: all panels show that request. ` +
    'The search *[OpenStack] One request, in order* has its lines from the first to the last.'
  );
}
