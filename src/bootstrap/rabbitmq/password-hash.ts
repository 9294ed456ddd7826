import { createHash } from 'node:crypto';

const SALT_BYTES = 4;
const ALGORITHMS: Readonly<Record<string, string>> = {
  rabbit_password_hashing_sha256: 'sha256',
  rabbit_password_hashing_sha512: 'sha512',
  rabbit_password_hashing_md5: 'md5',
};

/**
 * Whether a password is the one that RabbitMQ keeps for a user: its hash is the salt and the digest of salt and password,
 * in base64 (RabbitMQ's own format). It is what a login compares, without a failed one in the broker's log.
 * @returns undefined where the hash is of a kind that we do not know
 */
export function isPassword(password: string, hash: string, algorithm: string): boolean | undefined {
  const name = ALGORITHMS[algorithm];
  if (name === undefined) return undefined;
  const bytes = Buffer.from(hash, 'base64');
  const [salt, digest] = [bytes.subarray(0, SALT_BYTES), bytes.subarray(SALT_BYTES)];
  return createHash(name).update(salt).update(password, 'utf8').digest().equals(digest);
}
