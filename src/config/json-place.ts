/**
 * Where a text stops being JSON: `look at line 2, column 13`. V8 says it only for some mistakes, and quotes the text
 * around the others, which may be a password. So it is searched: the longest beginning that more text could still mend.
 */
export function placeOfMistake(text: string): string {
  let [mendable, broken] = [0, text.length + 1];
  while (broken - mendable > 1) {
    const middle = (mendable + broken) >> 1;
    if (couldGoOn(text.slice(0, middle))) mendable = middle;
    else broken = middle;
  }
  if (mendable === text.length) return 'it ends too early';
  const before = text.slice(0, mendable).split('\n');
  return `look at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

function couldGoOn(beginning: string): boolean {
  try {
    JSON.parse(beginning);
    return true;
  } catch (error) {
    const { message } = error as SyntaxError;
    const position = /at position (\d+)/.exec(message)?.[1];
    return message.startsWith('Unexpected end') || Number(position) === beginning.length;
  }
}
