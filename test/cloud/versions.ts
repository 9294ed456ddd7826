import { helm } from '../../tools/helm.ts';
import { ELASTICSEARCH_8 } from '../cluster/elasticsearch-distribution.ts';
import type { Stage } from './stage.ts';

/** What the Pods of a cloud are asked for, by server: a container and its command. */
const ASKED: Readonly<Record<string, readonly string[]>> = {
  MariaDB: ['mariadb-0', '--container=mariadb', '--', 'mariadbd', '--version'],
  RabbitMQ: ['rabbitmq-0', '--container=rabbitmq', '--', 'rabbitmqctl', 'version'],
};

/** The versions of a cloud's servers, and of Helm, as they report them: `10.11.14`. */
export async function serverVersions({ kubectl, directory }: Stage): Promise<Readonly<Record<string, string>>> {
  const said: Record<string, string> = { Elasticsearch: ELASTICSEARCH_8 };
  for (const [name, command] of Object.entries(ASKED)) said[name] = await kubectl(['exec', ...command]);
  said['Helm'] = (await helm(directory, ['version', '--short'])).stdout;
  return Object.fromEntries(
    Object.entries(said).map(([name, text]) => {
      const [version] = /\d+\.\d+\.\d+/.exec(text) ?? [];
      if (version === undefined) throw new Error(`${name} reports no version, but ${text}`);
      return [name, version];
    }),
  );
}
