import 'server-only';
import { receptionWithin } from '#lib/model/past-reception.ts';
import type { Layer } from '#lib/model/position.ts';
import { addMs } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { counts } from '../../allowance/counts.ts';
import type { Ledger, PastTerms } from '../../allowance/ledger.ts';
import { Budget } from '../../upstream/budget.ts';
import type { Page } from '../../upstream/read-page.ts';
import type { UpstreamClient } from '../../upstream/upstream-client.ts';
import { causeId } from '../request-cause.ts';
import { type HistoryPart, type Part, withReception } from './history-part.ts';
import { packObservations } from './pack-observations.ts';
import type { PartCache } from './part-cache.ts';
import type { PartOutcome, PartSource } from './part-source.ts';

/** After a window's end: the upstream reports with a delay. */
const SETTLED_AFTER_MS = 30_000;
/** A receiver's silence is noticed after up to 2 min of it, and a slow one's later: its stretch then begins earlier. */
const RECEPTION_SETTLED_AFTER_MS = 10 * MINUTE_MS;

export interface UpstreamPartsOptions {
  readonly client: UpstreamClient;
  readonly ledger: Ledger;
  readonly cache: PartCache;
}

export class UpstreamParts implements PartSource {
  readonly #options: UpstreamPartsOptions;
  readonly #termsOf: (operator: string) => PastTerms;

  constructor(options: UpstreamPartsOptions, termsOf: (operator: string) => PastTerms) {
    this.#options = options;
    this.#termsOf = termsOf;
  }

  async read(layer: Layer, part: Part, operator: string, signal: AbortSignal): Promise<PartOutcome> {
    const { client, ledger, cache } = this.#options;
    const found = await cache.find(layer, part);
    if (found) return fromCache(found);
    signal.throwIfAborted();
    counts().parts.upstream++;
    const cause = { operator, requestId: causeId() };
    const budget = new Budget(ledger, 'history', 1, () => this.#termsOf(operator), cause);
    try {
      const outcome = await client.historyPage(layer, part, budget, signal);
      if (outcome.kind === 'blocked') return { ...outcome, requests: budget.attempts };
      if (outcome.kind === 'cursor-refused') throw new Error('a history request has no cursor');
      const read = await historyPart(layer, part, outcome.page);
      const settledAfterMs = read.reception ? RECEPTION_SETTLED_AFTER_MS : SETTLED_AFTER_MS;
      if (part.window.end <= addMs(client.clock.now(), -settledAfterMs)) await cache.put(read);
      return { kind: 'part', part: read, requests: budget.attempts };
    } finally {
      await budget.close();
    }
  }
}

export function fromCache(part: HistoryPart): PartOutcome {
  counts().parts.cache++;
  return { kind: 'part', part, requests: 0 };
}

async function historyPart(layer: Layer, part: Part, page: Page): Promise<HistoryPart> {
  const { bbox, window } = part;
  const body = await packObservations(page.positions);
  return withReception(
    {
      layer,
      bbox,
      window,
      records: page.positions.length,
      truncated: page.truncated,
      unreadable: page.unreadable,
      body,
    },
    receptionWithin(window, page.receptionStretches ?? []),
  );
}
