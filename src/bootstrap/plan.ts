import { command, type Command } from '../cli/command.ts';
import { ExitCode } from '../cli/errors.ts';
import { jsonOf } from './change.ts';
import { settledPlan } from './converge.ts';
import { diffText } from './diff.ts';
import { BOOTSTRAP_OPTIONS } from './options.ts';
import { withParts } from './with-parts.ts';

/** Shows what kolla-bootstrap would change, and changes nothing. */
export const plan: Command = command({
  summary: 'Shows what would be made or changed, as a diff, and changes nothing.',
  description:
    '`+` is made, `~` is there and differs: changed by hand, or by an older run. Exit code 1 when anything is shown. ' +
    'It reads only, but for a token request as each account whose password it knows.',
  operands: [{ name: 'SERVICE', help: 'one of `kolla-pod catalogue`, or of kolla-pod.yaml' }],
  options: [
    ...BOOTSTRAP_OPTIONS,
    {
      flag: 'output',
      short: 'o',
      type: 'choice',
      values: ['diff', 'json'],
      env: 'KOLLA_BOOTSTRAP_OUTPUT',
      default: 'diff',
      help: 'for people, or for programs',
      example: 'json',
    },
  ],
  examples: [
    { line: 'kolla-bootstrap plan glance --public-url https://api.example.com:9292', does: 'what a run would do' },
    { line: 'kolla-bootstrap plan glance --only users -o json', does: 'of its accounts, as one JSON object' },
  ],
  async run(input, context) {
    const { stdout, terminal } = context;
    return await withParts(input, context, 'ensure', async (parts, effects) => {
      const found: object[] = [];
      for (const part of parts) {
        const changes = await settledPlan(part, effects);
        found.push(...changes.map((change) => jsonOf(part.name, change)));
        if (input.options.output === 'diff') stdout(diffText(changes, terminal));
      }
      if (input.options.output === 'json')
        stdout(`${JSON.stringify({ service: input.operands[0], changes: found })}\n`);
      return found.length === 0 ? ExitCode.ok : ExitCode.no;
    });
  },
});
