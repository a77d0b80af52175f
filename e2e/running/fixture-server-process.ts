import { type RunningChild, startChild } from './child-process.ts';
import type { FixtureOrder, FixtureReport, ServiceAddress } from './fixture-server.ts';

/** Ends with this process and does not keep it alive. */
class FixtureServer {
  readonly #child: RunningChild;
  readonly #pending = new Map<number, (report: FixtureReport) => void>();
  readonly #logs = new Map<number, string[]>();
  #lastNumber = 0;

  constructor() {
    this.#child = startChild(['--conditions=react-server', 'e2e/running/fixture-server.ts'], {}, [
      'ignore',
      'ignore',
      'pipe',
      'ipc',
    ]);
    const { process } = this.#child;
    process.on('message', (report: FixtureReport) => {
      if (report.kind === 'logged') this.#logOf(report.number).push(report.entry);
      else this.#pending.get(report.number)?.(report);
    });
    process.unref();
    process.channel?.unref();
  }

  /**
   * @returns the order's number, and the address of a started service
   * @throws Error with the problem, or the output
   */
  async obey(order: FixtureOrder): Promise<{ readonly number: number; readonly service?: ServiceAddress }> {
    const { process, exited, stderr } = this.#child;
    const number = ++this.#lastNumber;
    process.channel?.ref();
    try {
      const report = await Promise.race([
        new Promise<FixtureReport>((resolve) => {
          this.#pending.set(number, resolve);
          process.send({ number, order });
        }),
        exited.then((code) => Promise.reject(new Error(`fixture-server.ts ended with ${code}:\n${stderr()}`))),
      ]);
      if (report.kind === 'done') return report;
      throw new Error(report.kind === 'failed' ? report.problem : report.entry);
    } finally {
      this.#pending.delete(number);
      if (this.#pending.size === 0) process.channel?.unref();
    }
  }

  /** @param started number of the order that started it */
  log(started: number): string {
    return this.#logOf(started).join('\n');
  }

  #logOf(number: number): string[] {
    const log = this.#logs.get(number) ?? [];
    this.#logs.set(number, log);
    return log;
  }
}

let running: FixtureServer | undefined;

export function fixtureServer(): FixtureServer {
  running ??= new FixtureServer();
  return running;
}
