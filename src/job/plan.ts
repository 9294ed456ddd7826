import { command } from '../cli/command.ts';
import { ExitCode } from '../core/errors.ts';
import { outputOption } from '../cli/output-option.ts';
import { diffText, jsonOf, PARTS } from '../bootstrap/index.ts';
import { lookAt, partEffects } from './look.ts';
import { JOB_OPTIONS } from './options.ts';
import { withJob } from './job.ts';

/** Shows what kolla-bootstrap would change, and changes nothing. */
export const planCommand = command({
  summary: 'Shows the changes as a diff; changes nothing.',
  description:
    '`+` is made, `~` is there and differs: changed by hand, or by an older run. Exit code 1 when anything is shown. ' +
    "It reads only, but for a token request as each account whose password it knows, and takes no lock; the service's tool is asked to list and to check.",
  operands: [{ name: 'SERVICE', help: 'one of `kolla-pod catalogue`, or of kolla-pod.yaml' }],
  options: [...JOB_OPTIONS, outputOption('KOLLA_BOOTSTRAP_OUTPUT', 'diff')],
  examples: [
    {
      line: 'kolla-bootstrap plan glance --only users --only endpoints --public-url https://api.example.com:9292',
      does: 'what a run would do in Keystone',
    },
    { line: 'kolla-bootstrap plan glance --only users -o json', does: 'of its accounts, as one JSON object' },
  ],
  async run({ operands: [name = ''], options }, context) {
    const { stdout, terminal, signal } = context;
    return await withJob(name, options, context, 'ensure', async (job) => {
      const looks = await lookAt(job, PARTS, partEffects(job, signal));
      const found = looks.flatMap(({ part, changes }) => changes.map((change) => jsonOf(part, change)));
      if (options.output === 'json') stdout(`${JSON.stringify({ service: name, changes: found })}\n`);
      else for (const { changes } of looks) stdout(diffText(changes, terminal));
      return found.length === 0 ? ExitCode.ok : ExitCode.no;
    });
  },
});
