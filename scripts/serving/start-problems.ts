/** Ends the process because it cannot start, with each problem in a line of its own. */
export function cannotStart(problems: readonly string[]): never {
  process.stderr.write(`Lookout cannot start:\n${problems.map((problem) => `  ${problem}\n`).join('')}`);
  process.exit(1);
}

/** The message of an error that stops the start. */
export function startProblem(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // Problems of settings come as one message, for whoever starts the app in another way.
  return message.replace(/^Lookout cannot start:\n {2}/, '');
}
