import 'server-only';
import { envelopeSchema } from '#lib/contract/envelope.ts';
import type { Layer, Mode } from '#lib/contract/operation.ts';
import { publicReferencePattern } from '#lib/contract/public-reference.ts';
import { wirePositionSchema } from '#lib/contract/wire-position.ts';
import type { Position } from '#lib/model/position.ts';
import { instantOf, type UpstreamInstant } from '#lib/time/instant.ts';
import { toPosition } from './to-position.ts';

/** One page of an answer, read and checked once. */
export interface Page {
  readonly positions: readonly Position[];
  /** Records that broke the contract and were left out. */
  readonly unreadable: number;
  readonly nextCursor: string | undefined;
  /** True where another page exists whose cursor does not have the contract's form, so that it cannot be asked for. */
  readonly cursorUnusable: boolean;
  readonly generatedAt: UpstreamInstant;
  readonly requestId: string;
  readonly truncated: boolean;
}

export type PageReader = (body: string, mode: Mode, layer: Layer) => Page | undefined;

/**
 * Makes the reader of 200 bodies. It answers `undefined` for a body that is not JSON, not the contract's envelope, or an
 * answer to another question; a bad record costs only itself.
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
