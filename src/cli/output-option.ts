import type { Option } from './option.ts';

/** `-o json` beside a form for people, which is the default. */
interface OutputOption<Form extends string> extends Option {
  readonly flag: 'output';
  readonly type: 'choice';
  readonly values: readonly [Form, 'json'];
  readonly default: Form;
}

/**
 * The option that each command has which prints something that a program may want.
 * @param form what is printed without it
 */
export function outputOption<const Form extends string>(
  env: string,
  form: Form,
  help: string = 'output format',
): OutputOption<Form> {
  return {
    flag: 'output',
    short: 'o',
    type: 'choice',
    values: [form, 'json'],
    env,
    default: form,
    help,
    example: 'json',
  };
}
