import * as z from 'zod/mini';
import { LAYERS } from '#lib/contract/operation.ts';

/** Expected traffic. An alarm that a permit covers is recorded as expected, and is not announced. */
export const permitSchema = z.strictObject({
  id: z.uuid(),
  /** null: every track within the zone. */
  track: z.nullable(z.strictObject({ layer: z.enum(LAYERS), ref: z.string().check(z.minLength(1), z.maxLength(256)) })),
  /** RFC 3339; the permit ends then. */
  until: z.iso.datetime({ offset: true }),
  /** Up to this height in the zone's height field (`height_agl_m` in a zone without limits); null: every height. An unknown height is not covered. */
  up_to_m: z.nullable(z.number()),
  note: z._default(z.string().check(z.maxLength(200)), ''),
});
export type Permit = z.infer<typeof permitSchema>;
