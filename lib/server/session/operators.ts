import 'server-only';
import { statSync } from 'node:fs';
import type { Logger } from 'pino';
import { readOperatorsFile } from './operators-file.ts';

/** The operators who may sign in, from a file that is reread when it changes. */
export class Operators {
  readonly #file: string;
  readonly #log: Logger;
  #read: { hashes: ReadonlyMap<string, string>; mtimeMs: number; size: number };

  /** @throws Error where the file cannot be used, so that Lookout does not start with a broken file */
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

  /** A file that breaks later is ignored until it is repaired: nobody gains or loses access by accident. */
  #refresh(): void {
    try {
      const { mtimeMs, size } = statSync(this.#file);
      if (mtimeMs !== this.#read.mtimeMs || size !== this.#read.size) this.#read = this.#load();
    } catch (error) {
      this.#log.error(
        { err: error },
        'the file of operators cannot be read; the last valid one stays in use until it is repaired',
      );
    }
  }

  #load() {
    const { mtimeMs, size } = statSync(this.#file);
    const { operators } = readOperatorsFile(this.#file);
    return { hashes: new Map(operators.map(({ name, password }) => [name, password])), mtimeMs, size };
  }
}
