/** One value in a family. */
export interface Sample {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
  /** Suffix in a summary: `_sum` or `_count`. */
  readonly suffix?: '_sum' | '_count';
}

/**
 * One family of metrics in Prometheus' text format 0.0.4. Its name ends with the unit, and that of a counter with
 * `_total`.
 */
export interface Family {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'summary';
  readonly help: string;
  readonly samples: readonly Sample[];
}

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** The page for a scraper. Families without samples are omitted. */
export function metricsText(families: readonly Family[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, type, help, samples }) => {
      const lines = samples.map(
        (one) => `${name}${one.suffix ?? ''}${labelsText(one.labels)} ${numberText(one.value)}`,
      );
      return [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
    })
    .join('');
}

function labelsText(labels: Readonly<Record<string, string>> = {}): string {
  const pairs = Object.entries(labels).map(
    ([key, value]) => `${key}="${escaped(value).replaceAll('"', String.raw`\"`)}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', String.raw`\n`);
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}

/** Metrics that every process has, under their conventional names. */
export function processFamilies(): Family[] {
  const { user, system } = process.cpuUsage();
  return [
    {
      name: 'process_cpu_seconds_total',
      type: 'counter',
      help: 'User and system CPU time of this process.',
      samples: [{ value: (user + system) / 1e6 }],
    },
    {
      name: 'process_resident_memory_bytes',
      type: 'gauge',
      help: 'Resident memory of this process.',
      samples: [{ value: process.memoryUsage.rss() }],
    },
    {
      name: 'process_start_time_seconds',
      type: 'gauge',
      help: 'Start time of this process, in seconds since the Unix epoch.',
      samples: [{ value: Math.round(performance.timeOrigin) / 1000 }],
    },
  ];
}
