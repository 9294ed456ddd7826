/** Yields one turn of the event loop, so that a pending signal is handled. For loops that never wait. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
