import { isCredential } from '../../config/credential.ts';
import { redactor, type Redact } from '../../platform/redact.ts';

/** A shorter value would be found in words that mean nothing. */
const SHORTEST_SECRET = 4;

/** Hides in a command's output what the environment holds under a secret's name, users in URLs, and `password = value`. */
export function outputRedactor(env: NodeJS.ProcessEnv): Redact {
  const secrets = Object.entries(env).flatMap(([name, value = '']) =>
    isCredential(name) && value.length >= SHORTEST_SECRET ? [value] : [],
  );
  const known = redactor(secrets);
  return (line) =>
    known(line)
      .replaceAll(/:\/\/[^\s/@]*@/g, '://***@')
      .replaceAll(/([\w.-]+)(["']?\s*[=:]\s*)(\S+)/g, (all, name: string, between: string) =>
        isCredential(name) ? `${name}${between}***` : all,
      );
}
