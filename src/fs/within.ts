/** Whether `path` is `directory` or below it, by name only: both without `..` and trailing slashes. */
export function isWithin(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);
}
