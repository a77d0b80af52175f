import * as z from 'zod/mini';
import { type Receiver, type ReceiversReport, shareText } from '#lib/api/receivers/receivers-answer.ts';
import { instantOf, msBetween } from '#lib/time/instant.ts';
import { instantText } from '#lib/time/instant-schema.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';

const TROUBLES = ['lost', 'deaf', 'clock'] as const;

/** A trouble of an own receiver that began or is over. */
export const receiverChangeSchema = z.object({
  /** Its private name. */
  receiver: z.string(),
  trouble: z.enum(TROUBLES),
  /** Whether it began; else it is over. */
  began: z.boolean(),
  /** When it began, or for one that was lost, when it was back; null where that is not known. */
  since: z.nullable(instantText),
  /** The part of its usual that it hears; null unless it is deaf. */
  share: z.nullable(z.number()),
  /** Why it is lost, in words. */
  problem: z.nullable(z.string()),
});
export type ReceiverChange = z.infer<typeof receiverChangeSchema>;
type Trouble = ReceiverChange['trouble'];

/** A restart of a receiver is no news. */
const LOST_AFTER_MS = 5 * MINUTE_MS;

/** @returns what began since the last change of each, or is over */
export function receiverChanges(
  { at, feeds }: Pick<ReceiversReport, 'at' | 'feeds'>,
  last: (receiver: string, trouble: Trouble) => Pick<ReceiverChange, 'began'> | undefined,
): readonly ReceiverChange[] {
  return feeds.flatMap((feed) =>
    TROUBLES.flatMap((trouble): readonly ReceiverChange[] => {
      const backSince = trouble === 'lost' ? feed.since : null;
      const change = { receiver: feed.id, trouble, since: backSince, share: null, problem: null };
      const is = IS[trouble](feed, at);
      if (is === 'unknown' || (is !== undefined) === (last(feed.id, trouble)?.began ?? false)) return [];
      return [{ ...change, ...is, began: is !== undefined }];
    }),
  );
}

type Is = Partial<Pick<ReceiverChange, 'since' | 'share' | 'problem'>> | 'unknown' | undefined;

/** `undefined`: it is not so. */
const IS: Readonly<Record<Trouble, (receiver: Receiver, at: string) => Is>> = {
  lost({ state, since, problem }, at) {
    if (state === 'connecting') return 'unknown';
    if (state !== 'lost') return undefined;
    return msBetween(instantOf(since), instantOf(at)) < LOST_AFTER_MS ? 'unknown' : { since, problem };
  },
  deaf: ({ state, deaf }) => (state === 'lost' ? 'unknown' : (deaf ?? undefined)),
  clock({ clock_is_used }) {
    if (clock_is_used === null) return 'unknown';
    return clock_is_used ? undefined : {};
  },
};

/** The title of a notice, such as `Receiver hill: hears 35% of what it usually does`. */
export function receiverTitle({ receiver, trouble, began, share }: ReceiverChange): string {
  return `Receiver ${receiver}: ${began ? BEGAN[trouble](share) : OVER[trouble]}`;
}

const BEGAN: Readonly<Record<Trouble, (share: number | null) => string>> = {
  lost: () => 'lost',
  deaf: (share) => (share === null ? 'deaf' : shareText(share).replace('Hears', 'hears')),
  clock: () => 'its clock is wrong',
};

const OVER: Readonly<Record<Trouble, string>> = {
  lost: 'back',
  deaf: 'hears as usual again',
  clock: 'its clock is right again',
};

export const TROUBLE_ADVICE: Readonly<Record<Trouble, string>> = {
  lost: 'It is tried again by itself. Check its power and network, or its account.',
  deaf: 'Check its antenna, cable and amplifier.',
  clock: 'Times of arrival are used. Check timedatectl there.',
};
