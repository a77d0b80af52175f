import 'server-only';
import { z } from 'zod';
import { RECEPTION_STATES } from '#lib/contract/reception.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import type { HistoryPart } from './history-part.ts';

/** As JSON, in epoch ms. */
export const packedReception = z.array(
  z
    .tuple([z.number(), z.number(), z.enum(RECEPTION_STATES)])
    .transform(([from, to, state]) => ({ from: upstreamInstant(from), to: upstreamInstant(to), state })),
);

export function packReception({ reception }: Pick<HistoryPart, 'reception'>) {
  return reception?.map(({ from, to, state }) => [epochMs(from), epochMs(to), state] as const);
}
