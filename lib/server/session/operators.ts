import 'server-only';
import { statSync } from 'node:fs';
import type { Logger } from 'pino';
import { changeOperatorsFile, FileNotWritable, type OperatorEntry, readOperatorsFile } from './operators-file.ts';

/** The operators of the file, which is reread when it changes. */
export class Operators {
  readonly #file: string | undefined;
  readonly #log: Logger;
  #read: { byName: ReadonlyMap<string, OperatorEntry>; stamp: string };
  /** What was logged of the file as it is now. Every request looks at the file; its problem is logged once. */
  #problem: string | undefined;

  /**
   * @param file `undefined` where everybody signs in at a provider
   * @throws Error where the file cannot be used, so that Lookout does not start with a broken file
   */
  constructor(file: string | undefined, log: Logger) {
    this.#file = file;
    this.#log = log;
    this.#read = file === undefined ? { byName: new Map(), stamp: '' } : this.#load(file);
  }

  /** `undefined` for a name that is not in the file. */
  find(name: string): OperatorEntry | undefined {
    this.#refresh();
    return this.#read.byName.get(name);
  }

  /** Whether there is a file at all; without one everybody signs in at a provider. */
  get hasFile(): boolean {
    return this.#file !== undefined;
  }

  all(): readonly OperatorEntry[] {
    this.#refresh();
    return [...this.#read.byName.values()];
  }

  /**
   * Writes the file; it takes effect at once.
   * @throws FileNotWritable where it cannot be written; Error where it is damaged, or what `change` throws
   */
  change(change: (operators: readonly OperatorEntry[]) => OperatorEntry[]): void {
    if (this.#file === undefined)
      throw new FileNotWritable('The file of operators', new Error('OPERATORS_FILE is not set'));
    changeOperatorsFile(this.#file, change);
    this.#read = this.#load(this.#file);
  }

  /** A file that breaks later is ignored until it is repaired: nobody gains or loses access by accident. */
  #refresh(): void {
    if (this.#file === undefined) return;
    try {
      if (stampOf(this.#file) !== this.#read.stamp) this.#read = this.#load(this.#file);
      if (this.#problem !== undefined) this.#log.info('the file of operators can be read again');
      this.#problem = undefined;
    } catch (error) {
      const problem = String(error);
      if (problem === this.#problem) return;
      this.#problem = problem;
      this.#log.error(
        { err: error },
        'the file of operators cannot be read; the last valid one stays in use until it is repaired',
      );
    }
  }

  #load(file: string) {
    const stamp = stampOf(file);
    const { operators } = readOperatorsFile(file);
    return { byName: new Map(operators.map((operator) => [operator.name, operator])), stamp };
  }
}

/** Another one after each change, however soon after the last: a file that is replaced is a new one. */
function stampOf(file: string): string {
  const { mtimeMs, size, ino } = statSync(file);
  return `${mtimeMs} ${size} ${ino}`;
}
