/**
 * An IPv6 address in RFC 5952 form: the first longest run of at least two zero groups becomes `::`.
 * @param groups eight groups, in hexadecimal digits without leading zeros
 */
export function shortened(groups: readonly string[]): string {
  const text = groups.join(':');
  const runs = text.match(/\b0(?::0)+\b/g) ?? [];
  const longest = runs.toSorted((a, b) => b.length - a.length)[0];
  return longest === undefined ? text : text.replace(new RegExp(`(^|:)${longest}(:|$)`), '::');
}
