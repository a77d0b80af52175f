import { instantFromMs } from '#lib/time/instant.ts';
import type { Part } from '../part.ts';
import { quarterBbox } from '../quarter-bbox.ts';
import type { ModelSource } from './model-source.fixture.ts';

/** The contract's own advice (History behaviour): the window in halves, each again, and the area once a second is too dense. */
export function plainHalving(source: ModelSource, job: Part): { readonly requests: number } {
  const open: Part[] = [job];
  let requests = 0;
  for (let part = open.pop(); part; part = open.pop()) {
    requests += 1;
    if (!source.answer(part).truncated) continue;
    const { bbox, window } = part;
    if (window.end - window.start > 1000) {
      const middle = instantFromMs(Math.round((window.start + window.end) / 2000) * 1000);
      open.push({ bbox, window: { start: window.start, end: middle } }, { bbox, window: { start: middle, end: window.end } });
    } else for (const quarter of quarterBbox(bbox)) open.push({ bbox: quarter, window });
  }
  return { requests };
}
