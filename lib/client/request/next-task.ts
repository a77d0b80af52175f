/** Resolves in a task of its own: the browser draws frames and handles input in between. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve);
  });
}
