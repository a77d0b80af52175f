export function cannotStart(problems: readonly string[]): never {
  process.stderr.write(`Lookout cannot start:\n${problems.map((problem) => `  ${problem}\n`).join('')}`);
  process.exit(1);
}

export function startProblem(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/^Lookout cannot start:\n {2}/, '');
}
