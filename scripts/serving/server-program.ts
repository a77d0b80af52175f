export type ListenSettings =
  | { readonly ok: true; readonly host: string; readonly port: number; readonly address: string }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Without settings, 127.0.0.1:3000. */
export function listenSettings(environment: NodeJS.ProcessEnv): ListenSettings {
  const host = environment.HOST?.trim() || '127.0.0.1';
  const portText = environment.PORT?.trim() || '3000';
  const port = Number(portText);
  if (!/^\d+$/.test(portText) || port > 65_535) {
    return { ok: false, problems: [`PORT is ${JSON.stringify(portText)}: write a port number from 0 to 65535`] };
  }
  return { ok: true, host, port, address: `http://${host.includes(':') ? `[${host}]` : host}:${port}` };
}

export function cannotStart(problems: readonly string[]): never {
  process.stderr.write(`Lookout cannot start:\n${problems.map((problem) => `  ${problem}\n`).join('')}`);
  process.exit(1);
}

export function startProblem(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/^Lookout cannot start:\n {2}/, '');
}

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
