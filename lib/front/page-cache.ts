import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';

/** More than the states of the sign-in page that a server has within a day. */
const KEPT_MAX = 32;

interface CachedPage {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  /** The text between the places of the nonce. */
  readonly parts: readonly string[];
}

/** Headers of one answer, not of the page. */
const OWN_HEADERS: ReadonlySet<string> = new Set(['connection', 'content-length', 'date', 'etag', 'transfer-encoding']);

/** A page to answer with. */
export interface PageState {
  /** Two requests of one state get the same page. */
  readonly key: string;
  /** The request to Next. Nothing else of the viewer's request may affect the page. */
  readonly target: string;
}

/**
 * Pages that are the same for everyone in one state. Next renders each once; later answers differ only in the nonce, and cost a hundredth of
 * a rendering.
 */
export class PageCache {
  readonly #kept = new LRUCache<string, CachedPage>({ max: KEPT_MAX });

  /** @returns whether the page was kept: then it is sent */
  send(key: string, response: ServerResponse, nonce: string): boolean {
    const page = this.#kept.get(key);
    if (!page) return false;
    const body = Buffer.from(page.parts.join(nonce));
    response.writeHead(page.status, { ...page.headers, 'content-length': body.byteLength });
    response.end(body);
    return true;
  }

  /**
   * Makes the next answer the kept page. The caller then has Next answer.
   * @param nonce that Next was given
   * @param isStill whether the state is the same when the page is complete
   */
  keepNext(
    { key, target }: PageState,
    request: IncomingMessage,
    response: ServerResponse,
    nonce: string,
    isStill: () => Promise<boolean>,
  ): void {
    request.url = target;
    // The nonce has to be found in the body.
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
