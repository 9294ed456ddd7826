/** Whether `path` is `folder` or lies in it, by their names alone: both without `..` and without a slash at their ends. */
export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}
