import { KollaError } from '../../core/errors.ts';

/** What kolla-ansible and its users know these failures as; the first word of the log line. */
export type FailureName =
  | 'InvalidConfig'
  | 'MissingRequiredSource'
  | 'ConfigFileBadState'
  | 'ConfigFileCommandDiffers'
  | 'StateMismatch'
  | 'ImmutableConfig'
  | 'Unexpected error';

/** An end that Kolla has a name for: 1, or 0 for what was configured once. Everything that it has no name for is 2. */
export class SetConfigsError extends KollaError {
  override name = 'SetConfigsError';
  readonly failure: FailureName;

  constructor(failure: FailureName, message: string, options?: ErrorOptions) {
    super(failure === 'Unexpected error' ? 2 : failure === 'ImmutableConfig' ? 0 : 1, message, options);
    this.failure = failure;
  }
}

/** What Python would stop at with a traceback: exit 2. */
export function unexpected(message: string, options?: ErrorOptions): SetConfigsError {
  return new SetConfigsError('Unexpected error', message, options);
}
