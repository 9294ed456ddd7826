/**
 * kolla-pod passwords: the passwords of all charts.
 *
 *   FILE, for Helm or of kolla-ansible -> its passwords
 *   names.ts: those that the charts need -> random ones for the missing -> FILE, atomically, mode 0600 (complete.ts)
 *   with --values: global.passwordSecrets -> the Secrets that it names, as YAML on stdout (secrets.ts)
 *
 * 65: FILE or the values are invalid; 69, 77: FILE can't be written. No password is ever in an error or a log line.
 */
import { command } from '../../cli/command.ts';
import { ExitCode, UsageError } from '../../core/errors.ts';
import { yamlText } from '../../core/yaml-text.ts';
import { NAME_RULES } from '../../kube/names.ts';

export const passwords = command({
  summary: 'Creates or completes the passwords of all charts, and prints their Secrets.',
  description:
    "Adds random passwords that the charts need and FILE lacks; existing ones never change. FILE is kolla-ansible's " +
    'passwords.yml, or one for helm --values, which is created if there is none. With --values it prints the Secrets ' +
    'that global.passwordSecrets names, so that Helm needs no password: pipe them to kubectl apply --server-side -f -.',
  operands: [{ name: 'FILE', help: 'file with passwords, created if it does not exist' }],
  options: [
    {
      flag: 'values',
      short: 'f',
      type: 'path',
      repeat: true,
      env: 'KOLLA_POD_PASSWORDS_VALUES',
      help: 'values of the charts; prints the Secrets that they name',
      example: 'globals.yml',
    },
    {
      flag: 'namespace',
      short: 'n',
      type: 'string',
      env: 'KOLLA_POD_PASSWORDS_NAMESPACE',
      help: "namespace of the Secrets (default: kubectl's namespace)",
      example: 'openstack',
    },
  ],
  examples: [
    { line: 'kolla-pod passwords passwords.yml', does: 'a file for helm install --values passwords.yml' },
    {
      line: 'kolla-pod passwords /etc/kolla/passwords.yml --values globals.yml | kubectl apply -n openstack --server-side -f -',
      does: "kolla-ansible's passwords, as Secrets",
    },
  ],
  async run({ operands: [file = ''], options: { values, namespace } }, { log, stdout }) {
    // Imported lazily: the other commands read no YAML.
    const [{ completePasswords }, { readValues }, { secretsOf }] = await Promise.all([
      import('./complete.ts'),
      import('../helm/helm-values.ts'),
      import('./secrets.ts'),
    ]);
    if (namespace !== undefined && !NAME_RULES.label.is.test(namespace))
      throw new UsageError(`passwords: --namespace: '${namespace}' is no name of a namespace`);
    const given = await readValues(values);
    const { all, added } = await completePasswords(file);
    log.info(`${file}: ${added.length === 0 ? 'unchanged' : `${added.length} passwords added`}`);
    if (values.length > 0)
      stdout(
        secretsOf(all, given, file, namespace)
          .map((secret) => `---\n${yamlText(secret, () => undefined)}`)
          .join(''),
      );
    return ExitCode.ok;
  },
});
