import 'server-only';
import { statSync } from 'node:fs';
import type { Logger } from 'pino';
import { readOperatorsFile } from './operators-file.ts';

/** Who may sign in: the file of operators, read again when it changes. */
export class Operators {
  readonly #file: string;
  readonly #log: Logger;
  #read: { hashes: ReadonlyMap<string, string>; mtimeMs: number; size: number };

  /** @throws Error where the file cannot be used, so that a start with a broken file is refused */
  constructor(file: string, log: Logger) {
    this.#file = file;
    this.#log = log;
    this.#read = this.#load();
  }

  /** The operator's password hash in PHC form; `undefined` for a name that is not in the file. */
  passwordHash(name: string): string | undefined {
    this.#refresh();
    return this.#read.hashes.get(name);
  }

  /** A file that is broken later on changes nothing until it is mended: nobody gains or loses access by an accident. */
  #refresh(): void {
    try {
      const { mtimeMs, size } = statSync(this.#file);
      if (mtimeMs !== this.#read.mtimeMs || size !== this.#read.size) this.#read = this.#load();
    } catch (error) {
      this.#log.error({ err: error }, 'the file of operators cannot be read; the last readable one stands');
    }
  }

  #load() {
    const { mtimeMs, size } = statSync(this.#file);
    const { operators } = readOperatorsFile(this.#file);
    return { hashes: new Map(operators.map(({ name, password }) => [name, password])), mtimeMs, size };
  }
}
