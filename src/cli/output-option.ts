import type { Option } from './option.ts';

/** `-o json` as an alternative to the human-readable output, which is the default. */
interface OutputOption<Form extends string> extends Option {
  readonly flag: 'output';
  readonly type: 'choice';
  readonly values: readonly [Form, 'json'];
  readonly default: Form;
}

/**
 * The output option of commands whose output a program may parse.
 * @param form the default form
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
