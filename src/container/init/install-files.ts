import type { Context } from '../../cli/command.ts';
import type { Values } from '../../cli/option.ts';
import { putInPlace, type InPlace } from '../../config/index.ts';
import { certificateCheckToWrite, configNeeded, configOptions, prepareCertificates } from './files.ts';
import type { OPTIONS } from './options.ts';
import { leaveRunCommand } from './run-command.ts';

/**
 * Installs the files of config.json, the CA certificates next to it, and its command.
 * @returns undefined without a config.json that may be missing
 * @throws as putInPlace()
 */
export async function installFiles(
  options: Values<typeof OPTIONS>,
  context: Pick<Context, 'signal' | 'log' | 'podFile' | 'inherited'>,
): Promise<InPlace | undefined> {
  const { signal, log } = context;
  const needed = options.allowNoConfig ? undefined : configNeeded(options);
  const applied = await putInPlace(
    {
      ...(await configOptions(options, context)),
      mustExist: needed && `${needed}, or give --allow-no-config to wait only`,
      validate: certificateCheckToWrite(options),
    },
    { signal, log },
  );
  prepareCertificates(options, applied?.sources ?? [], { signal, log });
  if (applied !== undefined) leaveRunCommand(options.root, applied.command, log);
  return applied;
}
