/** The valid word that is closest to this one; undefined if none is close. */
export function nearest(word: string, valid: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of valid) {
    const distance = candidate.startsWith(word) && word.length >= 2 ? 1 : editDistance(word, candidate);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** The suffix `; did you mean 'X'?`, or ''. */
export function didYouMean(word: string, valid: Iterable<string>): string {
  const near = nearest(word, valid);
  return near === undefined ? '' : `; did you mean '${near}'?`;
}

/** The suffix `; did you mean 'X'?` or, if no word is close, `; try A, B, C`. */
export function suggestion(word: string, valid: readonly string[]): string {
  return didYouMean(word, valid) || (valid.length === 0 ? '' : `; try ${valid.join(', ')}`);
}

/** Joins problems into a text to which another sentence can be appended: a suggestion ends with its own punctuation. */
export function sentence(problems: readonly string[]): string {
  const text = problems.join('; ');
  return text.endsWith('?') ? text : `${text}.`;
}

/** Levenshtein distance; a transposition counts as one. */
function editDistance(a: string, b: string): number {
  let [before, previous] = [[] as number[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      current[j] = Math.min(previous[j]! + 1, current[j - 1]! + 1, previous[j - 1]! + cost);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) current[j] = Math.min(current[j]!, before[j - 2]! + 1);
    }
    [before, previous] = [previous, current];
  }
  return previous[b.length]!;
}
