import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import type { PastPart } from '../parts/history-part.ts';
import { quarterBbox } from './box-slices.ts';
import type { ModelSource } from './model-source.fixture.ts';
import { isSmallestWindow } from './whole-seconds.ts';

/** The contract's advice (History behaviour). @returns number of requests */
export function plainHalving(source: ModelSource, job: PastPart): number {
  const open: PastPart[] = [job];
  let requests = 0;
  for (let part = open.pop(); part; part = open.pop()) {
    requests += 1;
    if (!source.isOverfull(part)) continue;
    const { bbox, window } = part;
    if (isSmallestWindow(window)) {
      open.push(...quarterBbox(bbox).map((quarter) => ({ bbox: quarter, window })));
      continue;
    }
    const second = Math.round((epochMs(window.start) + epochMs(window.end)) / 2000) * 1000;
    const middle = upstreamInstant(
      second > epochMs(window.start) && second < epochMs(window.end)
        ? second
        : Math.ceil((epochMs(window.start) + 1) / 1000) * 1000,
    );
    open.push({ bbox, window: { ...window, end: middle } }, { bbox, window: { ...window, start: middle } });
  }
  return requests;
}
