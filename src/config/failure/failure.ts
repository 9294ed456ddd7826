import { KollaError } from '../../core/errors.ts';

/** Kolla's names of failures, the first word of the log line. kolla-ansible and its users know them. */
export type FailureName =
  | 'InvalidConfig'
  | 'MissingRequiredSource'
  | 'ConfigFileBadState'
  | 'ConfigFileCommandDiffers'
  | 'StateMismatch'
  | 'ImmutableConfig'
  | 'Unexpected error';

/**
 * A failure with a name in Kolla: exit code 1, or 0 for a container that is already configured. Other failures exit
 * with 2.
 */
export class SetConfigsError extends KollaError {
  override name = 'SetConfigsError';
  readonly failure: FailureName;

  constructor(failure: FailureName, message: string, options?: ErrorOptions) {
    super(failure === 'Unexpected error' ? 2 : failure === 'ImmutableConfig' ? 0 : 1, message, options);
    this.failure = failure;
  }
}

/** A failure for which Kolla's tool would print a Python traceback: exit code 2. */
export function unexpected(message: string, options?: ErrorOptions): SetConfigsError {
  return new SetConfigsError('Unexpected error', message, options);
}
