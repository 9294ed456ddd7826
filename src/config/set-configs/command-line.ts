/** The result of parsing arguments like argparse: the action, or the output and exit code. */
export type ParsedArguments =
  | { readonly check: boolean }
  | { readonly exitCode: number; readonly stdout?: string; readonly stderr?: string };

const OPTIONS = [
  { flag: '--help', short: '-h' },
  { flag: '--check', short: undefined },
];

/** Kolla's command line: `--check`, `-h`, and their prefixes. Anything else prints usage on stderr and exits with 2. */
export function parseCommandLine(argv: readonly string[]): ParsedArguments {
  const refuse = (why: string) => ({ exitCode: 2, stderr: `${USAGE}kolla_set_configs: error: ${why}\n` });
  const unknown: string[] = [];
  let check = false;
  for (const [i, word] of argv.entries()) {
    if (word === '--') {
      unknown.push(...argv.slice(i));
      break;
    }
    const [name = '', ...value] = word.split('=');
    const option = OPTIONS.find(
      ({ flag, short }) => word === short || (/^--[a-z]/.test(name) && flag.startsWith(name)),
    );
    if (option === undefined) unknown.push(word);
    else if (value.length > 0) return refuse(`argument ${option.flag}: ignored explicit argument '${value.join('=')}'`);
    else if (option.flag === '--help') return { exitCode: 0, stdout: USAGE + HELP };
    else check = true;
  }
  return unknown.length > 0 ? refuse(`unrecognized arguments: ${unknown.join(' ')}`) : { check };
}

const USAGE = 'usage: kolla_set_configs [-h] [--check]\n';
const HELP = `
Installs the files of /var/lib/kolla/config_files/config.yaml or config.json.
The environment variable KOLLA_CONFIG_STRATEGY is COPY_ALWAYS or COPY_ONCE.

options:
  -h, --help  show this help message and exit
  --check     Check whether the configs changed: 0 no, 1 yes
`;
