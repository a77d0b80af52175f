import { type ClientRequest, type IncomingMessage, request } from 'node:http';

interface Line {
  readonly type?: string;
  readonly rank?: number;
  readonly running?: number;
}

export class OpenedStream {
  readonly #request: ClientRequest;
  #response: IncomingMessage | undefined;
  #text = '';
  readonly #waiting = new Set<() => void>();
  /** Whether the answer was whole. */
  readonly ended: Promise<boolean>;

  /** @param isRead false takes nothing of the body */
  constructor(url: string, cookie: string, isRead = true) {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.ended = promise;
    this.#request = request(url, { agent: false, headers: { cookie } }, (response) => {
      this.#response = response;
      response.setEncoding('utf8').on('error', () => undefined);
      response.once('close', () => resolve(response.complete));
      if (!isRead) return;
      response.on('data', (chunk: string) => {
        this.#text += chunk;
        for (const check of this.#waiting) check();
      });
    });
    this.#request.once('error', () => resolve(false)).end();
  }

  /** `undefined` before the answer begins. */
  get status(): number | undefined {
    return this.#response?.statusCode;
  }

  get lines(): readonly Line[] {
    return this.#text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }

  /** Resolves once the last line is as wanted, however long that takes. */
  last(isWanted: (line: Line) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        const line = this.lines.at(-1);
        if (line === undefined || !isWanted(line)) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
  }

  close(): void {
    this.#request.destroy();
  }
}
