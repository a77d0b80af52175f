import 'server-only';
import { envelopeSchema } from '#lib/contract/envelope.ts';
import type { Layer, Mode } from '#lib/contract/operation.ts';
import { publicReferencePattern } from '#lib/contract/public-reference.ts';
import { wirePositionSchema } from '#lib/contract/wire-position.ts';
import type { Position } from '#lib/model/position.ts';
import { instantOf, type UpstreamInstant } from '#lib/time/instant.ts';
import { toPosition } from './to-position.ts';

/** One page of an answer, parsed and checked once. */
export interface Page {
  readonly positions: readonly Position[];
  /** Records that broke the contract and were dropped. */
  readonly unreadable: number;
  readonly nextCursor: string | undefined;
  /** True where there is a next page, but its cursor breaks the contract, so that it cannot be requested. */
  readonly cursorUnusable: boolean;
  readonly generatedAt: UpstreamInstant;
  readonly requestId: string;
  readonly truncated: boolean;
}

export type PageReader = (body: string, mode: Mode, layer: Layer) => Page | undefined;

/**
 * Makes the parser of 200 bodies. It returns `undefined` for a body that is not JSON, not the contract's envelope, or the
 * answer to another request; an invalid record is dropped alone.
 */
export function makePageReader(trackPrefix: string | undefined): PageReader {
  const positionSchema = wirePositionSchema(trackPrefix);
  const cursorPattern = publicReferencePattern(trackPrefix);
  return (body, mode, layer) => {
    let json: unknown;
    try {
      json = JSON.parse(body);
    } catch {
      return undefined;
    }
    const envelope = envelopeSchema.safeParse(json);
    if (!envelope.success || envelope.data.mode !== mode || envelope.data.layer !== layer) return undefined;
    const positions: Position[] = [];
    let unreadable = 0;
    for (const record of envelope.data.data) {
      const wire = positionSchema.safeParse(record);
      if (!wire.success) {
        unreadable++;
        continue;
      }
      const position = toPosition(wire.data);
      if (position) positions.push(position);
    }
    const cursor = envelope.data.next_cursor ?? undefined;
    const cursorUnusable = cursor !== undefined && !cursorPattern.test(cursor);
    return {
      positions,
      unreadable,
      nextCursor: cursorUnusable ? undefined : cursor,
      cursorUnusable,
      generatedAt: instantOf(envelope.data.generated_at),
      requestId: envelope.data.request_id,
      truncated: envelope.data.truncated,
    };
  };
}
