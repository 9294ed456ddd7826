import { command, type Helper } from '../../cli/command.ts';
import { copyCaCertificates } from './certificates.ts';
import { runUpdate } from './update.ts';

const main = command({
  summary: "Adds the deployment's CA certificates to the image's CA bundle.",
  description:
    'Files of /var/lib/kolla/config_files/ca-certificates (or of /var/lib/kolla/share/ca-certificates, where config.json names ' +
    'it) become kolla-customca-NAME in the store of Debian or of Red Hat; those that are gone from there are taken away. Then the ' +
    "image's update-ca-certificates or update-ca-trust runs, whose exit code is ours. Does nothing where there is nothing to do. " +
    'Called through sudo it takes no option but these, and nothing from the environment.',
  operands: [],
  options: [],
  examples: [
    { line: 'kolla_copy_cacerts', does: 'as root in a Kolla image; kolla_start does it as well' },
    { line: 'kolla_copy_cacerts --log-level debug', does: 'and says more' },
  ],
  async run(_, { signal, log, inherited }) {
    const update = (name: string) => runUpdate(name, { env: inherited, signal, log });
    return await copyCaCertificates({ root: '/', update, umask: process.umask(), signal, log });
  },
});

export const copyCacerts: Helper = {
  name: 'kolla_copy_cacerts',
  summary: "Adds the deployment's CA certificates to the image's CA bundle.",
  main,
  commands: {},
  // A step of a container whose final message is the service's; and as root no path is taken from an option.
  isGuest: true,
};
