import { type ClientRequest, type IncomingMessage, request } from 'node:http';

export class OpenedStream {
  readonly #request: ClientRequest;
  #response: IncomingMessage | undefined;
  #text = '';
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
      });
    });
    this.#request.once('error', () => resolve(false)).end();
  }

  /** `undefined` before the answer begins. */
  get status(): number | undefined {
    return this.#response?.statusCode;
  }

  get lines(): readonly { readonly type?: string; readonly rank?: number; readonly running?: number }[] {
    return this.#text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }

  close(): void {
    this.#request.destroy();
  }
}
