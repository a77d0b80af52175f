import * as z from 'zod/mini';
import { instantParameter, instantText } from '#lib/time/instant-schema.ts';

export const HAND_OVER_NOTE_MAX_LENGTH = 2000;
/** An answer has so many of the latest notes. */
export const HAND_OVER_NOTES_MAX = 30;

const note = z.string().check(z.trim(), z.minLength(1), z.maxLength(HAND_OVER_NOTE_MAX_LENGTH));

export const newHandOverNoteSchema = z.strictObject({ note });

/** The note that was stored. */
export const handOverAddedSchema = z.object({ id: z.uuid() });

/** The note that the caller has read. */
export const handOverReadSchema = z.strictObject({
  /** Its id. */
  note: z.uuid(),
});

const handOverNoteSchema = z.object({
  id: z.uuid(),
  note: z.string(),
  /** The operator who wrote it; empty without sign-in. */
  by: z.string(),
  at: instantText,
  mine: z.boolean(),
  /** Whether the caller wrote it or marked it as read; false without sign-in, where each browser keeps that. */
  read: z.boolean(),
  /** Operators who marked it as read. */
  readers: z.array(z.object({ by: z.string(), at: instantText })),
});
export type HandOverNote = z.infer<typeof handOverNoteSchema>;

export const handOverQuerySchema = z.strictObject({
  /** With both, the notes that were written within; default: the latest 30. */
  start: z.optional(instantParameter('start')),
  end: z.optional(instantParameter('end')),
});

export const handOverNotesSchema = z.object({
  /** The latest is first. */
  notes: z.array(handOverNoteSchema),
  /** Earlier notes are left out, or may have been deleted. */
  cut: z.boolean(),
});
export type HandOverAnswer = z.infer<typeof handOverNotesSchema>;
