import * as z from 'zod/mini';
import { wirePositionSchema } from '../contract/wire-position.ts';

/** The contract's record, without additional properties. */
export const liveRecordSchema = z.object(wirePositionSchema(undefined).shape);

export type LiveRecord = z.infer<typeof liveRecordSchema>;
