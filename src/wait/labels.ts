/**
 * Whether an object's labels satisfy all requirements, as a label selector of the API would: `app=x`, `app!=x`, `app`,
 * `!app`.
 */
export function matches(
  requirements: readonly string[],
  labels: Readonly<Record<string, string>> | null | undefined,
): boolean {
  return requirements.every((requirement) => {
    const [, not = '', key = '', unequal, value] = /^(!?)([^=!]+)(?:(!?)=(.*))?$/.exec(requirement) ?? [];
    const found = labels && Object.hasOwn(labels, key) ? labels[key] : undefined;
    if (value === undefined) return (found !== undefined) === (not === '');
    return (found === value) === (unequal === '');
  });
}
