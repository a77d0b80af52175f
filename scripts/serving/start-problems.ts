/** Ends the process because it cannot start, with each problem in a line of its own. */
export function cannotStart(problems: readonly string[]): never {
  process.stderr.write(`Lookout cannot start:\n${problems.map((problem) => `  ${problem}\n`).join('')}`);
  process.exit(1);
}

/** The message of an error that stops the start. */
export function startProblem(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // Problems of settings are one message with this first line, because the app may be started in another way.
  return message.replace(/^Lookout cannot start:\n {2}/, '');
}
