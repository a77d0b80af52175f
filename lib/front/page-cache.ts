import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';

const KEPT_MAX = 32;

interface CachedPage {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  /** The page, split at its nonces. */
  readonly parts: readonly string[];
}

const OWN_HEADERS: ReadonlySet<string> = new Set(['connection', 'content-length', 'date', 'etag', 'transfer-encoding']);

export interface PageState {
  readonly key: string;
  /** The target for Next. Nothing else of the viewer's request may affect the page. */
  readonly target: string;
}

/** Answers differ only in the nonce, and cost a hundredth of a rendering. */
export class PageCache {
  readonly #kept = new LRUCache<string, CachedPage>({ max: KEPT_MAX });

  send(key: string, response: ServerResponse, nonce: string): boolean {
    const page = this.#kept.get(key);
    if (!page) return false;
    const body = Buffer.from(page.parts.join(nonce));
    response.writeHead(page.status, { ...page.headers, 'content-length': body.byteLength });
    response.end(body);
    return true;
  }

  /** @param isStill whether the state is unchanged when the page is complete */
  keepNext(
    { key, target }: PageState,
    request: IncomingMessage,
    response: ServerResponse,
    nonce: string,
    isStill: () => Promise<boolean>,
  ): void {
    request.url = target;
    // The nonce has to be found in plain text.
    delete request.headers['accept-encoding'];
    const isWhole = request.method === 'GET';
    const before = new Set(response.getHeaderNames());
    const chunks: Buffer[] = [];
    const keep = (chunk: unknown) => {
      if (typeof chunk === 'string') chunks.push(Buffer.from(chunk));
      else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
    };
    const { write, end } = response;
    response.write = ((...sent: Parameters<typeof write>) => {
      keep(sent[0]);
      return write.apply(response, sent);
    }) as typeof write;
    response.end = ((...sent: Parameters<typeof end>) => {
      keep(sent[0]);
      response.write = write;
      response.end = end;
      const parts = Buffer.concat(chunks).toString('utf8').split(nonce);
      const headers = Object.fromEntries(
        Object.entries(response.getHeaders()).filter(([name]) => !before.has(name) && !OWN_HEADERS.has(name)),
      );
      const isPage = response.statusCode === 200 || response.statusCode === 404;
      const isSafe =
        isWhole && isPage && headers['set-cookie'] === undefined && !JSON.stringify(headers).includes(nonce);
      if (isSafe && !response.destroyed) {
        const page = { status: response.statusCode, headers, parts };
        void isStill().then(
          (still) => still && this.#kept.set(key, page),
          () => undefined,
        );
      }
      return end.apply(response, sent);
    }) as typeof end;
  }
}
