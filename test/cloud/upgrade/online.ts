import type { Stage } from '../stage.ts';

/** What a tool says about one of its online migrations. */
export interface OnlineMigration {
  readonly service: string;
  readonly name: string;
  /** Rows. */
  readonly needed: number;
  readonly completed: number;
}

const COMPONENT = 'app.kubernetes.io/component=db-online';
/** A row of the table that ends `online_data_migrations`; a tool without migrations prints none. */
const ROW = /\|\s*(\w+)\s*\|\s*(\d+)\s*\|\s*(\d+)\s*\|/g;

/** Rows by service and migration, from the logs of the upgrade's Jobs. */
export async function onlineMigrations(stage: Stage, release: string): Promise<OnlineMigration[]> {
  const { items } = JSON.parse(await stage.kubectl(['get', 'pods', `--selector=${COMPONENT}`, '--output=json'])) as {
    items: { metadata: { name: string; labels: Record<string, string> } }[];
  };
  const all: OnlineMigration[] = [];
  for (const { metadata } of items) {
    if (metadata.labels['app.kubernetes.io/version'] !== release) continue;
    const text = await stage.kubectl(['logs', metadata.name, '--all-containers']);
    const service = metadata.labels['app.kubernetes.io/instance'] ?? '';
    for (const [, name = '', needed, completed] of text.matchAll(ROW))
      all.push({ service, name, needed: Number(needed), completed: Number(completed) });
  }
  return all.toSorted((a, b) => (a.service + a.name < b.service + b.name ? -1 : 1));
}
