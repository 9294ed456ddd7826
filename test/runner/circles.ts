/**
 * Import cycles, type imports included: lint sees only run-time imports, but a reader of one file in a cycle has to
 * read them all.
 *
 * @param files where to look; imports of other files are ignored
 * @param imports returns a file's imports
 * @returns the files of each cycle in order, and the cycles by their first file
 */
export function circlesOf(files: readonly string[], imports: (file: string) => readonly string[]): string[][] {
  const all = new Set(files);
  const next = new Map(files.map((file) => [file, imports(file).filter((name) => all.has(name))]));
  const reached = new Map(files.map((file) => [file, beyond(file, next)]));
  const circles = files
    .filter((file) => reached.get(file)?.has(file))
    .map((file) => files.filter((other) => reached.get(file)?.has(other) && reached.get(other)?.has(file)).toSorted());
  const [byFirst, first] = [new Map<string, string[]>(), (circle: string[]) => circle[0] ?? ''];
  for (const circle of circles) byFirst.set(first(circle), circle);
  return [...byFirst.values()].toSorted((a, b) => first(a).localeCompare(first(b)));
}

/** Transitive dependencies of a file, including itself only if it is part of a cycle. */
function beyond(file: string, next: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set(next.get(file));
  for (const each of reached) for (const imported of next.get(each) ?? []) reached.add(imported);
  return reached;
}
