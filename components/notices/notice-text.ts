import type { DisplaySummary } from '#lib/client/display/display-summary.ts';
import type { ServerConnection } from '#lib/client/live/live-feed.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { LAYERS } from '#lib/model/position.ts';
import { msBetween } from '#lib/time/instant.ts';

export interface Notice {
  /** Stays the same while the notice does. */
  readonly key: string;
  readonly tone: 'warning' | 'bad';
  readonly sentence: string;
  /** How old the picture is, as a sentence; it changes each second. */
  readonly age?: string;
  /** Whether to offer signing in again. */
  readonly signIn: boolean;
}

type NoticeSource = Pick<DisplaySummary, 'connection' | 'capped' | 'isPast' | 'layers' | 'now'>;

const LOST_TEXT: Readonly<Record<Exclude<ServerConnection['kind'], 'connected' | 'connecting'>, string>> = {
  offline: 'You are offline.',
  unreachable: 'Lookout’s own server does not answer.',
  'database-lost': 'Lookout’s database does not answer.',
  'signed-out': 'You are signed out.',
};

/** How old the newest of the layers is; `undefined` where none was read. */
function lastUpdateText(layers: NoticeSource['layers'], now: NoticeSource['now']): string | undefined {
  const read = LAYERS.flatMap((layer) => layers[layer].fetchedAt ?? []);
  if (now === undefined || read.length === 0) return undefined;
  return `Last update ${durationText(Math.min(...read.map((at) => msBetween(at, now))))} ago.`;
}

/** Notices shown above the map while they apply: connection problems first, then that the view is cut. The layers tell their own states. */
export function noticeText({ connection, capped, isPast, layers, now }: NoticeSource): readonly Notice[] {
  const notices: Notice[] = [];
  const add = (key: string, tone: Notice['tone'], sentence: string) =>
    notices.push({ key, tone, sentence, signIn: false });

  if (isPast) {
    // The state of the live layers does not apply to the past; the replay bar shows what is loaded.
    if (capped) add('capped', 'warning', 'Only the framed area is loaded.');
    return notices;
  }
  const { kind } = connection;
  if (kind !== 'connected' && kind !== 'connecting') {
    const age = lastUpdateText(layers, now);
    notices.push({
      key: kind,
      tone: 'bad',
      sentence: LOST_TEXT[kind],
      ...(age !== undefined && { age }),
      signIn: kind === 'signed-out',
    });
  }
  if (capped) {
    add('capped', 'warning', 'Zoomed out too far: only the framed area is live.');
  }
  return notices;
}
