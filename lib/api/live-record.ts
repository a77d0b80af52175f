import { z } from 'zod';
import { wirePositionSchema } from '../contract/wire-position.ts';

/** A position as the app's own API gives it: the contract's record, without fields that the contract does not name. */
export const liveRecordSchema = z.object(wirePositionSchema(undefined).shape);

export type LiveRecord = z.infer<typeof liveRecordSchema>;
