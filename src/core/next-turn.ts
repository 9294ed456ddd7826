/** Lets the event loop turn once: a signal that is already here is seen. Between steps that wait for nothing. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
