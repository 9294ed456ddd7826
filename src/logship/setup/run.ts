import type { Context, Input } from '../../cli/command.ts';
import { ExitCode } from '../../core/errors.ts';
import { proxyEnvOf } from '../sink/proxy-env.ts';
import { connect } from './api.ts';
import { checkTemplate, checkWinner } from './check.ts';
import type { SETUP_OPTIONS } from './options.ts';
import { apply, plan } from './plan.ts';
import { savedObjects } from './saved-objects/index.ts';
import { setupSettings } from './settings.ts';
import { reportOf } from './show.ts';
import { wantedResources } from './wanted.ts';

type SetupInput = Pick<Input<typeof SETUP_OPTIONS>, 'options'>;

/** Sets up each server of the options, or prints saved objects. */
export async function runSetup({ options }: SetupInput, context: Context): Promise<ExitCode> {
  const { stdout, signal, terminal, log, inherited } = context;
  if (options.savedObjects !== undefined) {
    stdout(savedObjects(options.savedObjects, options));
    return ExitCode.ok;
  }
  for (const { server, settings } of setupSettings(options)) {
    using api = connect(server, { log, proxyEnv: proxyEnvOf(inherited), timeoutMs: options.timeout, signal });
    const steps = await plan(api, wantedResources(settings), { force: options.force });
    await checkTemplate(api, settings, steps);
    if (!options.dryRun) {
      await apply(api, steps);
      await checkWinner(api, settings);
    }
    stdout(await reportOf(steps, { server: api.name, form: options.output, dryRun: options.dryRun, terminal }));
    if (!options.dryRun && steps.some(({ action }) => action !== 'unchanged'))
      log.info(`${api.name}: it counts for new indices; those that are there keep their mappings`);
  }
  return ExitCode.ok;
}
