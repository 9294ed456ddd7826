/** Deterministic pseudo-random choices: the same seed and number give the same case on every machine. */
export interface Random {
  /** A number from 0 up to, but not including, `below`. */
  int(below: number): number;
  chance(probability: number): boolean;
  pick<T>(choices: readonly T[]): T;
  /** Selects each item with that probability. The order is kept. */
  some<T>(choices: readonly T[], probability: number): T[];
}

/** mulberry32, seeded with both numbers. */
export function randomOf(seed: number, number: number): Random {
  let state = (Math.imul(seed, 0x9e37_79b1) ^ Math.imul(number + 1, 0x85eb_ca6b)) >>> 0;
  const next = () => {
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number) => Math.floor(next() * below);
  const chance = (probability: number) => next() < probability;
  return {
    int,
    chance,
    pick: (choices) => choices[int(choices.length)]!,
    some: (choices, probability) => choices.filter(() => chance(probability)),
  };
}
