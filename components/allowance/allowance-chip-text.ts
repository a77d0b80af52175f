import type { DisplaySummary } from '#lib/client/display/display-summary.ts';
import type { AllowanceStatus } from '#lib/client/status/allowance-status.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { groupedNumber } from '#lib/model/grouped-number.ts';
import { LAYERS } from '#lib/model/position.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { RECENT_MS } from './allowance-text.ts';

export interface AllowanceChipText {
  /** `undefined` where nothing is wrong: the allowance has no colour of its own. */
  readonly tone: 'warning' | undefined;
  /** After the word "Allowance"; empty where there is nothing to add that is still true. */
  readonly words: string;
}

/**
 * The allowance in the bar. Asked for only while the panel shows it, so a number that has aged says so, and one whose window
 * has ended is gone; that a layer is paused is known from the live picture at all times.
 */
export function allowanceChipText(
  status: AllowanceStatus | undefined,
  { layers, now, isPast }: Pick<DisplaySummary, 'layers' | 'now' | 'isPast'>,
): AllowanceChipText {
  // While the past is shown, how the live layers stood says nothing of now.
  const isPaused = !isPast && LAYERS.some((layer) => layers[layer].on && layers[layer].state === 'limited');
  const figures = isPaused ? ['paused', ...figuresOf(status, now)] : figuresOf(status, now);
  return { tone: isPaused ? 'warning' : undefined, words: figures.join(' · ') };
}

function figuresOf(status: AllowanceStatus | undefined, now: UpstreamInstant | undefined): readonly string[] {
  if (status === undefined || now === undefined) return [];
  const { minute, day } = status;
  const figures: string[] = [];
  const ageMs = msBetween(status.asOf, now);
  const isRecent = ageMs <= RECENT_MS;
  if (isRecent && minute.remaining !== undefined && now < minute.resetsAt) {
    const ofSize = minute.size === undefined || minute.size < minute.remaining ? '' : `/${groupedNumber(minute.size)}`;
    figures.push(`${groupedNumber(minute.remaining)}${ofSize} this min`);
  }
  if (day.remaining !== undefined && now < day.resetsAt) figures.push(`${groupedNumber(day.remaining)} today`);
  return isRecent || figures.length === 0 ? figures : [...figures, `${durationText(ageMs)} old`];
}
