import type { Json, JsonObject } from '../json.ts';
import { searchSource, sourceReference, type SavedObject } from './object.ts';

export interface Chart {
  readonly id: string;
  readonly title: string;
  readonly query?: string;
}

interface Aggregation extends JsonObject {
  readonly id: string;
  readonly type: string;
}

const COUNT: Aggregation = { id: '1', enabled: true, type: 'count', schema: 'metric', params: {} };

/** Bars over time, stacked by the most frequent values of a field. */
export function overTime(indexPattern: string, chart: Chart, field: string, size = 12): SavedObject {
  const time: Aggregation = {
    id: '2',
    enabled: true,
    type: 'date_histogram',
    schema: 'segment',
    params: { field: '@timestamp', interval: 'auto', min_doc_count: 1, extended_bounds: {} },
  };
  return visualization(
    indexPattern,
    chart,
    'histogram',
    [COUNT, time, terms('3', 'group', field, size)],
    bars('vertical'),
  );
}

/** Lying bars, one a value of a field. */
export function byValue(indexPattern: string, chart: Chart, field: string, group?: string): SavedObject {
  const groups = group === undefined ? [] : [terms('3', 'group', group, 8)];
  const aggregations = [COUNT, terms('2', 'segment', field, 15), ...groups];
  return visualization(indexPattern, chart, 'horizontal_bar', aggregations, bars('horizontal'));
}

/** A table of the most frequent values of fields. */
export function topValues(indexPattern: string, chart: Chart, fields: readonly string[], size = 20): SavedObject {
  const buckets = fields.map((field, i) => terms(String(i + 2), 'bucket', field, i === 0 ? size : 3));
  const params = {
    perPage: 10,
    showPartialRows: false,
    showMetricsAtAllLevels: false,
    showTotal: false,
    totalFunc: 'sum',
    percentageCol: '',
  };
  return visualization(indexPattern, chart, 'table', [COUNT, ...buckets], params);
}

/** Text. It asks nothing. */
export function note({ id, title }: Chart, markdown: string): SavedObject {
  const state = { title, type: 'markdown', aggs: [], params: { fontSize: 12, openLinksInNewTab: false, markdown } };
  const source = { query: { query: '', language: 'kuery' }, filter: [] };
  return saved(id, title, state, { searchSourceJSON: JSON.stringify(source) }, []);
}

function visualization(
  indexPattern: string,
  { id, title, query = '' }: Chart,
  type: string,
  aggs: readonly Aggregation[],
  params: JsonObject,
): SavedObject {
  const state = { title, type, aggs, params: { type, ...params } };
  return saved(id, title, state, searchSource(query), [sourceReference(indexPattern)]);
}

function saved(
  id: string,
  title: string,
  state: object,
  kibanaSavedObjectMeta: JsonObject,
  references: SavedObject['references'],
): SavedObject {
  const visState = JSON.stringify(state);
  const attributes = { title, description: '', version: 1, uiStateJSON: '{}', visState, kibanaSavedObjectMeta };
  return { id, type: 'visualization', attributes, references };
}

function terms(id: string, schema: string, field: string, size: number): Aggregation {
  const others = { otherBucket: schema === 'group', otherBucketLabel: 'others', missingBucket: false };
  return { id, enabled: true, type: 'terms', schema, params: { field, size, order: 'desc', orderBy: '1', ...others } };
}

/** Axes and legend as their editors write them. */
function bars(direction: 'vertical' | 'horizontal'): JsonObject {
  const stands = direction === 'vertical';
  const axis = (id: string, type: string, position: string): Json => ({
    id,
    type,
    position,
    show: true,
    style: {},
    labels: { show: true, filter: true, truncate: 100 },
    title: type === 'value' ? { text: 'lines' } : {},
    scale: { type: 'linear', ...(type === 'value' ? { mode: 'normal' } : {}) },
  });
  return {
    addTooltip: true,
    addLegend: true,
    legendPosition: 'right',
    addTimeMarker: false,
    times: [],
    grid: { categoryLines: false },
    labels: {},
    categoryAxes: [axis('CategoryAxis-1', 'category', stands ? 'bottom' : 'left')],
    valueAxes: [{ ...(axis('ValueAxis-1', 'value', stands ? 'left' : 'bottom') as JsonObject), name: 'LeftAxis-1' }],
    seriesParams: [
      {
        show: true,
        type: 'histogram',
        mode: 'stacked',
        data: { id: '1', label: 'lines' },
        valueAxis: 'ValueAxis-1',
        drawLinesBetweenPoints: true,
        showCircles: true,
      },
    ],
    thresholdLine: { show: false, value: 10, width: 1, style: 'full', color: '#E7664C' },
  };
}
