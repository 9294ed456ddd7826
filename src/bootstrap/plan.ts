import { command } from '../cli/command.ts';
import { ExitCode } from '../core/errors.ts';
import { outputOption } from '../cli/output-option.ts';
import { diffText, jsonOf, PARTS } from '../provision/index.ts';
import { lookAt, partEffects } from './look.ts';
import { JOB_OPTIONS } from './options.ts';
import { withJob } from './job.ts';

/** Shows what kolla-bootstrap would change, without changing anything. */
export const planCommand = command({
  summary: 'Shows the changes as a diff; changes nothing.',
  description:
    '`+` marks an object to create, `~` an object that differs because it was changed manually or by an older run. Exits with 1 ' +
    'if there are changes. Read-only, except for a token request as each account with a known password; ' +
    "takes no lock. Runs the list and check commands of the service's tool.",
  operands: [{ name: 'SERVICE', help: 'a service from `kolla-pod catalogue` or kolla-pod.yaml' }],
  options: [...JOB_OPTIONS, outputOption('KOLLA_BOOTSTRAP_OUTPUT', 'diff')],
  examples: [
    {
      line: 'kolla-bootstrap plan glance --only users --only endpoints --public-url https://api.example.com:9292',
      does: 'the changes that a run would make in Keystone',
    },
    {
      line: 'kolla-bootstrap plan glance --only users -o json',
      does: "for the service's accounts, as one JSON object",
    },
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
