import type { Page } from '@playwright/test';

/** What answers cost outside of the main thread. */
export interface WorkerCosts {
  /** From the text of an answer to its columns handed to the page: parsing, checking, columns. */
  readonly decodeMs: readonly number[];
  /** Body of each answer on the wire, and as text. */
  readonly wireBytes: readonly number[];
  readonly textBytes: readonly number[];
}

/** Watches the page's worker from now on; what it returns reads what was seen since. */
export async function watchWorker(page: Page): Promise<() => Promise<WorkerCosts>> {
  const names = await Promise.all(page.workers().map((worker) => worker.evaluate(() => self.name)));
  const worker = page.workers()[names.indexOf('live')];
  if (!worker) throw new Error('the page has no worker named live');
  await worker.evaluate(() => {
    const decodeMs: number[] = [];
    let textAtMs = 0;
    Response.prototype.json = async function () {
      const text = await this.text();
      textAtMs = performance.now();
      return JSON.parse(text);
    };
    const post = self.postMessage.bind(self) as (...given: unknown[]) => void;
    const timedPost = (...given: unknown[]) => {
      post(...given);
      decodeMs.push(performance.now() - textAtMs);
    };
    Object.assign(self, { postMessage: timedPost, lookoutDecodeMs: decodeMs });
    performance.clearResourceTimings();
  });
  return () =>
    worker.evaluate(() => {
      const answers = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
      return {
        decodeMs: (self as unknown as { lookoutDecodeMs: number[] }).lookoutDecodeMs,
        wireBytes: answers.map(({ encodedBodySize }) => encodedBodySize),
        textBytes: answers.map(({ decodedBodySize }) => decodedBodySize),
      };
    });
}
