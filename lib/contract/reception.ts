import { z } from 'zod';
import { cornersSchema } from '../geo/corners.ts';
import { instantText } from '../time/instant-schema.ts';

/**
 * Addition to the contract, of the receivers that could deliver a layer in a box. `none`: there is no such receiver.
 * `lost`: each is down, or silent beyond its habit. `partly`: some are, or hear far less than usual.
 */
export const RECEPTION_STATES = ['ok', 'partly', 'lost', 'none'] as const;
export type ReceptionState = (typeof RECEPTION_STATES)[number];

/** More than a receiver that comes and goes every 10 s has in an hour; a longer list counts as not reported. */
export const RECEPTION_STRETCHES_MAX = 400;

/** More than areas of other services and own reach cut a box into; a longer list counts as not reported. */
export const RECEPTION_PLACES_MAX = 100;

const ofBox = z.object({
  state: z.enum(RECEPTION_STATES),
  /** When the last receiver (`lost`) or the first one missing (`partly`) was last heard, or all were back. null: not known. */
  since: z.nullable(instantText),
  /** How many receivers could deliver. */
  receivers: z.int().min(0),
  /** How many receivers deliver now. */
  receiving: z.int().min(0),
  /** How many of these hear far less than usual. Absent: none. */
  deaf: z.optional(z.int().min(1)),
});

/** The reception that a live answer reports. */
export const receptionSchema = ofBox.extend({
  /** Where other services or own receivers deliver a part of the box: boxes that share no area and fill it. Absent: it is alike everywhere. */
  places: z.optional(z.array(ofBox.extend({ bbox: cornersSchema })).max(RECEPTION_PLACES_MAX)),
});
export type WireReception = z.infer<typeof receptionSchema>;

/** Of a service that reads other services: what remains without them, for services that read it in turn. */
export const ownReceptionSchema = z.object({ own: receptionSchema });

/** Half-open, in order, within the requested window. Times without one are not known. */
const receptionStretchSchema = z.object({
  from: instantText,
  to: instantText,
  state: z.enum(RECEPTION_STATES),
});

/** The reception that a history answer reports. */
export const pastReceptionSchema = z.object({
  stretches: z.array(receptionStretchSchema).max(RECEPTION_STRETCHES_MAX),
});
