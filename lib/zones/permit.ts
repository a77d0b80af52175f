import * as z from 'zod/mini';
import { LAYERS } from '#lib/contract/operation.ts';
import { ZONE_LIMITS } from './zone-limits.ts';

/** Its alarms are not announced. */
export const permitSchema = z.strictObject({
  id: z.uuid(),
  /** null permits every track. */
  track: z.nullable(z.strictObject({ layer: z.enum(LAYERS), ref: z.string().check(z.minLength(1), z.maxLength(256)) })),
  /** RFC 3339; exclusive. */
  until: z.iso.datetime({ offset: true }),
  /** In the zone's height field, or `height_agl_m`; null: every height. Unknown heights fail. */
  up_to_m: z.nullable(z.number()),
  note: z._default(z.string().check(z.maxLength(ZONE_LIMITS.permit_note_characters)), ''),
});
export type Permit = z.infer<typeof permitSchema>;
