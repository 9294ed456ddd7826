/** Whether `path` is `directory` or lies in it, by their names alone: both without `..` and without a slash at their ends. */
export function isWithin(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);
}
