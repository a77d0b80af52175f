import { z } from 'zod';
import { instantText } from '../time/instant-schema.ts';
import { CONTRACT_VERSION } from './limits.ts';
import { LAYERS, MODES } from './operation.ts';

/** Response envelope. `data` is checked record by record, so that an invalid one does not invalidate the page. */
export const envelopeSchema = z.looseObject({
  version: z.literal(CONTRACT_VERSION),
  request_id: z.string(),
  generated_at: instantText,
  layer: z.enum(LAYERS),
  mode: z.enum(MODES),
  data: z.array(z.unknown()),
  next_cursor: z.string().nullable(),
  truncated: z.boolean(),
  continuation: z.string().optional(),
  /** Addition to the contract: see `reception.ts`. Read apart, so that an odd one does not invalidate the page. */
  reception: z.unknown().optional(),
  /** Addition to the contract: the same for all answers of a service, so that it does not read itself. */
  served_by: z.unknown().optional(),
});

export type Envelope = z.infer<typeof envelopeSchema>;

/** Errors. Other bodies come from proxies and portals, not from the service. */
export const errorBodySchema = z.looseObject({
  error: z.looseObject({ code: z.string(), message: z.string() }),
  request_id: z.string(),
});

export type ErrorBody = z.infer<typeof errorBodySchema>;

export function isErrorBody(text: string): boolean {
  try {
    return errorBodySchema.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}
