import { type ClientRequest, type IncomingMessage, request } from 'node:http';

/** An answer that is read, or left unread, as it comes; on a connection of its own. */
export class OpenedStream {
  readonly #request: ClientRequest;
  #response: IncomingMessage | undefined;
  #text = '';
  /** Resolves with whether the answer was whole when it has ended. */
  readonly ended: Promise<boolean>;

  /** @param isRead if false, nothing of the body is taken from the connection */
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

  /** The complete JSON lines received so far. */
  get lines(): readonly { readonly type?: string; readonly rank?: number; readonly running?: number }[] {
    return this.#text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }

  /** Breaks the connection, as a closed page does. */
  close(): void {
    this.#request.destroy();
  }
}
