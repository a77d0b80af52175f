import type { Alarm } from '#lib/api/watching/alarms.ts';
import type { DisplaySummary, LayerStatus } from '#lib/client/display/display-summary.ts';
import { LAYER_NAME, layerText } from '#lib/client/display/layer-text.ts';
import { isPageFailure } from '#lib/client/request/refusal-message.ts';
import { type ClockZone, recentTimeText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { msBetween, parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { pageNotices } from '../notices/notice-text.ts';

/** The server lets a page wait for 15 s at most, and each request for some seconds. */
const SILENT_MS = 30_000;

export interface Loss {
  readonly title: string;
  /** Such as `since 12:04:31Z`; empty if nothing was ever read. */
  readonly since: string;
  readonly why: string;
}

/**
 * Why the picture is not of now, in words for the whole wall; `undefined` while it is.
 * @param answeredAt time of the last answer
 */
export function lossOf(
  summary: DisplaySummary,
  answeredAt: UpstreamInstant | undefined,
  zone: ClockZone,
): Loss | undefined {
  const { connection, now } = summary;
  const { kind } = connection;
  const since = answeredAt === undefined ? '' : `since ${recentTimeText(answeredAt, now, zone)}`;
  if (kind === 'connecting') return undefined;
  if (kind !== 'connected') {
    const why = pageNotices(summary).find(({ tone }) => tone === 'bad')?.sentence ?? '';
    const title = kind === 'signed-out' ? 'Signed out' : isPageFailure(kind) ? 'Nothing read' : 'No connection';
    return { title, since, why };
  }
  const silentMs = answeredAt === undefined || now === undefined ? 0 : msBetween(answeredAt, now);
  if (silentMs <= SILENT_MS) return undefined;
  return { title: 'No connection', since, why: `No answer for ${durationText(silentMs)}.` };
}

export interface Trouble {
  readonly isBad: boolean;
  readonly sentence: string;
}

/** The trouble of a layer in a sentence, without the words of the board; `undefined` if it has none. */
export function troubleOf(status: LayerStatus, now: UpstreamInstant | undefined, zone: ClockZone): Trouble | undefined {
  const { tone, sentence } = layerText(status, now, zone);
  if (tone === 'good' || tone === 'neutral') return undefined;
  const isBad = tone === 'bad' || status.failingSince !== undefined;
  if (status.state !== 'fresh') return { isBad, sentence };
  const [, ...caveats] = sentence.split(' · ');
  return { isBad: false, sentence: `${LAYER_NAME[status.layer]}: ${caveats.join(' · ')}` };
}

/** The alarm that waits longest for an operator. */
export function oldestOf(alarms: readonly Alarm[]): Alarm | undefined {
  const openedAt = ({ opened_at }: Alarm) => parseInstant(opened_at) ?? Number.POSITIVE_INFINITY;
  return alarms.reduce<Alarm | undefined>(
    (oldest, alarm) => (oldest === undefined || openedAt(alarm) < openedAt(oldest) ? alarm : oldest),
    undefined,
  );
}
