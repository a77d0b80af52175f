import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('./watch-until-killed.fixture.ts', import.meta.url));

export class Watcher {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #ended: Promise<unknown>;
  #output = '';
  #errors = '';

  private constructor(args: readonly (string | number)[], file: string) {
    const child = spawn(process.execPath, ['--conditions=react-server', file, ...args.map(String)], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#ended = once(child, 'exit');
    child.stdout.on('data', (text: Buffer) => (this.#output += text.toString()));
    child.stderr.on('data', (text: Buffer) => (this.#errors += text.toString()));
  }

  /** @param args of the file @param file which speaks as watch-until-killed.fixture.ts does */
  static async ready(args: readonly (string | number)[], file = FILE): Promise<Watcher> {
    const watcher = new Watcher(args, file);
    await watcher.#line();
    return watcher;
  }

  get lastStep(): number | undefined {
    const steps = this.#output.slice(0, this.#output.lastIndexOf('\n')).split('\n').slice(1);
    const last = steps.at(-1);
    return last === undefined ? undefined : Number(last);
  }

  async start(firstStep: number, lastStep: number): Promise<void> {
    this.#child.stdin.write(`${firstStep} ${lastStep}\n`);
    await this.#line();
  }

  async #line(): Promise<void> {
    await Promise.race([once(this.#child.stdout, 'data'), this.#ended]);
  }

  async during(ms: number): Promise<void> {
    await Promise.race([delay(ms), this.#ended]);
  }

  /** @throws Error if it ended before */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
    this.#check(this.#child.signalCode === 'SIGKILL');
  }

  async end(): Promise<void> {
    await this.#ended;
    this.#check(this.#child.exitCode === 0);
  }

  #check(isAsWanted: boolean): void {
    if (!isAsWanted) throw new Error(`the watcher ended by itself: ${this.#errors}`);
  }
}
