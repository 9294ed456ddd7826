import type { Context } from '../../../cli/command.ts';
import { ConfigError, UsageError } from '../../../core/errors.ts';
import { readData } from '../../../rabbitmq/data.ts';
import { refusalOf } from '../../../rabbitmq/steps.ts';
import { imageVersion } from '../../../rabbitmq/version.ts';
import type { CheckOptions } from './options.ts';

/**
 * Returns if the RabbitMQ of this image may start on a node's data.
 * @throws ConfigError with both versions and the way
 */
export function checkData(
  { data: base, node, versionFile: record, image }: CheckOptions,
  { log }: Pick<Context, 'log'>,
): void {
  if (node === undefined) throw new UsageError('--node is required: the name of the node, such as rabbit@HOST');
  const to = imageVersion(image);
  const data = readData({ base, node, record });
  if (data === undefined) {
    log.info(`RabbitMQ ${to.text} may start: ${base} has no data of ${node}`);
    return;
  }
  const { version: from, source, flags } = data;
  const refusal = refusalOf({ from, to, flags });
  if (refusal !== undefined)
    throw new ConfigError(`${node} is not started, and its data is unchanged: ${refusal} (${from.text} by ${source})`);
  log.info(`RabbitMQ ${to.text} may start: the data is of ${from.text}, by ${source}`);
}
