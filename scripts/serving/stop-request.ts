/** One request may be several signals: to the group, from npm, and from the process that installed packages. */
const SAME_REQUEST_MS = 1000;
const signals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/**
 * On a signal, or without the parent process: exits with 0 after `stop`, at once at a second signal.
 * @param stop takes a bounded time
 */
export function endOnRequest(stop: () => Promise<void>): void {
  let firstMs: number | undefined;
  const request = (exitCode: number) => {
    const nowMs = performance.now();
    if (firstMs === undefined) {
      firstMs = nowMs;
      stop().then(
        () => process.exit(0),
        (error: unknown) => {
          process.stderr.write(`Lookout did not stop cleanly: ${String(error)}\n`);
          process.exit(1);
        },
      );
    } else if (nowMs - firstMs > SAME_REQUEST_MS) {
      process.exit(exitCode);
    }
  };
  for (const [signal, number] of Object.entries(signals)) process.on(signal, () => request(128 + number));
  process.once('disconnect', () => firstMs === undefined && request(1));
}
