import type { CDPSession, Page } from '@playwright/test';

export interface HeapUse {
  /** Objects and their buffers, of the page and its workers, after a collection. */
  readonly total_mb: number;
  readonly page_mb: number;
  readonly workers_mb: number;
  /** By name; the map's together. */
  readonly by_worker_mb: Readonly<Record<string, number>>;
  /** What the browser's own objects take (elements, styles, listeners), beside the total. */
  readonly dom_mb: number;
  readonly nodes: number;
  readonly listeners: number;
}

interface Usage {
  readonly usedSize: number;
  readonly backingStorageSize: number;
  readonly embedderHeapUsedSize: number;
}

/** Reads the memory of a page and of its workers, each of which has a heap of its own. */
export class PageHeap {
  readonly #page: CDPSession;
  /** Names of the workers that run now, by session. */
  readonly #workers = new Map<string, string>();
  readonly #waiting = new Map<
    number,
    { readonly worker: string; readonly settle: (usage: Usage | undefined) => void }
  >();
  #lastId = 0;

  private constructor(page: CDPSession) {
    this.#page = page;
    page.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      if (targetInfo.type === 'worker')
        this.#workers.set(sessionId, targetInfo.title.includes('maplibre') ? 'map' : targetInfo.title);
    });
    page.on('Target.detachedFromTarget', ({ sessionId }) => {
      this.#workers.delete(sessionId);
      for (const { worker, settle } of this.#waiting.values()) if (worker === sessionId) settle(undefined);
    });
    page.on('Target.receivedMessageFromTarget', ({ message }) => {
      const { id, result } = JSON.parse(message) as { id?: number; result?: Usage };
      if (id !== undefined) this.#waiting.get(id)?.settle(result);
    });
  }

  static async of(page: Page): Promise<PageHeap> {
    const session = await page.context().newCDPSession(page);
    const heap = new PageHeap(session);
    // Not flattened: the messages of workers then come through the page's session.
    await session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
    return heap;
  }

  async use(): Promise<HeapUse> {
    await this.#page.send('HeapProfiler.collectGarbage');
    const own = (await this.#page.send('Runtime.getHeapUsage')) as Usage;
    const { nodes, jsEventListeners } = await this.#page.send('Memory.getDOMCounters');
    const byName: Record<string, number> = {};
    let workers = 0;
    for (const [worker, name] of [...this.#workers]) {
      await this.#ask(worker, 'HeapProfiler.collectGarbage');
      // A worker may have ended meanwhile.
      const usage = await this.#ask(worker, 'Runtime.getHeapUsage');
      if (!usage) continue;
      workers += bytesOf(usage);
      byName[name] = (byName[name] ?? 0) + bytesOf(usage);
    }
    return {
      total_mb: mb(bytesOf(own) + workers),
      page_mb: mb(bytesOf(own)),
      workers_mb: mb(workers),
      by_worker_mb: Object.fromEntries(Object.entries(byName).map(([name, bytes]) => [name, mb(bytes)])),
      dom_mb: mb(own.embedderHeapUsedSize),
      nodes,
      listeners: jsEventListeners,
    };
  }

  async #ask(worker: string, method: string): Promise<Usage | undefined> {
    const id = ++this.#lastId;
    const answered = new Promise<Usage | undefined>((settle) => this.#waiting.set(id, { worker, settle }));
    const message = JSON.stringify({ id, method });
    await this.#page
      .send('Target.sendMessageToTarget', { sessionId: worker, message })
      .catch(() => this.#waiting.get(id)?.settle(undefined));
    const usage = await answered;
    this.#waiting.delete(id);
    return usage;
  }
}

function bytesOf({ usedSize, backingStorageSize }: Usage): number {
  return usedSize + backingStorageSize;
}

function mb(bytes: number): number {
  return Math.round(bytes / 1e4) / 100;
}
