import { command, type Context, type Helper } from '../../cli/command.ts';
import type { ExitCode } from '../../core/errors.ts';
import { copyCaCertificates } from './certificates.ts';
import { runUpdate } from './update.ts';

const main = command({
  summary: "Adds the deployment's CA certificates to the image's CA bundle.",
  description:
    'Copies files of /var/lib/kolla/config_files/ca-certificates (or of ' +
    '/var/lib/kolla/share/ca-certificates, if config.json lists it) to the CA store of Debian or Red Hat as ' +
    'kolla-customca-NAME, and removes those that no longer exist. Then updates the CA bundle: by ' +
    'update-ca-trust on Red Hat; on Debian directly, or by update-ca-certificates if the image has hooks or an ' +
    "unusual store. Exits with that program's code, or 0. Does nothing if the deployment has no CA certificates " +
    'and none are left from before. Run through sudo, it accepts no options and reads no environment variables.',
  operands: [],
  options: [],
  examples: [
    { line: 'kolla_copy_cacerts', does: 'as root in a Kolla image; kolla_start does the same' },
    { line: 'kolla_copy_cacerts --log-level debug', does: 'with more log output' },
  ],
  run: (_, context) => copyCertificates(context),
});

/** The command's work, in this process. */
export async function copyCertificates({ signal, log, inherited }: Context): Promise<ExitCode> {
  const update = (name: string) => runUpdate(name, { env: inherited, signal, log });
  return await copyCaCertificates({ root: '/', update, umask: process.umask(), signal, log });
}

export const copyCacerts: Helper = {
  name: 'kolla_copy_cacerts',
  summary: "Adds the deployment's CA certificates to the image's CA bundle.",
  main,
  commands: {},
  // Runs in the service's container, whose termination log belongs to the service. Runs as root through sudo, so no
  // option may name a path to write to.
  isGuest: true,
};
