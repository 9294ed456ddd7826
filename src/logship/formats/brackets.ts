import { many, not, to, type Item } from '../tables/items.ts';

/** Number of brackets of a line in which its time is searched. */
const MAX_BRACKETS = 16;

/** The time in the first brackets that contain one. */
export function inBrackets(time: Item): readonly Item[] {
  return [many(MAX_BRACKETS, to('['), not('[', time, ']'), '['), to('['), '[', time, ']'];
}
