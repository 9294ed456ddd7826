const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** 1 to 12; NaN for what is no month. */
export function monthNamed(name: string): number {
  return MONTHS.indexOf(name) + 1 || NaN;
}
